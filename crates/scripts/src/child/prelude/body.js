// Blobs, forms, and bodies of requests and responses.

const bytesIn = Symbol("bytes");

class Blob {
  #bytes;
  #type;
  constructor(parts = [], { type = "" } = {}) {
    this.#bytes = concat(
      [...parts].map((part) =>
        part instanceof Blob ? part[bytesIn]() : part instanceof ArrayBuffer || isView(part) ? bytesOf(part).slice() : encode(part),
      ),
    );
    this.#type = `${type}`.toLowerCase();
  }
  [bytesIn]() {
    return this.#bytes;
  }
  get size() {
    return this.#bytes.length;
  }
  get type() {
    return this.#type;
  }
  slice(start, end, type = "") {
    return new Blob([this.#bytes.slice(start, end)], { type });
  }
  async text() {
    return decode(this.#bytes);
  }
  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }
  async bytes() {
    return this.#bytes.slice();
  }
  stream() {
    return streamOf(this.#bytes);
  }
}

class File extends Blob {
  #name;
  #lastModified;
  constructor(parts, name, options = {}) {
    super(parts, options);
    this.#name = text(name);
    this.#lastModified = options.lastModified ?? now();
  }
  get name() {
    return this.#name;
  }
  get lastModified() {
    return this.#lastModified;
  }
}

class FormData {
  #entries = [];
  #entry(name, value, filename) {
    if (!(value instanceof Blob)) return [text(name), text(value)];
    if (value instanceof File && filename === undefined) return [text(name), value];
    return [text(name), new File([value], filename ?? "blob", { type: value.type })];
  }
  append(name, value, filename) {
    this.#entries.push(this.#entry(name, value, filename));
  }
  set(name, value, filename) {
    const entry = this.#entry(name, value, filename);
    const first = this.#entries.findIndex((known) => known[0] === entry[0]);
    if (first < 0) this.#entries.push(entry);
    else {
      this.#entries[first] = entry;
      this.#entries = this.#entries.filter((known, index) => index <= first || known[0] !== entry[0]);
    }
  }
  delete(name) {
    this.#entries = this.#entries.filter((known) => known[0] !== text(name));
  }
  get(name) {
    const found = this.#entries.find((known) => known[0] === text(name));
    return found ? found[1] : null;
  }
  getAll(name) {
    return this.#entries.filter((known) => known[0] === text(name)).map((known) => known[1]);
  }
  has(name) {
    return this.#entries.some((known) => known[0] === text(name));
  }
  forEach(callback, receiver) {
    for (const [name, value] of this) callback.call(receiver, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#entries) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#entries) yield name;
  }
  *values() {
    for (const [, value] of this.#entries) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}

const CRLF = "\r\n";
const quoted = (value) => value.replace(/\r\n|\r|\n/g, "%0D%0A").replace(/"/g, "%22");

const encodeForm = (form, boundary) => {
  const chunks = [];
  for (const [name, value] of form) {
    let head = `--${boundary}${CRLF}Content-Disposition: form-data; name="${quoted(name)}"`;
    if (value instanceof Blob) {
      head += `; filename="${quoted(value.name)}"${CRLF}Content-Type: ${value.type || "application/octet-stream"}`;
    }
    chunks.push(encode(head + CRLF + CRLF), value instanceof Blob ? value[bytesIn]() : encode(value), encode(CRLF));
  }
  chunks.push(encode(`--${boundary}--${CRLF}`));
  return concat(chunks);
};

/** Parses a form that is not one of ours. Each character of the text stands for a byte. */
const decodeForm = (bytes, boundary) => {
  const form = new FormData();
  const all = host.decodeBinary(base64(bytes));
  const unquoted = (value) => decode(binary(value)).replace(/%0D%0A/gi, CRLF).replace(/%22/g, '"');
  for (const part of `${CRLF}${all}`.split(`${CRLF}--${boundary}`).slice(1, -1)) {
    const end = part.indexOf(CRLF + CRLF);
    if (end < 0) throw new TypeError("The body is not a form.");
    const head = part.slice(0, end);
    const body = binary(part.slice(end + 4));
    const name = /[;\s]name="([^"]*)"/i.exec(head);
    const filename = /[;\s]filename="([^"]*)"/i.exec(head);
    const type = /^content-type:\s*(.*)$/im.exec(head);
    if (!name) throw new TypeError("A part of the form has no name.");
    if (!filename) form.append(unquoted(name[1]), decode(body));
    else form.append(unquoted(name[1]), new File([body], unquoted(filename[1]), { type: type ? type[1].trim() : "text/plain" }));
  }
  return form;
};
const binary = (value) => {
  const bytes = new Uint8Array(value.length);
  for (let index = 0; index < value.length; index += 1) bytes[index] = value.charCodeAt(index);
  return bytes;
};

const streamOf = (bytes) =>
  new ReadableStream({
    start(controller) {
      if (bytes.length) controller.enqueue(bytes);
      controller.close();
    },
  });

/** Splits what a script gives as a body into its content and its type. */
const extract = (body) => {
  if (body === null || body === undefined) return { content: null, type: null };
  if (body instanceof ReadableStream) {
    if (body.locked) throw new TypeError("The stream is locked.");
    return { content: body, type: null };
  }
  if (body instanceof FormData) {
    const boundary = `----form${host.randomText()}`;
    return { content: body, type: `multipart/form-data; boundary=${boundary}`, boundary };
  }
  if (body instanceof Blob) return { content: body[bytesIn](), type: body.type || null };
  if (body instanceof URLSearchParams) {
    return { content: encode(body.toString()), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  }
  if (body instanceof ArrayBuffer || isView(body)) return { content: bytesOf(body).slice(), type: null };
  return { content: encode(body), type: "text/plain;charset=UTF-8" };
};

const setBody = Symbol("set body");
const takeBytes = Symbol("take bytes");
const cloneBody = Symbol("clone body");

class Body {
  #content = null;
  #boundary = null;
  #isUsed = false;
  [setBody]({ content, boundary = null }) {
    this.#content = content;
    this.#boundary = boundary;
  }
  /** A body with the same content. A stream is split. */
  [cloneBody]() {
    if (this.bodyUsed) throw new TypeError("The body has been used.");
    if (!(this.#content instanceof ReadableStream)) return { content: this.#content, boundary: this.#boundary };
    const [mine, other] = this.#content.tee();
    this.#content = mine;
    return { content: other };
  }
  #use() {
    if (this.bodyUsed) throw new TypeError("The body has been used.");
    this.#isUsed = this.#content !== null;
  }
  async [takeBytes]() {
    this.#use();
    const content = this.#content;
    if (content === null) return new Uint8Array(0);
    if (content instanceof FormData) return encodeForm(content, this.#boundary);
    if (!(content instanceof ReadableStream)) return content;
    const chunks = [];
    for await (const chunk of content.values()) chunks.push(typeof chunk === "string" ? encode(chunk) : bytesOf(chunk));
    return concat(chunks);
  }
  get body() {
    if (this.#content === null || this.#content instanceof ReadableStream) return this.#content;
    const bytes = this.#content instanceof FormData ? encodeForm(this.#content, this.#boundary) : this.#content;
    this.#content = this.#isUsed ? new ReadableStream() : streamOf(bytes);
    return this.#content;
  }
  get bodyUsed() {
    return this.#isUsed || (this.#content instanceof ReadableStream && this.#content.locked);
  }
  async text() {
    const decoded = decode(await this[takeBytes]());
    return decoded.startsWith("\uFEFF") ? decoded.slice(1) : decoded;
  }
  async json() {
    return parse(await this.text());
  }
  async arrayBuffer() {
    return (await this[takeBytes]()).slice().buffer;
  }
  async bytes() {
    return (await this[takeBytes]()).slice();
  }
  async blob() {
    return new Blob([await this[takeBytes]()], { type: this.headers.get("content-type") ?? "" });
  }
  async formData() {
    if (this.#content instanceof FormData) {
      this.#use();
      const form = new FormData();
      for (const [name, value] of this.#content) form.append(name, value);
      return form;
    }
    const type = this.headers.get("content-type") ?? "";
    const boundary = /^multipart\/form-data\s*;.*boundary="?([^";]+)"?/i.exec(type);
    if (boundary) return decodeForm(await this[takeBytes](), boundary[1]);
    if (!/^application\/x-www-form-urlencoded\b/i.test(type)) throw new TypeError("The body is not a form.");
    const form = new FormData();
    for (const [name, value] of new URLSearchParams(await this.text())) form.append(name, value);
    return form;
  }
}

expose({ Blob, File, FormData });
