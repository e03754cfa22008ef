//! Targets that could run in a browser.

use openapi::{error::ErrorRule, models::Document};
use serde_json::{Value, json};

use super::{parse_document, parse_nodes, render};
use crate::{LinkChange, ReferenceRole, is_safe_target, rewrite_links, unsafe_targets};

#[test]
fn schemes_as_a_browser_reads_them() {
    for target in [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "\u{1}javascript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "blob:x",
        "file:///etc/passwd",
    ] {
        assert!(!is_safe_target(ReferenceRole::Link, target), "{target:?}");
        assert!(!is_safe_target(ReferenceRole::Media, target), "{target:?}");
    }
    for target in [
        "https://a.example/b:c",
        "mailto:a@b.example",
        "tel:+1",
        "a.md",
        "#a:b",
        "/a:b",
        "a b:c",
        "?a:b",
        "",
    ] {
        assert!(is_safe_target(ReferenceRole::Link, target), "{target:?}");
    }
    assert!(!is_safe_target(ReferenceRole::Media, "mailto:a@b.example"));
}

#[test]
fn unsafe_targets_become_text() {
    for text in [
        "[a](javascript:b)",
        "[a](javascript&colon;b)",
        "[a]( <java&#10;script:b> )",
        "![a](data:image/png;base64,b)",
        "<a href=\"javascript:b\">a</a>",
        "<a href=\"javascript&colon;b\">a</a>",
        "<a href=\"java&Tab;script:b\">a</a>",
        "<a href=\"java&NewLine;script:b\">a</a>",
        "<a href=\"javascript&#58b\">a</a>",
        "<a href=\"&#0000106avascript:b\">a</a>",
        "<a href=&Tab;javascript:b>a</a>",
        "<a class=\"button primary\" href=\"javascript&colon;b\">a</a>",
        "{% file src=\"javascript:b\" %}",
        "{% file src=\"data:text/html,b\" %}",
        "[a]\n\n[a]: javascript:b",
        "{% embed url=\"javascript:b\" %}",
        "{% content-ref url=\"javascript:b\" %}",
    ] {
        let nodes = parse_nodes(text).to_string();
        for kind in [
            "\"link\"",
            "\"image\"",
            "\"images\"",
            "\"embed\"",
            "\"content-ref\"",
            "\"button\"",
            "\"file\"",
        ] {
            assert!(!nodes.contains(kind), "{text}: {nodes}");
        }
        assert_eq!(
            parse_document(&render(&parse_document(text)).unwrap()),
            parse_document(text)
        );
    }
}

#[test]
fn unsafe_targets_are_unlinked() {
    for (text, expected) in [
        ("[a](javascript:b) [c](https://d.example)", "a [c](https://d.example)"),
        ("![a](data:b)", "a"),
        ("<a href=\"javascript:b\">a</a>", "a"),
        ("<a href=\"java&Tab;script&colon;b\">a</a>", "a"),
    ] {
        let changed = rewrite_links(text, &mut |_, _| LinkChange::Keep).unwrap();
        assert_eq!(changed, expected);
    }
}

fn document(nodes: Value) -> Document {
    serde_json::from_value(json!({ "object": "document", "data": {}, "nodes": nodes })).unwrap()
}

/// A paragraph with a link.
fn linked(url: &str) -> Value {
    let link = json!({
        "object": "inline", "type": "link", "data": { "ref": { "kind": "url", "url": url } },
        "nodes": [{ "object": "text", "leaves": [{ "object": "leaf", "text": "a", "marks": [] }] }]
    });
    json!({ "object": "block", "type": "paragraph", "nodes": [link] })
}

/// A table with a column of text, whose cell has this value.
fn table(value: Value, fragments: Value) -> Value {
    json!({ "object": "block", "type": "table", "isVoid": true, "fragments": fragments, "data": {
        "view": { "type": "grid", "columns": ["a"], "hideHeader": false },
        "records": { "r": { "orderIndex": "a", "values": { "a": value } } },
        "definition": { "a": { "id": "a", "title": "A", "type": "text", "textAlignment": "left" } },
    } })
}

#[test]
fn nodes_with_unsafe_targets_are_refused() {
    let embed = json!({ "object": "block", "type": "embed", "isVoid": true, "data": { "url": "data:a" } });
    let specification = json!({ "kind": "openapi", "spec": "a" });
    let data = json!({ "name": "a", "method": "get", "ref": specification, "link": { "text": "a", "url": "data:a" } });
    let webhook = json!({ "object": "block", "type": "openapi-webhook", "isVoid": true, "data": data });
    let paragraphs = json!([linked("https://a.example"), linked("data:a")]);
    let quoted = json!({ "object": "block", "type": "blockquote", "nodes": paragraphs });
    for block in [linked("javascript:a"), embed, webhook, quoted] {
        let document = document(json!([block]));
        let error = render(&document).unwrap_err();
        assert_eq!(error.code, ErrorRule::UnsafeTarget);
        assert_eq!(unsafe_targets(&document), [error]);
    }
}

#[test]
fn unsafe_targets_are_found_where_nothing_is_rendered() {
    let fragment = |nodes: Value| json!({ "object": "fragment", "fragment": "f", "nodes": nodes });
    let reference = json!({ "kind": "url", "url": "javascript:a" });
    let unnamed = table(json!(null), json!([fragment(json!([linked("javascript:a")]))]));
    let empty_list = json!({ "object": "block", "type": "list-unordered", "nodes": [] });
    let document = document(json!([
        empty_list,
        table(reference.clone(), json!([])),
        table(json!({ "ref": reference }), json!([])),
        unnamed,
        linked("mailto:a@b.example"),
    ]));
    let found = unsafe_targets(&document);
    let pointers: Vec<&str> = found.iter().map(|error| error.pointer.as_str()).collect();
    assert_eq!(
        pointers,
        ["/nodes/1", "/nodes/2", "/nodes/3/fragments/0/nodes/0/nodes/0"]
    );
}

/// Each level names the next one twice: there are 2^20 paths to the innermost one.
#[test]
fn fragments_of_many_cells_are_looked_at_once() {
    let mut inner = linked("javascript:a");
    for _ in 0..20 {
        let mut outer = table(
            json!("f"),
            json!([{ "object": "fragment", "fragment": "f", "nodes": [inner] }]),
        );
        outer["data"]["records"]["s"] = outer["data"]["records"]["r"].clone();
        inner = outer;
    }
    assert_eq!(unsafe_targets(&document(json!([inner]))).len(), 1);
}
