//! Events of both runtimes, their answers, and what comes after them.

use std::sync::Arc;

use scripts::{LogLevel, Reason, ScriptRuntime};

use crate::support::{Echo, answer_of, complete, event, failure, module, run, scripts};

#[tokio::test]
async fn event_arrives_as_form() {
    let script = module(
        "const form = await request.formData();
         const file = form.get('fetch-body');
         return Response.json({
           method: request.method, path: new URL(request.url).pathname, event: form.get('event'),
           secret: JSON.parse(form.get('environment')).secrets.KEY,
           body: await file.text(), isFile: file instanceof File,
           type: request.headers.get('content-type').startsWith('multipart/form-data; boundary='),
         });",
    );
    let mut event = event(&script);
    event.event = r#"{"type": "fetch",  "eventId":"é"}"#.into();
    event.fetch_body = Some(b"posted".to_vec());
    let (answer, _) = complete(&scripts(), event).await;
    let text = String::from_utf8(answer.body).unwrap();
    assert_eq!(
        text,
        r#"{"method":"POST","path":"/v1","event":"{\"type\": \"fetch\",  \"eventId\":\"é\"}","secret":"secret","body":"posted","isFile":true,"type":true}"#
    );
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.headers,
        [("content-type".to_owned(), "application/json".to_owned())]
    );
}

#[tokio::test]
async fn no_body_is_no_file() {
    assert_eq!(
        answer_of("return new Response(String((await request.formData()).get('fetch-body')));").await,
        "null"
    );
}

#[tokio::test]
async fn cookies_are_not_joined() {
    let script = module(
        "const headers = new Headers({ 'X-One': 'a' });
         headers.append('x-one', 'b');
         headers.append('Set-Cookie', 'a=1; Path=/');
         headers.append('set-cookie', 'b=2');
         return new Response(null, { status: 204, headers });",
    );
    let (answer, _) = complete(&scripts(), event(&script)).await;
    assert_eq!(answer.status, 204);
    let headers: Vec<_> = answer
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(
        headers,
        [("set-cookie", "a=1; Path=/"), ("set-cookie", "b=2"), ("x-one", "a, b")]
    );
    assert!(answer.body.is_empty());
}

#[tokio::test]
async fn status_is_that_of_the_script() {
    let (answer, _) = complete(
        &scripts(),
        event(&module("return new Response('no', { status: 406 });")),
    )
    .await;
    assert_eq!((answer.status, answer.body.as_slice()), (406, b"no".as_slice()));
}

#[tokio::test]
async fn classic_script_answers() {
    let mut event = event(
        "var seen = 0;
         addEventListener('fetch', (event) => {
           event.waitUntil(Promise.resolve());
           event.respondWith((async () => new Response((await event.request.formData()).get('event') + ++seen))());
         });",
    );
    event.runtime = ScriptRuntime::V1;
    let scripts = scripts();
    for seen in 1..=2 {
        let (answer, finished) = complete(&scripts, event.clone()).await;
        assert_eq!(finished.failure, None);
        assert_eq!(
            String::from_utf8(answer.body).unwrap(),
            format!("{}{seen}", event.event)
        );
    }
}

#[tokio::test]
async fn logs_come_with_the_end() {
    let script = module(
        "console.log('one', { a: [1, 'b'] }); console.warn('two'); console.error(new TypeError('three')); console.debug(4n);
         return new Response();",
    );
    let (_, finished) = complete(&scripts(), event(&script)).await;
    let logs: Vec<_> = finished
        .logs
        .iter()
        .map(|log| (log.level, log.message.as_str()))
        .collect();
    assert_eq!(logs[0], (LogLevel::Info, "one {\"a\":[1,\"b\"]}"));
    assert_eq!(logs[1], (LogLevel::Warn, "two"));
    assert_eq!(logs[2].0, LogLevel::Error);
    assert!(
        logs[2].1.starts_with("TypeError: three\n    at fetch (script.js:1:"),
        "{}",
        logs[2].1
    );
    assert_eq!(logs[3], (LogLevel::Debug, "4"));
    assert!(finished.logs[0].timestamp > 1_600_000_000_000);
}

#[tokio::test]
async fn error_of_a_script_is_its_message() {
    let scripts = scripts();
    let failed = failure(
        &scripts,
        event(&module("console.log('before'); throw new RangeError('broken');")),
    )
    .await;
    let Reason::Script(message) = failed.reason else {
        panic!("{:?}", failed.reason);
    };
    assert!(
        message.starts_with("RangeError: broken\n    at fetch (script.js:"),
        "{message}"
    );
    assert_eq!(failed.logs[0].message, "before");
}

#[tokio::test]
async fn script_that_cannot_be_loaded_fails() {
    for (script, expected) in [
        ("export default {", "SyntaxError"),
        ("throw new Error('while loading');", "while loading"),
        (
            "export const other = 1;",
            "The default export of the script has no function `fetch`.",
        ),
        ("import 'node:fs'; export default {};", "node:fs"),
        (
            "await new Promise(() => {}); export default {};",
            "The script waits while it is loaded.",
        ),
    ] {
        let failed = failure(&scripts(), event(script)).await;
        assert!(
            matches!(&failed.reason, Reason::Script(message) if message.contains(expected)),
            "{script}: {failed:?}"
        );
    }
}

#[tokio::test]
async fn answer_has_to_be_a_response() {
    let failed = failure(&scripts(), event(&module("return 'text';"))).await;
    assert!(matches!(failed.reason, Reason::Script(message) if message.contains("did not return a Response")));
}

#[tokio::test]
async fn answer_comes_before_the_rest() {
    let script = module(
        "ctx.waitUntil((async () => {
           await fetch('https://example.com/never', { signal: AbortSignal.timeout(200) }).catch((error) => console.log(error.name));
           ctx.waitUntil(Promise.resolve().then(() => console.log('last')));
         })());
         console.log('first');
         return new Response('early');",
    );
    let scripts = scripts();
    let (answer, rest) = run(&scripts, event(&script)).await.unwrap();
    assert_eq!(answer.body, b"early");
    let finished = rest.finish().await;
    let messages: Vec<_> = finished.logs.into_iter().map(|log| log.message).collect();
    assert_eq!(messages, ["first", "TimeoutError", "last"]);
    assert_eq!(finished.failure, None);
}

#[tokio::test]
async fn rest_that_fails_is_a_failure() {
    let script = module("ctx.waitUntil(Promise.reject(new Error('later'))); return new Response('early');");
    let (answer, finished) = complete(&scripts(), event(&script)).await;
    assert_eq!(answer.body, b"early");
    assert!(matches!(finished.failure, Some(Reason::Script(message)) if message.starts_with("Error: later")));
}

#[tokio::test]
async fn promise_that_is_never_settled_ends_the_event() {
    let failed = failure(&scripts(), event(&module("await new Promise(() => {});"))).await;
    assert!(matches!(failed.reason, Reason::Script(message) if message.contains("never be settled")));
}

#[tokio::test]
async fn requests_leave_through_the_parent() {
    let script = module(
        "const response = await fetch('https://example.com/a?b#c', { method: 'post', headers: { Authorization: 'Bearer x' }, body: new URLSearchParams({ d: 'é' }) });
         return Response.json([response.status, response.ok, response.url, response.headers.getSetCookie(), await response.text()]);",
    );
    let echo = Arc::new(Echo::default());
    let (answer, _) = scripts().run(event(&script), Arc::clone(&echo) as _).await.unwrap();
    assert_eq!(
        String::from_utf8(answer.body).unwrap(),
        r#"[201,true,"https://example.com/a?b#c",["a=1","b=2"],"POST https://example.com/a?b d=%C3%A9"]"#
    );
    let requests = echo.requests.lock().unwrap();
    assert_eq!(
        requests[0].headers,
        [
            ("authorization".to_owned(), "Bearer x".to_owned()),
            (
                "content-type".to_owned(),
                "application/x-www-form-urlencoded;charset=UTF-8".to_owned()
            ),
        ]
    );
}

#[tokio::test]
async fn requests_that_fail_reject() {
    let body = "try { await fetch('https://example.com/fails'); } catch (error) { return new Response(`${error}`); }";
    assert_eq!(
        answer_of(body).await,
        "TypeError: fetch failed: the address is not allowed"
    );
    let body = "try { await fetch('file:///etc/passwd'); } catch (error) { return new Response(`${error.message}`); }";
    assert_eq!(
        answer_of(body).await,
        "fetch failed: the scheme of file:///etc/passwd is neither http nor https."
    );
}

#[tokio::test]
async fn redirects_leave_credentials_behind() {
    let script = module(
        "const response = await fetch('https://example.com/redirect', { method: 'POST', body: 'b', headers: { authorization: 'secret', accept: 'x/y' } });
         const manual = await fetch('https://example.com/redirect', { redirect: 'manual' });
         return new Response([response.redirected, response.url, await response.text(), manual.status].join(' '));",
    );
    let echo = Arc::new(Echo::default());
    let (answer, _) = scripts().run(event(&script), Arc::clone(&echo) as _).await.unwrap();
    assert_eq!(
        String::from_utf8(answer.body).unwrap(),
        "true https://other.example/target GET https://other.example/target  302"
    );
    let headers = echo.requests.lock().unwrap()[1].headers.clone();
    assert_eq!(headers, [("accept".to_owned(), "x/y".to_owned())]);
}

#[tokio::test]
async fn late_replies_are_dropped() {
    let script = "let count = 0;
         export default { async fetch(request, env, ctx) {
           count += 1;
           if (count === 1) { fetch('https://example.com/late').then(() => console.log('late')); return new Response('1'); }
           const response = await fetch('https://example.com/second');
           return new Response(await response.text());
         } };";
    let scripts = scripts();
    let (answer, first) = complete(&scripts, event(script)).await;
    assert_eq!(answer.body, b"1");
    let (answer, second) = complete(&scripts, event(script)).await;
    assert_eq!(answer.body, b"GET https://example.com/second ");
    assert!(first.logs.is_empty() && second.logs.is_empty());
}

#[tokio::test]
async fn timers_run_in_order() {
    let body = "const order = [];
         await new Promise((resolve) => {
           setTimeout(() => order.push('b'), 10);
           setTimeout(resolve, 20);
           setTimeout((value) => order.push(value), 1, 'a');
           clearTimeout(setTimeout(() => order.push('c'), 1));
         });
         return new Response(order.join(''));";
    assert_eq!(answer_of(body).await, "ab");
}

#[tokio::test]
async fn timers_end_with_the_event() {
    let script = "let count = 0;
         export default { async fetch() {
           const before = count;
           if (before === 0) setInterval(() => { count += 1; }, 1);
           await new Promise((resolve) => setTimeout(resolve, 30));
           return Response.json({ before, after: count });
         } };";
    let scripts = scripts();
    let (first, _) = complete(&scripts, event(script)).await;
    let first: serde_json::Value = serde_json::from_slice(&first.body).unwrap();
    assert_ne!(first["after"], 0);
    let (second, _) = complete(&scripts, event(script)).await;
    let second: serde_json::Value = serde_json::from_slice(&second.body).unwrap();
    assert_eq!(
        [&second["before"], &second["after"]],
        [&first["after"], &first["after"]]
    );
}
