// Makes a context that has nothing but the methods of expressions. Loops are counted here, because the engine looks at
// its limit of time only every 10,000 calls. Returns the functions that the evaluator calls.
(() => {
  "use strict";
  const { defineProperty, freeze, getPrototypeOf, hasOwn, keys } = Object;
  const { apply, ownKeys } = Reflect;
  const { isArray } = Array;
  const { isFinite, isInteger, isNaN } = Number;
  const unbound = Function.prototype.bind.bind(Function.prototype.call);
  const world = globalThis;
  const { RangeError, TypeError, $limits: limits } = world;

  // Steps that the current expression, and all expressions together, may still take.
  let left = 0;
  let budget = 0;
  const charge = (steps) => {
    left -= steps;
    if (!(left >= 0)) throw new RangeError("$limit");
  };
  const checked = (value) => {
    if (typeof value === "string") {
      if (value.length > limits.text) throw new RangeError("$limit");
      charge(1 + (value.length >> 4));
    }
    return value;
  };
  const call = (f, ...values) => {
    charge(limits.call);
    return apply(f, undefined, values);
  };

  const text = (value) => {
    if (typeof value !== "string") throw new TypeError();
    return value;
  };
  const list = (value) => {
    if (!isArray(value)) throw new TypeError();
    charge(1 + value.length);
    return value;
  };
  const callback = (value) => {
    if (typeof value !== "function") throw new TypeError();
    return value;
  };
  const isRegExp = ((regExp) => (value) => typeof value === "object" && value !== null && getPrototypeOf(value) === regExp)(
    RegExp.prototype,
  );

  // Steps of a search for a text or a regular expression in a text.
  const cost = (value, pattern) => {
    if (isRegExp(pattern)) return 100 + value.length * 100;
    return 1 + value.length + ((value.length * `${pattern}`.length) >> 4);
  };
  const ofText = (name, options = {}) => {
    const native = unbound(String.prototype[name]);
    return (self, a, b) => {
      const value = text(self);
      charge(options.searches ? cost(value, a) : 1 + value.length);
      if (isRegExp(a) && !options.takesRegExp) throw new TypeError();
      if (typeof b === "function") return checked(native(value, a, (...matched) => checked(call(b, ...matched))));
      return checked(native(value, a, b));
    };
  };
  const texts = {};
  for (const name of ["at", "charAt", "charCodeAt", "codePointAt", "slice", "substr", "substring"]) texts[name] = ofText(name);
  for (const name of ["toLowerCase", "toUpperCase", "trim", "trimEnd", "trimStart"]) texts[name] = ofText(name);
  for (const name of ["endsWith", "includes", "indexOf", "startsWith"]) texts[name] = ofText(name, { searches: true });
  for (const name of ["match", "replace", "replaceAll", "search", "split"]) {
    texts[name] = ofText(name, { searches: true, takesRegExp: true });
  }
  const lastIndexOf = unbound(String.prototype.lastIndexOf);
  texts.lastIndexOf = (self, a, from = Infinity) => {
    charge(cost(text(self), a));
    return lastIndexOf(self, a, from);
  };
  texts.concat = (self, ...values) => {
    let all = text(self);
    for (let i = 0; i < values.length; i++) all = checked(all + values[i]);
    return all;
  };
  const repeat = unbound(String.prototype.repeat);
  texts.repeat = (self, count) => {
    if (text(self).length * count > limits.text) throw new RangeError("$limit");
    return checked(repeat(self, count));
  };
  for (const name of ["padEnd", "padStart"]) {
    const pad = ofText(name);
    texts[name] = (self, length, filler = " ") => {
      if (length > limits.text) throw new RangeError("$limit");
      return pad(self, length, `${filler}`);
    };
  }
  texts.toString = texts.valueOf = text;

  const index = (value, length, absent) => {
    if (value === undefined) return absent;
    const at = Math.trunc(value) || 0;
    return at < 0 ? Math.max(length + at, 0) : Math.min(at, length);
  };
  const positionOf = (values, f, from, step) => {
    for (let i = from; i >= 0 && i < values.length; i += step) if (call(f, values[i], i, values)) return i;
    return -1;
  };
  const append = (out, values) => {
    charge(1 + values.length);
    for (let i = 0; i < values.length; i++) out[out.length] = values[i];
    return out;
  };
  const flatten = (out, values, depth) => {
    charge(1 + values.length);
    for (let i = 0; i < values.length; i++) {
      if (isArray(values[i]) && depth > 0) flatten(out, values[i], depth - 1);
      else out[out.length] = values[i];
    }
    return out;
  };
  const map = (values, f) => {
    const out = [];
    for (let i = 0; i < values.length; i++) out[i] = call(f, values[i], i, values);
    return out;
  };
  const fold = (values, f, from, step, start) => {
    let result = start;
    let i = from;
    if (start === undefined) {
      if (values.length === 0) throw new TypeError();
      result = values[i];
      i += step;
    }
    for (; i >= 0 && i < values.length; i += step) result = call(f, result, values[i], i, values);
    return result;
  };
  const ascending = (a, b) => {
    const [one, other] = [checked(`${a}`), checked(`${b}`)];
    return one < other ? -1 : one > other ? 1 : 0;
  };
  const sorted = (values, compare) => {
    if (values.length < 2) return append([], values);
    const [one, other, out] = [[], [], []];
    for (let i = 0; i < values.length; i++) (i * 2 < values.length ? one : other)[i * 2 < values.length ? i : other.length] = values[i];
    const [first, second] = [sorted(one, compare), sorted(other, compare)];
    let [i, j] = [0, 0];
    while (i < first.length && j < second.length) {
      out[i + j] = call(compare, first[i], second[j]) <= 0 ? first[i++] : second[j++];
    }
    while (i < first.length) out[i + j] = first[i++];
    while (j < second.length) out[i + j] = second[j++];
    return out;
  };
  const reversed = (values) => {
    const out = [];
    for (let i = values.length - 1; i >= 0; i--) out[out.length] = values[i];
    return out;
  };
  const joined = (values, separator = ",") => {
    let all = "";
    for (let i = 0; i < values.length; i++) {
      if (i > 0) all = checked(all + separator);
      const value = values[i];
      charge(1);
      all = checked(all + (value === undefined || value === null ? "" : value));
    }
    return all;
  };
  // Lists never change: `sort` and `reverse` return other lists, too.
  const lists = {
    at: (self, at) => list(self)[(Math.trunc(at) || 0) < 0 ? self.length + Math.trunc(at) : Math.trunc(at) || 0],
    concat: (self, ...values) => {
      const out = append([], list(self));
      for (let i = 0; i < values.length; i++) append(out, isArray(values[i]) ? values[i] : [values[i]]);
      return out;
    },
    every: (self, f) => positionOf(list(self), (...it) => !apply(callback(f), undefined, it), 0, 1) < 0,
    filter: (self, f) => {
      const [values, out] = [list(self), []];
      for (let i = 0; i < values.length; i++) if (call(callback(f), values[i], i, values)) out[out.length] = values[i];
      return out;
    },
    find: (self, f) => list(self)[positionOf(self, callback(f), 0, 1)],
    findIndex: (self, f) => positionOf(list(self), callback(f), 0, 1),
    findLast: (self, f) => list(self)[positionOf(self, callback(f), self.length - 1, -1)],
    findLastIndex: (self, f) => positionOf(list(self), callback(f), self.length - 1, -1),
    flat: (self, depth = 1) => flatten([], list(self), depth),
    flatMap: (self, f) => flatten([], map(list(self), callback(f)), 1),
    includes: (self, value) => {
      const values = list(self);
      for (let i = 0; i < values.length; i++) if (values[i] === value || (isNaN(value) && isNaN(values[i]))) return true;
      return false;
    },
    indexOf: (self, value) => {
      const values = list(self);
      for (let i = 0; i < values.length; i++) if (values[i] === value) return i;
      return -1;
    },
    join: (self, separator) => joined(list(self), separator),
    lastIndexOf: (self, value) => {
      for (let i = list(self).length - 1; i >= 0; i--) if (self[i] === value) return i;
      return -1;
    },
    map: (self, f) => map(list(self), callback(f)),
    reduce: (self, f, start) => fold(list(self), callback(f), 0, 1, start),
    reduceRight: (self, f, start) => fold(list(self), callback(f), self.length - 1, -1, start),
    reverse: (self) => reversed(list(self)),
    slice: (self, start, end) => {
      const [values, out] = [list(self), []];
      const last = index(end, values.length, values.length);
      for (let i = index(start, values.length, 0); i < last; i++) out[out.length] = values[i];
      return out;
    },
    some: (self, f) => positionOf(list(self), callback(f), 0, 1) >= 0,
    sort: (self, compare = ascending) => sorted(list(self), callback(compare)),
    toString: (self) => joined(list(self)),
  };
  lists.toSorted = lists.sort;
  lists.toReversed = lists.reverse;

  const exec = unbound(RegExp.prototype.exec);
  const search = (self, value) => {
    charge(cost(checked(`${value}`), self));
    return exec(self, `${value}`);
  };
  const regExps = { exec: search, test: (self, value) => search(self, value) !== null, toString: unbound(RegExp.prototype.toString) };
  const members = (value) => {
    if (typeof value !== "object" || value === null) throw new TypeError();
    const names = keys(value);
    charge(1 + names.length);
    return names;
  };
  const hasMember = (value, name) => {
    if (typeof value !== "object" || value === null) throw new TypeError();
    return hasOwn(value, name);
  };
  const numberMethods = {};
  for (const name of ["toFixed", "toPrecision", "toString", "valueOf"]) {
    const native = unbound(Number.prototype[name]);
    numberMethods[name] = (self, a) => native(self, a);
  }
  const truthMethods = { toString: unbound(Boolean.prototype.toString), valueOf: unbound(Boolean.prototype.valueOf) };

  // A method has no members, so that nothing leads from it to the engine's own functions.
  const method = (f) => {
    const it = { m(...values) { return f(this, ...values); } }.m;
    return freeze(it);
  };
  const has = unbound(Array.prototype.includes);
  const strip = (object, kept) => {
    for (const name of ownKeys(object)) if (!has(kept, name)) delete object[name];
  };
  const equip = (object, methods, kept = []) => {
    strip(object, kept);
    for (const name of keys(methods)) defineProperty(object, name, { value: method(methods[name]) });
  };
  const named = (functions) => {
    const object = { __proto__: null };
    for (const name of keys(functions)) object[name] = freeze(functions[name]);
    return freeze(object);
  };
  const plain = (f) => freeze({ f: (...values) => checked(f(values[0], values[1])) }.f);

  const { abs, ceil, floor, max, min, pow, round, sign, sqrt, trunc } = Math;
  const strings = String;
  const numbers = Number;
  const kept = {
    Array: named({ isArray: plain(isArray) }),
    Boolean: plain((value) => !!value),
    Math: named({ abs, ceil, floor, max, min, pow, round, sign, sqrt, trunc }),
    Number: plain((value) => numbers(value)),
    Object: named({
      entries: plain((value) => map(members(value), (name) => [name, value[name]])),
      hasOwn: plain(hasMember),
      keys: plain(members),
      values: plain((value) => map(members(value), (name) => value[name])),
    }),
    String: plain((value) => strings(value)),
    isFinite: plain((value) => isFinite(numbers(value))),
    isNaN: plain((value) => isNaN(numbers(value))),
    parseFloat: plain(parseFloat),
    parseInt: plain(parseInt),
    $add: freeze((a, b) => checked(a + b)),
    $text: freeze((...parts) => {
      let all = "";
      for (let i = 0; i < parts.length; i++) all = checked(all + parts[i]);
      return all;
    }),
  };
  const prototypes = [
    [String.prototype, texts, ["length"]],
    [Array.prototype, lists, ["length", Symbol.iterator]],
    [Number.prototype, numberMethods],
    [Boolean.prototype, truthMethods],
    [Symbol.prototype, {}],
    [BigInt.prototype, {}],
    [getPrototypeOf(function* () {}), {}],
    [Function.prototype, {}, ["length", "name", Symbol.hasInstance]],
    [Object.prototype, { hasOwnProperty: hasMember }],
  ];
  for (const name of ["exec", "test", "toString"]) defineProperty(RegExp.prototype, name, { value: method(regExps[name]) });
  delete RegExp.prototype.constructor;
  delete RegExp.prototype.compile;
  freeze(RegExp.prototype);
  for (const [object, methods, names] of prototypes) equip(object, methods, names);
  for (const [object] of prototypes) freeze(object);
  strip(world, ["NaN", "Infinity", "undefined"]);
  for (const name of keys(kept)) defineProperty(world, name, { value: kept[name] });
  freeze(world);

  let data = [undefined, undefined, undefined];
  const run = (f) => {
    left = min(limits.expression, budget);
    const before = left;
    try {
      return f(data[0], data[1], data[2]);
    } finally {
      budget -= before - max(left, 0);
    }
  };
  return {
    __proto__: null,
    enter: (visitor, space, page) => {
      data = [visitor, space, page];
      budget = limits.all;
    },
    check: (f) => !!run(f),
    text: (f) => {
      const value = run(f);
      return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? `${value}` : "";
    },
  };
})()
