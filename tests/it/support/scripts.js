// What the tests of running scripts publish. The last segment of a path says what to do.
function base64url(bytes) {
    return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function sign(claims, secret) {
    const encoder = new TextEncoder();
    const part = (value) => base64url(encoder.encode(JSON.stringify(value)));
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
    const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(signed));
    return `${signed}.${base64url(new Uint8Array(signature))}`;
}

async function tell(url, init) {
    try {
        const response = await fetch(url, init);
        return Response.json({ status: response.status, text: await response.text() });
    } catch (error) {
        return Response.json({ error: String(error) });
    }
}

function pair() {
    const headers = new Headers({ 'Clear-Site-Data': '"*"', 'Content-Language': 'nl', Connection: 'close' });
    for (const name of ['X-Accel-Redirect', 'X-Sendfile', 'X-LiteSpeed-Location', 'WWW-Authenticate', 'Set-Cookie2', 'Via', 'Age', 'Server', 'X-Note']) {
        headers.set(name, '/of/a/script');
    }
    headers.append('Set-Cookie', 'one=1; Path=/; HttpOnly; SameSite=Lax');
    headers.append('Set-Cookie', 'two=2; Domain=tidewater.example; Max-Age=60');
    headers.append('Set-Cookie', '__Host-bindery=stolen; Path=/; Secure');
    return new Response('two cookies', { headers });
}

// Changes what all code of a runtime shares.
function pollute() {
    const response = new Response('polluted');
    Object.prototype.polluted = 'by a script';
    JSON.parse = () => ({ type: 'fetch', request: { url: 'https://tidewater.example/echo' } });
    globalThis.FormData = globalThis.Headers = globalThis.Response = globalThis.URL = undefined;
    return response;
}

async function answer(event, environment, body) {
    const url = new URL(event.request.url);
    const { apiEndpoint, apiTokens, secrets } = environment;
    const id = (installation, member) => (installation ? installation[member] : null);
    switch (url.pathname.split('/').pop()) {
        case 'echo':
            return Response.json({
                event,
                body: body ? await body.text() : null,
                installation: id(environment.installation, 'id'),
                space: id(environment.spaceInstallation, 'space'),
                site: id(environment.siteInstallation, 'site'),
                secrets,
                network: environment.network,
                polluted: {}.polluted ?? null,
            });
        case 'cookies':
            return pair();
        case 'loop':
            for (;;);
        case 'memory':
            for (const all = []; ; ) all.push(new Uint8Array(5e6).fill(1));
        case 'log':
            console.warn('low water');
            return new Response('logged');
        case 'regexp':
            return Response.json({ matches: /^(a+)+$/.test(`${'a'.repeat(64)}b`) });
        case 'pollute':
            return pollute();
        case 'spin':
            // Says that it has begun. The breaks keep each turn below the limit, so that all CPU time of the event is used.
            await fetch(url.searchParams.get('url'));
            for (;;) {
                await new Promise((resolve) => setTimeout(resolve, 0));
                for (let i = 0; i < 1e5; i += 1);
            }
        case 'throw':
            throw new Error('what the script knows');
        case 'space': {
            const headers = { Authorization: `Bearer ${apiTokens.installation}` };
            return tell(`${apiEndpoint}/v1/spaces/${url.searchParams.get('id')}`, { headers });
        }
        case 'fetch':
            return tell(url.searchParams.get('url'), { redirect: 'follow' });
        default:
            return new Response('', { status: 406 });
    }
}

function render(event) {
    if (event.componentId === 'broken') {
        return Response.json({ element: 'none' });
    }
    const { componentId, props, state, context, action, auth } = event;
    const seen = { props, state, context, action, auth: auth ?? null, spaceId: event.spaceId ?? null };
    const output = { element: { type: 'block', children: [null, { type: 'text', children: [JSON.stringify(seen)] }] } };
    const headers = componentId === 'kept' ? { 'Cache-Control': 'public, max-age=300' } : {};
    return Response.json({ ...output, state: { seen: true }, props }, { headers });
}

// Pages of the harbors that the source names, each with a page about its tides.
function harbors(event, environment) {
    const { harbors, fails } = event.props;
    if (fails) {
        throw new Error('there are no harbors');
    }
    const type = `integration:${environment.integration.name}:${event.sourceId}`;
    const page = (id, title, pages) => ({ id, type: 'document', title, pages, computed: { type, props: { id }, dependencies: {} } });
    return { pages: harbors.map((harbor) => page(harbor, `Harbor ${harbor}`, [page(`${harbor}-tides`, 'Tides', [])])), files: [] };
}

function harbor(event) {
    const leaves = [{ object: 'leaf', text: `Water of ${event.props.id}.`, marks: [] }];
    const paragraph = { object: 'block', type: 'paragraph', isVoid: false, data: {}, nodes: [{ object: 'text', leaves }] };
    return { document: { object: 'document', data: {}, nodes: [paragraph] } };
}

async function signIn(event, environment) {
    const exp = Number(event.searchParams.exp);
    const token = await sign({ exp, name: 'Ada' }, environment.signingSecrets.siteInstallation);
    const { location, action } = event;
    return Response.json({ location, action, token }, { headers: { 'Set-Cookie': 'verifier=1; Path=/' } });
}

export default {
    async fetch(request) {
        const form = await request.formData();
        const event = JSON.parse(form.get('event'));
        const environment = JSON.parse(form.get('environment'));
        switch (event.type) {
            case 'fetch':
                return answer(event, environment, form.get('fetch-body'));
            case 'ui_render':
                return render(event);
            case 'content_compute_revision':
                return Response.json(harbors(event, environment));
            case 'content_compute_document':
                return Response.json(harbor(event));
            case 'fetch_published_script':
                return new Response('console.info("on the site");', {
                    headers: { 'Content-Type': 'application/javascript', 'Cache-Control': 'max-age=604800' },
                });
            case 'fetch_visitor_authentication':
                return signIn(event, environment);
            default:
                return new Response('', { status: 406 });
        }
    },
};
