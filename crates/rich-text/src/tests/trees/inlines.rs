//! Text, inlines and paragraphs.

use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use super::{annotation_body, parts::*};

pub fn color() -> BoxedStrategy<Value> {
    select(vec!["default", "green", "red", "$primary", "$danger"])
        .prop_map(|color| json!(color))
        .boxed()
}

pub fn mark() -> BoxedStrategy<Value> {
    let simple = select(vec![
        "bold",
        "italic",
        "code",
        "keyboard",
        "strikethrough",
        "superscript",
        "subscript",
    ]);
    prop_oneof![
        4 => simple.prop_map(|name| json!({ "object": "mark", "type": name })),
        1 => (color(), color()).prop_map(|(text, background)| {
            json!({ "object": "mark", "type": "color", "data": { "text": text, "background": background } })
        }),
    ]
    .boxed()
}

pub fn text() -> BoxedStrategy<Value> {
    let leaf = (words(), prop::collection::vec(mark(), 0..3));
    let leaf = leaf.prop_map(|(text, marks)| json!({ "object": "leaf", "text": text, "marks": marks }));
    member("leaves", many(leaf.boxed(), 0..4))
        .prop_map(|text| with(text, json!({ "object": "text" })))
        .boxed()
}

pub fn plain_text() -> BoxedStrategy<Value> {
    title()
        .prop_map(|text| json!({ "object": "text", "leaves": [{ "object": "leaf", "text": text, "marks": [] }] }))
        .boxed()
}

pub fn with(value: Value, more: Value) -> Value {
    match (value, more) {
        (Value::Object(mut members), Value::Object(more)) => {
            members.extend(more);
            Value::Object(members)
        }
        (value, _) => value,
    }
}

pub fn reference() -> BoxedStrategy<Value> {
    prop_oneof![
        url(),
        Just(json!({ "kind": "page", "page": "p1" })),
        Just(json!({ "kind": "page", "page": "p1", "space": "s1" })),
        Just(json!({ "kind": "anchor", "anchor": "part", "page": "p1" })),
        Just(json!({ "kind": "anchor", "anchor": "part" })),
        Just(json!({ "kind": "file", "file": "f1" })),
        Just(json!({ "kind": "space", "space": "s1" })),
        Just(json!({ "kind": "user", "user": "u1" })),
        Just(json!({ "kind": "collection", "collection": "c1" })),
    ]
    .boxed()
}

pub fn url() -> BoxedStrategy<Value> {
    let mail = json!({ "kind": "url", "url": "mailto:a@b.c" });
    prop_oneof![12 => media_url(), 1 => Just(mail)].boxed()
}

/// Images have no other scheme than http and https.
fn media_url() -> BoxedStrategy<Value> {
    select(vec![
        "https://a.example/b?c=d&e=f#g",
        "page.md",
        "../a (b).md",
        "a b",
        "<x>",
        "a|b",
        "",
        "a\\b",
        "é",
        "[x](y)",
        "\"",
        "&amp;",
    ])
    .prop_map(|url| json!({ "kind": "url", "url": url }))
    .boxed()
}

pub fn media() -> BoxedStrategy<Value> {
    prop_oneof![media_url(), Just(json!({ "kind": "file", "file": "f1" }))].boxed()
}

pub fn inline_of(name: &'static str, data: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    data.prop_map(move |data| json!({ "object": "inline", "type": name, "isVoid": true, "data": data }))
        .boxed()
}

pub fn inline_image() -> BoxedStrategy<Value> {
    let size = select(vec!["original", "line"]).prop_map(|size| json!(size));
    inline_of(
        "inline-image",
        merged(vec![
            member("ref", media()),
            maybe("refDark", media()),
            maybe("alt", words().prop_map(Value::String)),
            maybe("caption", words().prop_map(Value::String)),
            maybe("size", size),
        ]),
    )
}

pub fn expression() -> BoxedStrategy<Value> {
    inline_of(
        "expression",
        title().prop_map(|text| json!({ "expression": text })).boxed(),
    )
}

pub fn annotation(texts: BoxedStrategy<Value>, depth: usize) -> BoxedStrategy<Value> {
    (many(texts, 0..2), many(annotation_body(depth), 1..3))
        .prop_map(|(nodes, body)| {
            json!({
                "object": "inline", "type": "annotation", "isVoid": false, "nodes": nodes,
                "fragments": [{ "object": "fragment", "type": "annotation-body", "nodes": body }],
            })
        })
        .boxed()
}

pub fn inline(depth: usize) -> BoxedStrategy<Value> {
    let icon = || select(vec!["rocket", "circle-check", "x_y"]).prop_map(|icon| json!(icon));
    let link_nodes = many(prop_oneof![3 => text(), 1 => inline_image()].boxed(), 0..3);
    let link = (link_nodes, reference()).prop_map(|(nodes, reference)| {
        json!({ "object": "inline", "type": "link", "data": { "ref": reference }, "nodes": nodes })
    });
    let code = select(vec![
        "1f680",
        "2764-fe0f",
        "2764",
        "1f1e9-1f1ea",
        "41",
        "not-hex",
        "1f44d-1f3fd",
    ]);
    let kind = select(vec!["primary", "secondary"]).prop_map(|kind| json!(kind));
    let mut all = vec![
        link.boxed(),
        inline_of("emoji", code.prop_map(|code| json!({ "code": code })).boxed()),
        inline_of(
            "icon",
            merged(vec![member("icon", icon().boxed()), maybe("color", color())]),
        ),
        expression(),
        inline_of(
            "inline-math",
            words().prop_map(|formula| json!({ "formula": formula })).boxed(),
        ),
        inline_image(),
        inline_of("mention", member("ref", reference())),
        inline_of(
            "button",
            merged(vec![
                member("label", words().prop_map(Value::String).boxed()),
                member("kind", kind.boxed()),
                maybe("icon", icon()),
                member("ref", reference()),
            ]),
        ),
    ];
    if depth > 0 {
        all.push(annotation(text(), depth - 1));
    }
    prop::strategy::Union::new(all).boxed()
}

pub fn line(depth: usize) -> BoxedStrategy<Value> {
    many(prop_oneof![3 => text(), 2 => inline(depth)].boxed(), 0..5)
}

pub fn paragraph(depth: usize) -> BoxedStrategy<Value> {
    block_of(
        "paragraph",
        false,
        vec![member("data", align()), member("nodes", line(depth))],
    )
}
