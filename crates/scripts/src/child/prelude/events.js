// Events: what the host calls.

let inEvent = false;
let handler = null;
let waiting = [];

const fail = (error) => {
  // The engine throws `null` where there is no memory for an error.
  if (error === null) host.fail("out of memory");
  else host.fail(text(error instanceof Error || error instanceof DOMException ? describeError(error) : inspect(error)));
};

/** Takes the script: the default export of a module, or what a classic script has registered. */
const load = (isModule, exported) => {
  if (!isModule) {
    delete globalThis.addEventListener;
    if (!handler) throw new TypeError("The script does not call addEventListener('fetch', …).");
    return;
  }
  const entry = exported?.fetch;
  if (typeof entry !== "function") throw new TypeError("The default export of the script has no function `fetch`.");
  handler = (request, context) => entry.call(exported, request, {}, context);
};

/** For classic scripts. */
const addEventListener = (type, listener) => {
  if (`${type}` !== "fetch") return;
  if (typeof listener !== "function") throw new TypeError("The listener is not a function.");
  handler = (request, context) => {
    let answer;
    listener({
      type: "fetch",
      request,
      respondWith: (response) => void (answer = response),
      waitUntil: context.waitUntil,
      passThroughOnException: context.passThroughOnException,
    });
    if (answer === undefined) throw new TypeError("The listener did not call respondWith().");
    return answer;
  };
};

/** Waits for the promises of `waitUntil`, those that come meanwhile too. */
const finish = async () => {
  let failed = null;
  while (waiting.length) {
    for (const result of await Promise.allSettled(waiting.splice(0))) {
      if (result.status === "rejected") failed ??= { error: result.reason };
    }
  }
  if (failed) fail(failed.error);
  else host.done();
};

const start = async (event, environment, body) => {
  inEvent = true;
  waiting = [];
  try {
    const form = new FormData();
    form.set("event", event);
    form.set("environment", environment);
    if (body) form.set("fetch-body", new File([body], "fetch-body", { type: "application/octet-stream" }));
    const request = new Request("https://integration.invalid/v1", { method: "POST", body: form });
    const context = {
      waitUntil: (promise) => void waiting.push(Promise.resolve(promise)),
      passThroughOnException: () => {},
    };
    const response = await handler(request, context);
    if (!(response instanceof Response)) throw new TypeError("The script did not return a Response.");
    const bytes = await response[takeBytes]();
    host.answer(response.status, [...response.headers].flat().map(text), base64(bytes));
  } catch (error) {
    fail(error);
    return;
  }
  await finish();
};

/** Forgets what an event left behind. */
const end = () => {
  inEvent = false;
  waiting = [];
  timers.clear();
  requests.clear();
  counters.clear();
  started.clear();
};

expose({ addEventListener });

return { load, start, reply, runTimer, waits, end };
