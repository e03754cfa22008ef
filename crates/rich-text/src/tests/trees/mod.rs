//! Properties with random trees of all node types: they round-trip.

mod blocks;
mod inlines;
mod parts;
mod tables;

use openapi::models::Document;
use proptest::prelude::*;
use serde_json::{Value, json};

use self::{blocks::*, parts::*, tables::*};
use crate::{DocumentLimits, IdPathResolver, parse_with, render_with};

fn top(depth: usize) -> BoxedStrategy<Value> {
    let mut blocks = essentials(depth);
    blocks.extend(leaves());
    blocks.extend(specifications());
    blocks.extend([
        code(depth),
        images(depth),
        hint(depth),
        quote(depth),
        table(depth),
        reusable(),
    ]);
    if depth > 0 {
        blocks.extend([
            tabs(depth - 1),
            stepper(depth - 1),
            columns(depth - 1),
            expandable(depth - 1),
        ]);
        let data = fixed(json!({ "expression": "visitor.claims.beta == \"a\"" }));
        blocks.push(containers("if", data, many(top(depth - 1), 0..3)));
    }
    prop::strategy::Union::new(blocks).boxed()
}

/// The blocks of an annotation, which contain inlines with further annotations.
fn annotation_body(depth: usize) -> BoxedStrategy<Value> {
    let mut blocks = essentials(depth);
    blocks.push(code(depth));
    prop::strategy::Union::new(blocks).boxed()
}

fn document(depth: usize) -> BoxedStrategy<Document> {
    let nodes = many(top(depth), 0..4);
    nodes
        .prop_map(|nodes| {
            let document = json!({ "object": "document", "data": {}, "nodes": nodes });
            serde_json::from_value(document).expect("a document of the contract")
        })
        .boxed()
}

proptest! {
    #![proptest_config(super::cases(128))]

    #[test]
    fn random_trees_round_trip(document in document(2)) {
        let limits = DocumentLimits::default();
        let markdown = match render_with(&document, &limits, &IdPathResolver) {
            Ok(markdown) => markdown,
            Err(error) => {
                let raw = crate::render::document(&document, &limits, &IdPathResolver, true);
                let shown = serde_json::to_value(&document).unwrap();
                return Err(TestCaseError::fail(format!("{error}\n{raw:?}\n{:?}\n{shown}", shown.pointer(&error.pointer).map(Value::to_string))));
            }
        };
        // Parsed trees are in canonical form: they round-trip exactly.
        let read = parse_with(&markdown, &limits, &IdPathResolver).unwrap();
        let again = render_with(&read, &limits, &IdPathResolver).unwrap();
        prop_assert!(parse_with(&again, &limits, &IdPathResolver).unwrap() == read, "{markdown:?} became {again:?}");
    }
}

#[test]
fn an_item_with_a_tag_follows_an_item_that_ends_with_html() {
    let heading = json!({ "object": "block", "type": "heading-1", "data": { "align": "start" }, "nodes": [] });
    let hint = json!({ "object": "block", "type": "hint", "data": { "style": "info" }, "nodes": [] });
    let paragraph = json!({ "object": "block", "type": "paragraph", "data": {}, "nodes": [] });
    let item = |blocks: &[&Value]| json!({ "object": "block", "type": "list-item", "nodes": blocks });
    for kind in ["list-ordered", "list-unordered"] {
        let items = [item(&[&paragraph, &heading]), item(&[&hint])];
        let list = json!({ "object": "block", "type": kind, "data": {}, "nodes": items });
        for nodes in [
            list.clone(),
            json!({ "object": "block", "type": "hint", "data": { "style": "info" }, "nodes": [list] }),
        ] {
            let document = json!({ "object": "document", "data": {}, "nodes": [nodes] });
            let document = serde_json::from_value(document).unwrap();
            let markdown = render_with(&document, &DocumentLimits::default(), &IdPathResolver);
            assert!(markdown.is_ok(), "{markdown:?}");
        }
    }
}
