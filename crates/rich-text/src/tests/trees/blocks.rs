//! Blocks.

use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use super::{inlines::*, parts::*, tables::table};
use crate::{ReferenceRole, is_safe_target};

fn safe_url() -> BoxedStrategy<Value> {
    let url = title().prop_filter("a safe address", |url| is_safe_target(ReferenceRole::Media, url));
    url.prop_map(Value::String).boxed()
}

pub fn heading(name: &'static str, depth: usize) -> BoxedStrategy<Value> {
    let id = maybe("id", select(vec!["a", "before-you+start"]).prop_map(|id| json!(id)));
    block_of(
        name,
        false,
        vec![member("data", merged(vec![id, align()])), member("nodes", line(depth))],
    )
}

pub fn item(checked: bool, depth: usize) -> BoxedStrategy<Value> {
    let mut blocks = essentials(depth);
    blocks.extend([code(depth), math(), hint(depth), quote(depth), table(depth)]);
    let checked = match checked {
        true => member(
            "data",
            any::<bool>().prop_map(|checked| json!({ "checked": checked })).boxed(),
        ),
        false => fixed(json!({})),
    };
    let blocks = prop::strategy::Union::new(blocks).boxed();
    block_of("list-item", false, vec![checked, member("nodes", many(blocks, 0..3))])
}

pub fn essentials(depth: usize) -> Vec<BoxedStrategy<Value>> {
    let mut all = vec![
        paragraph(depth),
        heading("heading-1", depth),
        heading("heading-2", depth),
        heading("heading-3", depth),
        block_of("divider", true, vec![fixed(json!({ "data": {} }))]),
    ];
    if depth > 0 {
        let start = maybe("start", (0..1_000_u32).prop_map(|start| json!(start)));
        let items = |checked| member("nodes", many(item(checked, depth - 1), 1..3));
        all.push(block_of(
            "list-ordered",
            false,
            vec![member("data", start), items(false)],
        ));
        all.push(block_of("list-unordered", false, vec![items(false)]));
        all.push(block_of("list-tasks", false, vec![items(true)]));
    }
    all
}

pub fn containers(name: &'static str, data: BoxedStrategy<Value>, nodes: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    block_of(name, false, vec![member("data", data), member("nodes", nodes)])
}

pub fn blocks_of(all: Vec<BoxedStrategy<Value>>) -> BoxedStrategy<Value> {
    many(prop::strategy::Union::new(all).boxed(), 0..3)
}

pub fn hint(depth: usize) -> BoxedStrategy<Value> {
    let style = select(vec!["info", "warning", "danger", "success"]).prop_map(|style| json!(style));
    let icon = maybe("icon", Just(json!("star")));
    containers(
        "hint",
        merged(vec![member("style", style.boxed()), icon]),
        blocks_of(essentials(depth)),
    )
}

pub fn quote(depth: usize) -> BoxedStrategy<Value> {
    let mut blocks = essentials(depth);
    if depth > 0 {
        blocks.push(quote(depth - 1));
    }
    block_of("blockquote", false, vec![member("nodes", blocks_of(blocks))])
}

pub fn math() -> BoxedStrategy<Value> {
    let lines = prop::collection::vec(
        select(vec![
            "a",
            "- b",
            "> c",
            "= d",
            "",
            "1. e",
            "\\\\",
            "{% hint %}",
            "# f",
            "  g",
        ]),
        0..4,
    );
    let data = lines.prop_map(|lines| json!({ "data": { "formula": lines.join("\n") } }));
    block_of("math", true, vec![data.boxed()])
}

pub fn code(depth: usize) -> BoxedStrategy<Value> {
    let node = match depth {
        0 => plain_text(),
        depth => prop_oneof![6 => plain_text(), 1 => annotation(plain_text(), depth - 1), 1 => expression()].boxed(),
    };
    let line = (many(node, 0..2), prop::bool::weighted(0.1)).prop_map(|(nodes, highlighted)| {
        json!({ "object": "block", "type": "code-line", "data": { "highlighted": highlighted }, "nodes": nodes })
    });
    let overflow = select(vec!["scroll", "wrap"]).prop_map(|overflow| json!(overflow));
    let data = merged(vec![
        maybe(
            "syntax",
            select(vec!["rust", "c++", "a b", "a\"b", "&amp;", "a\\b", "x`y"]).prop_map(|syntax| json!(syntax)),
        ),
        maybe("title", title().prop_map(Value::String)),
        maybe("overflow", overflow),
        flag("lineNumbers"),
        flag("fullWidth"),
        flag("expandable"),
        maybe("collapsedLineCount", (1..100_u32).prop_map(|count| json!(count))),
    ]);
    block_of(
        "code",
        false,
        vec![member("data", data), member("nodes", many(line.boxed(), 0..4))],
    )
}

pub fn length() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!(300.0)),
        Just(json!(12.5)),
        Just(json!({ "unit": "%", "value": 50.0 }))
    ]
    .boxed()
}

pub fn image(depth: usize) -> BoxedStrategy<Value> {
    let caption = many(paragraph(depth), 0..3)
        .prop_map(|nodes| json!([{ "object": "fragment", "fragment": "caption", "nodes": nodes }]));
    let data = merged(vec![
        member("ref", media()),
        maybe("refDark", media()),
        maybe("width", length()),
        maybe("height", length()),
        maybe("alt", words().prop_map(Value::String)),
    ]);
    let captions = prop_oneof![Just(json!([])), caption].boxed();
    block_of("image", true, vec![member("data", data), member("fragments", captions)])
}

pub fn images(depth: usize) -> BoxedStrategy<Value> {
    let align = maybe(
        "align",
        select(vec!["center", "left", "right"]).prop_map(|align| json!(align)),
    );
    let data = merged(vec![align, flag("fullWidth"), flag("withFrame")]);
    containers("images", data, many(image(depth), 1..3))
}

/// Blocks without children: panels and columns accept those of the first list.
pub fn leaves() -> Vec<BoxedStrategy<Value>> {
    let void = |name, data: BoxedStrategy<Value>| block_of(name, true, vec![member("data", data)]);
    let file = || fixed(json!({ "kind": "file", "file": "f1" }));
    let props = prop_oneof![
        Just(json!({})),
        title().prop_map(|text| json!({ "content": text, "size": 3, "big": true, "part": 1.5 })),
    ];
    vec![
        void("embed", merged(vec![member("url", safe_url()), flag("fullWidth")])),
        void("file", member("ref", file())),
        void("drawing", maybe("ref", file())),
        void("content-ref", member("ref", reference())),
        void(
            "integration",
            merged(vec![
                fixed(json!({ "integration": "board", "block": "list" })),
                member("props", props.boxed()),
                maybe("url", title().prop_map(Value::String)),
                flag("fullWidth"),
            ]),
        ),
        math(),
    ]
}

pub fn panel(depth: usize) -> BoxedStrategy<Value> {
    let mut blocks = essentials(depth);
    blocks.extend(leaves());
    blocks.extend([code(depth), images(depth), hint(depth), quote(depth)]);
    blocks_of(blocks)
}

pub fn tabs(depth: usize) -> BoxedStrategy<Value> {
    let tab = containers(
        "tabs-item",
        maybe("title", title().prop_map(Value::String)),
        panel(depth),
    );
    containers("tabs", flag("fullWidth"), many(tab, 0..3))
}

pub fn stepper(depth: usize) -> BoxedStrategy<Value> {
    let step = containers("stepper-step", maybe("icon", Just(json!("star"))), panel(depth));
    block_of("stepper", false, vec![member("nodes", many(step, 0..3))])
}

pub fn columns(depth: usize) -> BoxedStrategy<Value> {
    let mut blocks = essentials(depth);
    blocks.extend(leaves());
    blocks.extend([code(depth), images(depth), hint(depth), quote(depth), table(depth)]);
    let align = maybe(
        "verticalAlignment",
        select(vec!["top", "middle", "bottom"]).prop_map(|align| json!(align)),
    );
    let column = containers(
        "column",
        merged(vec![maybe("width", length()), align]),
        blocks_of(blocks),
    );
    containers("columns", flag("fullWidth"), many(column, 0..3))
}

pub fn reusable() -> BoxedStrategy<Value> {
    let reference = json!({ "ref": { "kind": "reusable-content", "reusableContent": "r1" } });
    block_of("reusable-content", true, vec![fixed(json!({ "data": reference }))])
}

pub fn expandable(depth: usize) -> BoxedStrategy<Value> {
    let mut blocks = essentials(depth);
    blocks.extend([
        code(depth),
        images(depth),
        hint(depth),
        quote(depth),
        table(depth),
        reusable(),
    ]);
    let body = many(prop::strategy::Union::new(blocks).boxed(), 1..3);
    let title = block_of("paragraph", false, vec![member("nodes", line(depth))]);
    let fragments = (title, body).prop_map(|(title, body)| {
        json!({ "fragments": [
            { "object": "fragment", "fragment": "expandable-title", "type": "expandable-title", "nodes": [title] },
            { "object": "fragment", "fragment": "expandable-body", "type": "expandable-body", "nodes": body },
        ] })
    });
    block_of(
        "expandable",
        true,
        vec![member("data", flag("defaultExpanded")), fragments.boxed()],
    )
}

pub fn specifications() -> Vec<BoxedStrategy<Value>> {
    let spec = || fixed(json!({ "ref": { "kind": "openapi", "spec": "api" } }));
    let operation = || fixed(json!({ "path": "/robots/{id}", "method": "get" }));
    let void = |name, data: Vec<BoxedStrategy<Value>>| block_of(name, true, vec![member("data", merged(data))]);
    vec![
        void(
            "swagger",
            vec![operation(), member("ref", media()), flag("expanded"), flag("fullWidth")],
        ),
        void("openapi-operation", vec![operation(), spec(), flag("headless")]),
        void(
            "openapi-schemas",
            vec![spec(), flag("grouped"), fixed(json!({ "schemas": ["Robot", "A B"] }))],
        ),
        void(
            "openapi-webhook",
            vec![
                spec(),
                flag("headless"),
                fixed(json!({ "name": "stopped", "method": "post" })),
            ],
        ),
    ]
}
