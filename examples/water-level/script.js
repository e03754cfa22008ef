// The level of a harbor, which a real integration would fetch from a gauge.
const LEVELS = { north: 4.2, south: 3.7 };

function level(harbor, environment) {
    const level = LEVELS[harbor];
    return level === undefined ? null : `${level} ${environment.secrets.UNIT}`;
}

/** Answers requests at the endpoint of an installation: `…/level?harbor=north`. */
function answer(event, environment) {
    const url = new URL(event.request.url);
    const found = level(url.searchParams.get('harbor'), environment);
    if (!url.pathname.endsWith('/level') || found === null) {
        return Response.json({ error: 'There is no such harbor.' }, { status: 404 });
    }
    return Response.json({ level: found });
}

/** Renders the block of a page, by elements of ContentKit. */
function render(event, environment) {
    const text = level(event.props.harbor, environment) ?? 'Choose a harbor.';
    const element = { type: 'block', children: [{ type: 'text', children: [text] }] };
    // Browsers keep the block for a minute.
    return Response.json({ type: 'element', element, state: {}, props: event.props }, { headers: { 'Cache-Control': 'max-age=60' } });
}

/** Reads the title of the space on which it was installed, with the token of the installation. */
async function greet(event, environment) {
    const response = await fetch(`${environment.apiEndpoint}/v1/spaces/${event.spaceId}`, {
        headers: { Authorization: `Bearer ${environment.apiTokens.installation}` },
    });
    const space = await response.json();
    console.info(`Shows water levels in "${space.title}".`);
    return new Response('OK');
}

export default {
    async fetch(request) {
        const form = await request.formData();
        const event = JSON.parse(form.get('event'));
        const environment = JSON.parse(form.get('environment'));
        switch (event.type) {
            case 'fetch':
                return answer(event, environment);
            case 'ui_render':
                return render(event, environment);
            case 'space_installation_setup':
                return greet(event, environment);
            default:
                // Not interested: the event counts as delivered.
                return new Response('', { status: 406 });
        }
    },
};
