// Addresses. Parsing is the host's.

const urlOf = Symbol("url");

class URLSearchParams {
  #pairs = [];
  #url = null;
  constructor(init = "") {
    if (init !== null && typeof init === "object") {
      if (typeof init[Symbol.iterator] === "function") {
        for (const pair of init) {
          const [name, value, ...others] = pair;
          if (value === undefined || others.length) throw new TypeError("Each pair has a name and a value.");
          this.#pairs.push([text(name), text(value)]);
        }
      } else {
        for (const name of Object.keys(init)) this.#pairs.push([text(name), text(init[name])]);
      }
    } else {
      this.#parse(text(init));
    }
  }
  #parse(query) {
    const flat = host.parseQuery(query.startsWith("?") ? query.slice(1) : query);
    this.#pairs = [];
    for (let index = 0; index < flat.length; index += 2) this.#pairs.push([flat[index], flat[index + 1]]);
  }
  #changed() {
    if (this.#url) this.#url[urlOf](this.toString());
  }
  /** Ties the parameters to an address. */
  [urlOf](url, query) {
    this.#url = url;
    this.#parse(query);
  }
  get size() {
    return this.#pairs.length;
  }
  append(name, value) {
    this.#pairs.push([text(name), text(value)]);
    this.#changed();
  }
  delete(name, value) {
    const key = text(name);
    this.#pairs = this.#pairs.filter((pair) => pair[0] !== key || (value !== undefined && pair[1] !== text(value)));
    this.#changed();
  }
  get(name) {
    const key = text(name);
    const found = this.#pairs.find((pair) => pair[0] === key);
    return found ? found[1] : null;
  }
  getAll(name) {
    const key = text(name);
    return this.#pairs.filter((pair) => pair[0] === key).map((pair) => pair[1]);
  }
  has(name, value) {
    const key = text(name);
    return this.#pairs.some((pair) => pair[0] === key && (value === undefined || pair[1] === text(value)));
  }
  set(name, value) {
    const key = text(name);
    const first = this.#pairs.findIndex((pair) => pair[0] === key);
    if (first < 0) this.#pairs.push([key, text(value)]);
    else {
      this.#pairs[first] = [key, text(value)];
      this.#pairs = this.#pairs.filter((pair, index) => index <= first || pair[0] !== key);
    }
    this.#changed();
  }
  sort() {
    this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    this.#changed();
  }
  forEach(callback, receiver) {
    for (const [name, value] of this) callback.call(receiver, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#pairs) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#pairs) yield name;
  }
  *values() {
    for (const [, value] of this.#pairs) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return host.formatQuery(this.#pairs.flat());
  }
}

const PARTS = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];

class URL {
  #parts;
  #parameters = null;
  constructor(url, base) {
    this.#parts = host.parseUrl(text(url), base === undefined ? null : text(base));
    if (this.#parts === undefined) throw new TypeError(`Invalid URL: ${url}`);
  }
  static canParse(url, base) {
    return host.parseUrl(text(url), base === undefined ? null : text(base)) !== undefined;
  }
  static parse(url, base) {
    return URL.canParse(url, base) ? new URL(url, base) : null;
  }
  static part(url, index) {
    return url.#parts[index];
  }
  static setPart(url, name, value) {
    const parts = host.setUrlPart(url.#parts[0], name, text(value));
    if (parts === undefined) throw new TypeError(`Invalid URL: ${value}`);
    url.#parts = parts;
    if (url.#parameters) url.#parameters[urlOf](url, parts[9]);
  }
  get searchParams() {
    if (!this.#parameters) {
      this.#parameters = new URLSearchParams();
      this.#parameters[urlOf](this, this.#parts[9]);
    }
    return this.#parameters;
  }
  /** Takes a changed query from the parameters. */
  [urlOf](query) {
    this.#parts = host.setUrlPart(this.#parts[0], "search", query);
  }
  toString() {
    return this.#parts[0];
  }
  toJSON() {
    return this.#parts[0];
  }
}
{
  const { part, setPart } = URL;
  delete URL.part;
  delete URL.setPart;
  PARTS.forEach((name, index) => {
    Object.defineProperty(URL.prototype, name, {
      get() {
        return part(this, index);
      },
      set: name === "origin" ? undefined : function (value) {
        setPart(this, name, value);
      },
      enumerable: true,
      configurable: true,
    });
  });
}

expose({ URL, URLSearchParams });
