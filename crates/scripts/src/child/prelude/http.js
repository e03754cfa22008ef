// Headers, requests, responses, and `fetch`.

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const normalName = (name) => {
  const checked = text(name);
  if (!TOKEN.test(checked)) throw new TypeError(`Invalid header name: ${checked}`);
  return checked.toLowerCase();
};
const normalValue = (value) => {
  const checked = text(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  if (/[\0\r\n]/.test(checked)) throw new TypeError("Invalid header value");
  return checked;
};

class Headers {
  #list = [];
  constructor(init) {
    if (init === undefined || init === null) return;
    if (typeof init !== "object") throw new TypeError("Headers are made from an object or from pairs.");
    const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.keys(init).map((name) => [name, init[name]]);
    for (const [name, value] of pairs) this.append(name, value);
  }
  append(name, value) {
    this.#list.push([normalName(name), normalValue(value)]);
  }
  delete(name) {
    const key = normalName(name);
    this.#list = this.#list.filter((header) => header[0] !== key);
  }
  get(name) {
    const key = normalName(name);
    const values = this.#list.filter((header) => header[0] === key).map((header) => header[1]);
    return values.length ? values.join(", ") : null;
  }
  getSetCookie() {
    return this.#list.filter((header) => header[0] === "set-cookie").map((header) => header[1]);
  }
  has(name) {
    const key = normalName(name);
    return this.#list.some((header) => header[0] === key);
  }
  set(name, value) {
    const header = [normalName(name), normalValue(value)];
    const first = this.#list.findIndex((known) => known[0] === header[0]);
    if (first < 0) this.#list.push(header);
    else {
      this.#list[first] = header;
      this.#list = this.#list.filter((known, index) => index <= first || known[0] !== header[0]);
    }
  }
  forEach(callback, receiver) {
    for (const [name, value] of this) callback.call(receiver, value, name, this);
  }
  *entries() {
    const names = [...new Set(this.#list.map((header) => header[0]))].sort();
    for (const name of names) {
      if (name === "set-cookie") for (const cookie of this.getSetCookie()) yield [name, cookie];
      else yield [name, this.get(name)];
    }
  }
  *keys() {
    for (const [name] of this.entries()) yield name;
  }
  *values() {
    for (const [, value] of this.entries()) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}

const NORMAL_METHODS = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH"]);

class Request extends Body {
  #method = "GET";
  #url;
  #headers;
  #signal;
  #redirect = "follow";
  constructor(input, init = {}) {
    super();
    const from = input instanceof Request ? input : null;
    if (from) {
      this.#method = from.method;
      this.#redirect = from.redirect;
      this.#url = from.url;
    } else {
      this.#url = new URL(input).href;
    }
    if (init.method !== undefined) {
      const method = text(init.method);
      if (!TOKEN.test(method)) throw new TypeError(`Invalid method: ${method}`);
      this.#method = NORMAL_METHODS.has(method.toUpperCase()) ? method.toUpperCase() : method;
    }
    if (init.redirect !== undefined) {
      if (!["follow", "error", "manual"].includes(init.redirect)) throw new TypeError(`Invalid redirect: ${init.redirect}`);
      this.#redirect = init.redirect;
    }
    this.#headers = new Headers(init.headers ?? (from ? from.headers : undefined));
    this.#signal = init.signal ?? (from ? from.signal : new AbortSignal());
    const hasBody = init.body !== undefined && init.body !== null;
    if (hasBody && (this.#method === "GET" || this.#method === "HEAD")) {
      throw new TypeError("Requests with method GET or HEAD have no body.");
    }
    if (hasBody) {
      const extracted = extract(init.body);
      this[setBody](extracted);
      if (extracted.type && !this.#headers.has("content-type")) this.#headers.set("content-type", extracted.type);
    } else if (from) {
      this[setBody](from[cloneBody]());
    }
  }
  get method() {
    return this.#method;
  }
  get url() {
    return this.#url;
  }
  get headers() {
    return this.#headers;
  }
  get signal() {
    return this.#signal;
  }
  get redirect() {
    return this.#redirect;
  }
  clone() {
    if (this.bodyUsed) throw new TypeError("The body has been used.");
    return new Request(this);
  }
}

const NULL_BODY = new Set([101, 204, 205, 304]);
const setUrl = Symbol("set url");

class Response extends Body {
  #status;
  #statusText;
  #headers;
  #url = "";
  #redirected = false;
  #type = "default";
  constructor(body = null, { status = 200, statusText = "", headers } = {}) {
    super();
    const code = Number(status) | 0;
    if (!(code >= 200 && code <= 599)) throw new RangeError("The status has to be from 200 to 599.");
    this.#status = code;
    this.#statusText = text(statusText);
    this.#headers = new Headers(headers);
    const extracted = extract(body);
    if (extracted.content !== null && NULL_BODY.has(code)) throw new TypeError(`A response with status ${code} has no body.`);
    this[setBody](extracted);
    if (extracted.type && !this.#headers.has("content-type")) this.#headers.set("content-type", extracted.type);
  }
  static json(value, init = {}) {
    const body = stringify(value);
    if (body === undefined) throw new TypeError("The value has no JSON form.");
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new Response(body, { ...init, headers });
  }
  static redirect(url, status = 302) {
    if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError(`Invalid status of a redirect: ${status}`);
    return new Response(null, { status, headers: { location: new URL(url).href } });
  }
  static error() {
    const response = new Response();
    response.#type = "error";
    response.#status = 0;
    return response;
  }
  [setUrl](url, redirected, type) {
    this.#url = url;
    this.#redirected = redirected;
    this.#type = type;
  }
  get status() {
    return this.#status;
  }
  get statusText() {
    return this.#statusText;
  }
  get ok() {
    return this.#status >= 200 && this.#status <= 299;
  }
  get headers() {
    return this.#headers;
  }
  get url() {
    return this.#url;
  }
  get redirected() {
    return this.#redirected;
  }
  get type() {
    return this.#type;
  }
  clone() {
    const copy = new Response(null, { status: this.#status || 200, statusText: this.#statusText, headers: this.#headers });
    copy.#status = this.#status;
    copy[setBody](this[cloneBody]());
    copy[setUrl](this.#url, this.#redirected, this.#type);
    return copy;
  }
}

// Requests that the parent has not answered yet, by number. The number never comes again in a runtime.

const requests = new Map();
let lastRequest = 0;

const exchange = (method, url, headers, bytes, signal) => {
  if (!inEvent) throw new TypeError("fetch() can only be used while an event is handled.");
  signal.throwIfAborted();
  const pending = Promise.withResolvers();
  lastRequest += 1;
  const id = lastRequest;
  requests.set(id, pending);
  signal.addEventListener("abort", () => {
    if (requests.delete(id)) pending.reject(signal.reason);
  });
  host.fetch(id, method, url, [...headers].flat().map(text), base64(bytes));
  return pending.promise;
};

const reply = (id, status, headers, body) => {
  const pending = requests.get(id);
  if (!pending) return;
  requests.delete(id);
  if (status < 0) pending.reject(new TypeError(`fetch failed: ${headers[0]}`));
  else pending.resolve({ status, headers, bytes: new Uint8Array(body) });
};

const MAX_REDIRECTS = 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const fetch = async (input, init) => {
  const request = new Request(input, init);
  const { signal } = request;
  let { url, method } = request;
  let bytes = await request[takeBytes]();
  const headers = new Headers(request.headers);
  for (let redirects = 0; ; redirects += 1) {
    if (!/^https?:/.test(url)) throw new TypeError(`fetch failed: the scheme of ${url} is neither http nor https.`);
    const answer = await exchange(method, url.replace(/#.*$/s, ""), headers, bytes, signal);
    const pairs = [];
    for (let index = 0; index < answer.headers.length; index += 2) pairs.push([answer.headers[index], answer.headers[index + 1]]);
    const response = new Response(NULL_BODY.has(answer.status) ? null : answer.bytes, { status: answer.status, headers: pairs });
    response[setUrl](url, redirects > 0, "basic");
    const location = REDIRECTS.has(answer.status) ? response.headers.get("location") : null;
    if (location === null || request.redirect === "manual") return response;
    if (request.redirect === "error") throw new TypeError("fetch failed: the response is a redirect.");
    if (redirects === MAX_REDIRECTS) throw new TypeError("fetch failed: too many redirects.");
    const next = new URL(location, url);
    if ((answer.status <= 302 && method === "POST") || (answer.status === 303 && method !== "GET" && method !== "HEAD")) {
      method = "GET";
      bytes = new Uint8Array(0);
      for (const name of ["content-type", "content-length", "content-encoding", "content-language", "content-location"]) headers.delete(name);
    }
    // Credentials stay with the origin that they are for.
    if (next.origin !== new URL(url).origin) for (const name of ["authorization", "cookie", "proxy-authorization"]) headers.delete(name);
    url = next.href;
  }
};

expose({ Headers, Request, Response, fetch });
