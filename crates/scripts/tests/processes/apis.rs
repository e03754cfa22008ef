//! The Web APIs that scripts use.

use crate::support::answer_of;

/// The values of expressions, as JSON.
async fn values(statements: &str, expressions: &[&str]) -> Vec<String> {
    let body = format!(
        "{statements}; const values = []; for (const f of [{}]) values.push(JSON.stringify(await f()) ?? 'undefined'); return Response.json(values);",
        expressions
            .iter()
            .map(|expression| format!("async () => ({expression})"))
            .collect::<Vec<_>>()
            .join(",")
    );
    serde_json::from_str(&answer_of(&body).await).unwrap()
}

async fn assert_values(statements: &str, expected: &[(&str, &str)]) {
    let expressions: Vec<_> = expected.iter().map(|(expression, _)| *expression).collect();
    let found = values(statements, &expressions).await;
    for ((expression, expected), found) in expected.iter().zip(found) {
        assert_eq!(found, *expected, "{expression}");
    }
}

#[tokio::test]
async fn globals_are_those_of_the_web() {
    assert_values(
        "",
        &[
            ("[typeof process, typeof Buffer, typeof require, typeof WebAssembly, typeof host]", r#"["undefined","undefined","undefined","undefined","undefined"]"#),
            ("[typeof eval, new Function('return 1 + 1')()]", r#"["function",2]"#),
            ("['Request','Response','Headers','URL','URLSearchParams','fetch','FormData','Blob','File','AbortController','AbortSignal','TextEncoder','TextDecoder','atob','btoa','setTimeout','setInterval','structuredClone','DOMException','ReadableStream','TransformStream','TextDecoderStream','CryptoKey'].filter((name) => typeof globalThis[name] !== 'function')", "[]"),
            ("Object.prototype.toString.call(new Headers())", r#""[object Headers]""#),
            ("[self === globalThis, btoa('ab'), atob('YWI=')]", r#"[true,"YWI=","ab"]"#),
        ],
    )
    .await;
}

#[tokio::test]
async fn urls() {
    assert_values(
        "const url = new URL('../b?x=1&y=%20z#h', 'https://user@Example.com:8443/a/c/')",
        &[
            ("url", r#""https://user@example.com:8443/a/b?x=1&y=%20z#h""#),
            ("[url.origin, url.host, url.hostname, url.port, url.pathname, url.search, url.hash, url.username, url.protocol]", r##"["https://example.com:8443","example.com:8443","example.com","8443","/a/b","?x=1&y=%20z","#h","user","https:"]"##),
            ("(url.searchParams.append('q', 'a b&é'), url.href)", r#""https://user@example.com:8443/a/b?x=1&y=+z&q=a+b%26%C3%A9#h""#),
            ("(url.search = '?n=2', [...url.searchParams])", r#"[["n","2"]]"#),
            ("(url.pathname = '/p q', url.hash = '', url.port = '', `${url}`)", r#""https://user@example.com/p%20q?n=2""#),
            ("[URL.canParse('nowhere'), URL.canParse('a:b'), URL.parse('x')]", "[false,true,null]"),
            ("(() => { try { new URL('nowhere'); } catch (error) { return error.name; } })()", r#""TypeError""#),
            ("new URLSearchParams({ a: 1, b: 'c d' }).toString()", r#""a=1&b=c+d""#),
            ("(() => { const p = new URLSearchParams('?a=1&b=2&a=3'); p.delete('b'); p.set('a', '4'); p.append('c', ''); p.sort(); return [p.toString(), p.get('x'), p.getAll('a'), p.has('c'), p.size]; })()", r#"["a=4&c=",null,["4"],true,2]"#),
        ],
    )
    .await;
}

#[tokio::test]
async fn bodies_and_forms() {
    assert_values(
        "const form = new FormData(); form.append('a', 'b\\r\\nc'); form.append('f', new File(['\\u00ff'], 'x\".txt', { type: 'Text/Plain' }));
         const sent = new Request('https://example.com/', { method: 'PUT', body: form })",
        &[
            ("[sent.method, sent.bodyUsed, sent.headers.get('Content-Type').slice(0, 30)]", r#"["PUT",false,"multipart/form-data; boundary="]"#),
            ("(async () => { const parsed = await new Response(await sent.clone().text(), { headers: sent.headers }).formData(); const f = parsed.get('f'); return [parsed.get('a'), f.name, f.type, await f.text(), f.size]; })()", r#"["b\r\nc","x\".txt","text/plain","ÿ",2]"#),
            ("(async () => { const [a, b] = [new Response('{\"a\":1}'), null]; const c = a.clone(); return [await a.json(), await c.text(), a.bodyUsed, c.headers.get('content-type')]; })()", r#"[{"a":1},"{\"a\":1}",true,"text/plain;charset=UTF-8"]"#),
            ("(async () => { const r = new Response('a=1&b=%C3%A9', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }); return [...await r.formData()]; })()", r#"[["a","1"],["b","é"]]"#),
            ("(async () => { const r = new Response('x'); await r.text(); try { await r.text(); } catch (error) { return error.name; } })()", r#""TypeError""#),
            ("(async () => [(await new Blob(['ab', new Uint8Array([99])]).slice(1).text()), new Uint8Array(await new Response('é').arrayBuffer()).length])()", r#"["bc",2]"#),
            ("[Response.redirect('https://example.com/a', 307).headers.get('location'), Response.json({}).headers.get('content-type'), Response.error().type]", r#"["https://example.com/a","application/json","error"]"#),
            ("(() => { try { new Headers({ 'a': 'b\\nc' }); } catch (error) { return error.message; } })()", r#""Invalid header value""#),
            ("[...new Headers([['B', '1'], ['a', '2'], ['b', '3']])]", r#"[["a","2"],["b","1, 3"]]"#),
        ],
    )
    .await;
}

#[tokio::test]
async fn texts() {
    assert_values(
        "",
        &[
            ("[...new TextEncoder().encode('é€😀')]", "[195,169,226,130,172,240,159,152,128]"),
            ("new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff]))", "\"a\u{fffd}\""),
            ("(() => { const d = new TextDecoder(); return ['é€😀'].flatMap((t) => [...new TextEncoder().encode(t)].map((b) => d.decode(new Uint8Array([b]), { stream: true }))).join('|') + d.decode(); })()", r#""|é|||€||||😀""#),
            ("(() => { try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff])); } catch (error) { return error.name; } })()", r#""TypeError""#),
            ("new TextDecoder('latin1').decode(new Uint8Array([0x80, 0xe9]))", r#""€é""#),
            ("new TextEncoder().encodeInto('aé', new Uint8Array(2))", r#"{"read":1,"written":1}"#),
            ("[...new TextEncoder().encode('\\ud800')]", "[239,191,189]"),
        ],
    )
    .await;
}

#[tokio::test]
async fn streams() {
    assert_values(
        "const chunks = async (stream) => { const all = []; for await (const chunk of stream) all.push(chunk); return all; };
         const counting = () => { let i = 0; return new ReadableStream({ pull(c) { i += 1; if (i > 3) c.close(); else c.enqueue(i); } }); };
         const doubling = () => new TransformStream({ transform(chunk, c) { c.enqueue(chunk * 2); }, flush(c) { c.enqueue('end'); } })",
        &[
            ("chunks(counting())", "[1,2,3]"),
            ("chunks(counting().pipeThrough(doubling()))", r#"[2,4,6,"end"]"#),
            ("(async () => { const [a, b] = counting().tee(); return [await chunks(a), await chunks(b)]; })()", "[[1,2,3],[1,2,3]]"),
            ("(async () => chunks(new Response(new Uint8Array([0xc3, 0xa9])).body.pipeThrough(new TextDecoderStream())))()", r#"["é"]"#),
            ("new Response(new ReadableStream({ async start(c) { c.enqueue(new TextEncoder().encode('a')); await null; c.enqueue('b'); c.close(); } })).text()", r#""ab""#),
            ("(async () => { const { readable, writable } = new TransformStream(); const writer = writable.getWriter(); writer.write('x'); writer.close(); return chunks(readable); })()", r#"["x"]"#),
            ("(async () => { const r = counting().getReader(); return [await r.read(), await r.cancel(), await r.read()]; })()", r#"[{"done":false,"value":1},null,{"done":true}]"#),
            ("(async () => { try { await chunks(new ReadableStream({ pull() { throw new Error('x'); } })); } catch (error) { return error.message; } })()", r#""x""#),
            ("chunks(ReadableStream.from(['a', 'b']))", r#"["a","b"]"#),
        ],
    )
    .await;
}

#[tokio::test]
async fn crypto() {
    assert_values(
        "const utf8 = (t) => new TextEncoder().encode(t); const hex = (b) => new Uint8Array(b).toHex(); const { subtle } = crypto",
        &[
            ("(async () => hex(await subtle.digest('SHA-256', utf8('abc'))))()", r#""ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad""#),
            // RFC 4231, test case 2.
            ("(async () => { const k = await subtle.importKey('raw', utf8('Jefe'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']); const s = await subtle.sign('HMAC', k, utf8('what do ya want for nothing?')); return [hex(s), await subtle.verify('HMAC', k, s, utf8('what do ya want for nothing?')), await subtle.verify('HMAC', k, s, utf8('else')), k instanceof CryptoKey, k.algorithm.hash.name]; })()", r#"["5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",true,false,true,"SHA-256"]"#),
            // NIST, AES-GCM test case 14.
            ("(async () => { const k = await subtle.importKey('raw', new Uint8Array(32), 'AES-GCM', false, ['encrypt', 'decrypt']); const a = { name: 'AES-GCM', iv: new Uint8Array(12) }; const c = await subtle.encrypt(a, k, new Uint8Array(16)); return [hex(c), hex(await subtle.decrypt(a, k, c))]; })()", r#"["cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919","00000000000000000000000000000000"]"#),
            ("(async () => { const k = await subtle.importKey('raw', new Uint8Array(16), { name: 'AES-GCM' }, false, ['decrypt']); try { await subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, k, new Uint8Array(20)); } catch (error) { return error.name; } })()", r#""OperationError""#),
            ("/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())", "true"),
            ("crypto.getRandomValues(new Uint32Array(8)).some((value) => value !== 0)", "true"),
            ("(async () => { const k = await subtle.importKey('raw', utf8('x'), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']); try { await subtle.sign('HMAC', k, utf8('')); } catch (error) { return error.name; } })()", r#""InvalidAccessError""#),
            ("(() => { try { new CryptoKey(); } catch (error) { return error.message; } })()", r#""Illegal constructor""#),
        ],
    )
    .await;
}

#[tokio::test]
async fn rsa_signs() {
    use aws_lc_rs::{
        encoding::{AsDer, Pkcs8V1Der},
        rsa::KeySize,
        signature::{KeyPair, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey},
    };
    let key = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
    let der: Pkcs8V1Der<'_> = key.as_der().unwrap();
    let body = format!(
        "const key = await crypto.subtle.importKey('pkcs8', Uint8Array.fromBase64('{}'), {{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }}, false, ['sign']);
         const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key, new TextEncoder().encode('signed'));
         return Response.json([key.algorithm.modulusLength, key.type, new Uint8Array(signature).toBase64()]);",
        data_encoding::BASE64.encode(der.as_ref())
    );
    let (bits, kind, signature): (u32, String, String) = serde_json::from_str(&answer_of(&body).await).unwrap();
    assert_eq!((bits, kind.as_str()), (2048, "private"));
    let signature = data_encoding::BASE64.decode(signature.as_bytes()).unwrap();
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public_key());
    public.verify(b"signed", &signature).unwrap();
}

#[tokio::test]
async fn events_and_clones() {
    assert_values(
        "const controller = new AbortController(); let aborted = 0; controller.signal.addEventListener('abort', () => { aborted += 1; })",
        &[
            ("(controller.abort(), controller.abort(), [aborted, controller.signal.aborted, controller.signal.reason.name])", r#"[1,true,"AbortError"]"#),
            ("(async () => { try { await fetch('https://example.com/', { signal: controller.signal }); } catch (error) { return error.name; } })()", r#""AbortError""#),
            ("(() => { const a = { d: new Date(0), m: new Map([[1, new Set([2])]]), b: new Uint8Array([1]), r: /x/g }; a.self = a; const c = structuredClone(a); return [c !== a, c.self === c, c.d, c.m.get(1).has(2), c.b[0], c.r.flags]; })()", r#"[true,true,"1970-01-01T00:00:00.000Z",true,1,"g"]"#),
            ("(() => { try { structuredClone(() => {}); } catch (error) { return [error.name, error instanceof DOMException]; } })()", r#"["DataCloneError",true]"#),
            ("new Error('what').stack.split('\\n')[0]", r#""Error: what""#),
        ],
    )
    .await;
}
