//! Building blocks of random trees.

use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

/// Fragments of text, with all syntax of Markdown, HTML and block tags.
const PARTS: &[&str] = &[
    "word",
    "two words",
    "7",
    "é",
    "中文",
    "🚀",
    " ",
    "  ",
    "\n",
    "\t",
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "`",
    "``",
    "\\",
    "[",
    "]",
    "(",
    ")",
    "![",
    "](",
    "[ ]",
    "[x]",
    "[^1]",
    "[^1]: ",
    "[a]: b",
    "<",
    ">",
    "<b>",
    "</b>",
    "<kbd>",
    "<br>",
    "<!--",
    "-->",
    "<p>",
    "<?t0?>",
    "<t-0>",
    "&",
    "&amp;",
    "&lt;",
    "&#10;",
    "#",
    "# ",
    "+",
    "-",
    "- ",
    "---",
    "===",
    "=",
    "1.",
    "1. ",
    "2) ",
    "|",
    "| a |",
    "|---|",
    "$",
    "$$",
    "{%",
    "%}",
    "{% hint style=\"info\" %}",
    "{% endhint %}",
    "{{x}}",
    ":",
    ":rocket:",
    "::",
    "!",
    "\"",
    "'",
    "\u{a0}",
    "\u{3000}",
    "\u{2003}",
    ".",
    ",",
    "```",
    "~~~",
    "    code",
    "http://x.y/?a=b&c",
    "www.x.y",
    "\u{301}",
    "“",
    "”",
    "。",
];

pub fn words() -> BoxedStrategy<String> {
    prop::collection::vec(select(PARTS), 1..4)
        .prop_map(|parts| parts.concat())
        .boxed()
}

/// Text without line ends, such as titles.
pub fn title() -> BoxedStrategy<String> {
    words().prop_map(|words| words.replace(['\n', '\t'], " ")).boxed()
}

pub fn maybe(name: &'static str, values: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    prop_oneof![Just(json!({})), values.prop_map(move |value| json!({ name: value })),].boxed()
}

/// Merges the members of several objects.
pub fn merged(parts: Vec<BoxedStrategy<Value>>) -> BoxedStrategy<Value> {
    let merge = |parts: Vec<Value>| {
        let mut all = serde_json::Map::new();
        for part in parts {
            if let Value::Object(members) = part {
                all.extend(members);
            }
        }
        Value::Object(all)
    };
    parts.prop_map(merge).boxed()
}

pub fn fixed(value: Value) -> BoxedStrategy<Value> {
    Just(value).boxed()
}

pub fn many(values: BoxedStrategy<Value>, range: std::ops::Range<usize>) -> BoxedStrategy<Value> {
    prop::collection::vec(values, range).prop_map(Value::Array).boxed()
}

pub fn member(name: &'static str, values: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    values.prop_map(move |value| json!({ name: value })).boxed()
}

pub fn flag(name: &'static str) -> BoxedStrategy<Value> {
    maybe(name, any::<bool>().prop_map(Value::Bool))
}

pub fn block_of(name: &'static str, void: bool, parts: Vec<BoxedStrategy<Value>>) -> BoxedStrategy<Value> {
    let mut all = vec![fixed(json!({ "object": "block", "type": name, "isVoid": void }))];
    all.extend(parts);
    merged(all)
}

pub fn align() -> BoxedStrategy<Value> {
    maybe(
        "align",
        select(vec!["start", "center", "end"]).prop_map(|align| json!(align)),
    )
}
