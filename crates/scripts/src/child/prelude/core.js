// Texts, events, timers and the console. Everything here holds built-ins as they were before the script ran.

const { Array, ArrayBuffer, Date, Error, Map, Math, Number, Object, Promise, RangeError, Set, String, Symbol, TypeError, Uint8Array, DOMException } =
  globalThis;
const { stringify, parse } = JSON;
const now = Date.now;
const isView = ArrayBuffer.isView;
const call = Function.prototype.call;
const toWellFormed = call.bind(String.prototype.toWellFormed);
const toBase64 = call.bind(Uint8Array.prototype.toBase64);
const fromCharCode = String.fromCharCode;

/** A text without halves of surrogate pairs, as the host takes it. */
const text = (value) => toWellFormed(`${value}`);
const bytesOf = (value) => {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError("The value is neither an ArrayBuffer nor a view of one.");
};
const base64 = (bytes) => toBase64(bytes);
const encode = (value) => new Uint8Array(host.encode(text(value)));
const decode = (bytes) => host.decode(base64(bytes), false);
const concat = (chunks) => {
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
};
const tag = (constructor, name) =>
  Object.defineProperty(constructor.prototype, Symbol.toStringTag, { value: name, configurable: true });
const expose = (members) => {
  for (const name of Object.keys(members)) {
    Object.defineProperty(globalThis, name, { value: members[name], writable: true, configurable: true, enumerable: false });
    if (typeof members[name] === "function" && members[name].prototype) tag(members[name], name);
  }
};

class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(value = "") {
    return encode(value);
  }
  encodeInto(value, target) {
    let read = 0;
    let written = 0;
    for (const character of text(value)) {
      const bytes = encode(character);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      read += character.length;
      written += bytes.length;
    }
    return { read, written };
  }
}

const LABELS = new Map([
  ...["utf-8", "utf8", "unicode-1-1-utf-8"].map((label) => [label, "utf-8"]),
  ...["ascii", "us-ascii", "latin1", "iso-8859-1", "windows-1252"].map((label) => [label, "windows-1252"]),
]);

/** Bytes at the end that may be the start of a character. */
const incomplete = (bytes) => {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back];
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
};

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBom;
  #rest = new Uint8Array(0);
  #started = false;
  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    this.#encoding = LABELS.get(`${label}`.trim().toLowerCase());
    if (!this.#encoding) throw new RangeError(`The encoding ${label} is not supported.`);
    this.#fatal = Boolean(fatal);
    this.#ignoreBom = Boolean(ignoreBOM);
  }
  get encoding() {
    return this.#encoding;
  }
  get fatal() {
    return this.#fatal;
  }
  get ignoreBOM() {
    return this.#ignoreBom;
  }
  decode(input = new Uint8Array(0), { stream = false } = {}) {
    let bytes = bytesOf(input);
    if (this.#encoding === "windows-1252") return host.decodeLatin1(base64(bytes));
    if (this.#rest.length) bytes = concat([this.#rest, bytes]);
    const kept = stream ? incomplete(bytes) : 0;
    this.#rest = bytes.slice(bytes.length - kept);
    let decoded = host.decode(base64(bytes.subarray(0, bytes.length - kept)), this.#fatal);
    if (decoded === undefined) throw new TypeError("The encoded data was not valid for encoding utf-8.");
    if (!this.#started && !this.#ignoreBom && decoded.startsWith("\uFEFF")) decoded = decoded.slice(1);
    this.#started = stream && (this.#started || decoded.length > 0);
    return decoded;
  }
}

class Event {
  constructor(type, { bubbles = false, cancelable = false } = {}) {
    this.type = `${type}`;
    this.bubbles = Boolean(bubbles);
    this.cancelable = Boolean(cancelable);
    this.defaultPrevented = false;
    this.target = null;
    this.currentTarget = null;
    this.timeStamp = now();
  }
  preventDefault() {
    this.defaultPrevented = this.cancelable;
  }
  stopPropagation() {}
  stopImmediatePropagation() {
    this.stopped = true;
  }
}

class EventTarget {
  #listeners = [];
  addEventListener(type, listener, options) {
    if (!listener || this.#listeners.some((known) => known.type === type && known.listener === listener)) return;
    this.#listeners.push({ type, listener, once: Boolean(options && options.once) });
  }
  removeEventListener(type, listener) {
    this.#listeners = this.#listeners.filter((known) => known.type !== type || known.listener !== listener);
  }
  dispatchEvent(event) {
    event.target = this;
    event.currentTarget = this;
    const handler = this[`on${event.type}`];
    if (typeof handler === "function") handler.call(this, event);
    for (const { type, listener, once } of [...this.#listeners]) {
      if (type !== event.type || event.stopped) continue;
      if (once) this.removeEventListener(type, listener);
      if (typeof listener === "function") listener.call(this, event);
      else listener.handleEvent(event);
    }
    return !event.defaultPrevented;
  }
}

const abortSignal = Symbol("abort");

class AbortSignal extends EventTarget {
  aborted = false;
  reason = undefined;
  onabort = null;
  static abort(reason) {
    const signal = new AbortSignal();
    signal[abortSignal](reason);
    return signal;
  }
  static timeout(milliseconds) {
    const signal = new AbortSignal();
    setTimeout(() => signal[abortSignal](new DOMException("The operation timed out.", "TimeoutError")), milliseconds);
    return signal;
  }
  static any(signals) {
    const joined = new AbortSignal();
    for (const signal of signals) {
      if (signal.aborted) joined[abortSignal](signal.reason);
      else signal.addEventListener("abort", () => joined[abortSignal](signal.reason));
    }
    return joined;
  }
  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }
  [abortSignal](reason = new DOMException("The operation was aborted.", "AbortError")) {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.dispatchEvent(new Event("abort"));
  }
}

class AbortController {
  signal = new AbortSignal();
  abort(reason) {
    this.signal[abortSignal](reason);
  }
}

// Timers. Those of an event end with it.

const timers = new Map();
let lastTimer = 0;
const startTimer = (callback, delay, every, values) => {
  if (!inEvent) throw new TypeError("Timers can only be used while an event is handled.");
  if (timers.size >= 1000) throw new RangeError("An event has at most 1,000 timers.");
  const wait = Math.max(every ? 1 : 0, Number(delay) || 0);
  lastTimer += 1;
  timers.set(lastTimer, { callback, values, due: now() + wait, every: every ? wait : null });
  return lastTimer;
};
const setTimeout = (callback, delay, ...values) => startTimer(callback, delay, false, values);
const setInterval = (callback, delay, ...values) => startTimer(callback, delay, true, values);
const clearTimeout = (timer) => void timers.delete(timer);

/** Milliseconds until the next timer; -1: only requests are open; -2: nothing is. */
const waits = () => {
  let due = Infinity;
  for (const timer of timers.values()) due = Math.min(due, timer.due);
  if (due === Infinity) return requests.size ? -1 : -2;
  return Math.max(0, due - now());
};

/** Runs the timer that has been due the longest. */
const runTimer = () => {
  const time = now();
  let next = null;
  for (const [id, timer] of timers) {
    if (timer.due <= time && (next === null || timer.due < next[1].due)) next = [id, timer];
  }
  if (next === null) return;
  const [id, timer] = next;
  if (timer.every === null) timers.delete(id);
  else timer.due = time + timer.every;
  try {
    if (typeof timer.callback === "function") timer.callback(...timer.values);
  } catch (error) {
    log("error", [error]);
  }
};

// The console.

const describeError = (error) => {
  const head = `${error.name}: ${error.message}`;
  const stack = `${error.stack ?? ""}`;
  return stack.startsWith(head) ? stack : `${head}\n${stack}`.trim();
};
const inspect = (value) => {
  if (typeof value === "string") return value;
  if (value instanceof Error || value instanceof DOMException) return describeError(value);
  if (typeof value !== "object" || value === null) return String(value);
  const above = [];
  try {
    const shown = stringify(value, function (key, member) {
      if (typeof member === "bigint") return `${member}n`;
      if (member instanceof Error) return describeError(member);
      if (typeof member !== "object" || member === null) return member;
      while (above.length && above[above.length - 1] !== this) above.pop();
      if (above.includes(member)) return "[Circular]";
      above.push(member);
      return member;
    });
    return shown === undefined ? String(value) : shown;
  } catch {
    return "[object]";
  }
};
const log = (level, values) => {
  try {
    host.log(level, text(values.map(inspect).join(" ")), now());
  } catch {
    // A value that cannot be shown is not worth a failure.
  }
};
const console = {};
for (const [name, level] of [
  ["debug", "debug"],
  ["trace", "debug"],
  ["log", "info"],
  ["info", "info"],
  ["dir", "info"],
  ["table", "info"],
  ["group", "info"],
  ["warn", "warn"],
  ["error", "error"],
]) {
  console[name] = (...values) => log(level, values);
}
console.groupEnd = () => {};
console.assert = (condition, ...values) => condition || log("error", ["Assertion failed:", ...values]);
const counters = new Map();
console.count = (label = "default") => {
  counters.set(label, (counters.get(label) ?? 0) + 1);
  log("info", [`${label}: ${counters.get(label)}`]);
};
const started = new Map();
console.time = (label = "default") => void started.set(label, now());
console.timeEnd = (label = "default") => {
  if (started.has(label)) log("info", [`${label}: ${now() - started.get(label)} ms`]);
  started.delete(label);
};

/** Copies of values as the structured clone algorithm makes them, without transfer. */
const structuredClone = (value) => {
  const seen = new Map();
  const copyOf = (original, copy) => {
    seen.set(original, copy);
    return copy;
  };
  const fail = () => {
    throw new DOMException("The value cannot be cloned.", "DataCloneError");
  };
  const clone = (original) => {
    if (typeof original === "function" || typeof original === "symbol") fail();
    if (typeof original !== "object" || original === null) return original;
    if (seen.has(original)) return seen.get(original);
    if (original instanceof Date) return copyOf(original, new Date(original.getTime()));
    if (original instanceof RegExp) return copyOf(original, new RegExp(original.source, original.flags));
    if (original instanceof ArrayBuffer) return copyOf(original, original.slice(0));
    if (isView(original)) {
      const copy = clone(original.buffer);
      const length = original.length ?? original.byteLength;
      return copyOf(original, new original.constructor(copy, original.byteOffset, length));
    }
    if (original instanceof Map) {
      const copy = copyOf(original, new Map());
      for (const [key, member] of original) copy.set(clone(key), clone(member));
      return copy;
    }
    if (original instanceof Set) {
      const copy = copyOf(original, new Set());
      for (const member of original) copy.add(clone(member));
      return copy;
    }
    if (original instanceof Error) {
      const copy = copyOf(original, new original.constructor(original.message));
      copy.stack = original.stack;
      return copy;
    }
    if (original instanceof Promise || original instanceof WeakMap || original instanceof WeakSet) fail();
    const copy = copyOf(original, Array.isArray(original) ? new Array(original.length) : {});
    for (const key of Object.keys(original)) copy[key] = clone(original[key]);
    return copy;
  };
  return clone(value);
};

// A stack begins with what happened, as scripts expect it.
Error.prepareStackTrace = (error, sites) => {
  const lines = sites.map(
    (site) => `    at ${site.getFunctionName() || "<anonymous>"} (${site.getFileName() ?? "native"}:${site.getLineNumber()}:${site.getColumnNumber()})`,
  );
  return [`${error.name}: ${error.message}`, ...lines].join("\n");
};

expose({
  TextEncoder, TextDecoder, Event, EventTarget, AbortSignal, AbortController, setTimeout, setInterval, clearTimeout,
  clearInterval: clearTimeout, console, structuredClone, self: globalThis,
});
