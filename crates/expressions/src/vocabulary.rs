//! The names that expressions can use.

/// The data.
pub const ROOTS: &[&str] = &["visitor", "space", "page"];

/// The root whose value differs between visitors.
pub const VISITOR: &str = "visitor";

/// Values without members of their own.
pub const LITERALS: &[&str] = &["true", "false", "null", "undefined", "NaN", "Infinity"];

/// Functions that are called by their name, or passed to methods.
pub const FUNCTIONS: &[&str] = &[
    "String",
    "Number",
    "Boolean",
    "parseInt",
    "parseFloat",
    "isNaN",
    "isFinite",
];

/// Objects with functions.
pub const NAMESPACES: &[&str] = &["Math", "Object", "Array"];

/// Methods of texts, lists, numbers, regular expressions and objects, and functions of `NAMESPACES`. `prelude.js` defines them.
pub const METHODS: &[&str] = &[
    "abs",
    "at",
    "ceil",
    "charAt",
    "charCodeAt",
    "codePointAt",
    "concat",
    "endsWith",
    "entries",
    "every",
    "exec",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flat",
    "flatMap",
    "floor",
    "hasOwn",
    "hasOwnProperty",
    "includes",
    "indexOf",
    "isArray",
    "isFinite",
    "isInteger",
    "isNaN",
    "join",
    "keys",
    "lastIndexOf",
    "map",
    "match",
    "max",
    "min",
    "padEnd",
    "padStart",
    "pow",
    "reduce",
    "reduceRight",
    "repeat",
    "replace",
    "replaceAll",
    "reverse",
    "round",
    "search",
    "sign",
    "slice",
    "some",
    "sort",
    "split",
    "sqrt",
    "startsWith",
    "substr",
    "substring",
    "test",
    "toFixed",
    "toLowerCase",
    "toPrecision",
    "toReversed",
    "toSorted",
    "toString",
    "toUpperCase",
    "trim",
    "trimEnd",
    "trimStart",
    "trunc",
    "valueOf",
    "values",
];
