//! Targets that could run in a browser.

use openapi::error::ErrorRule;
use serde_json::json;

use super::{parse_document, parse_nodes, render};
use crate::{LinkChange, ReferenceRole, is_safe_target, rewrite_links};

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

#[test]
fn nodes_with_unsafe_targets_are_refused() {
    let link = json!({
        "object": "inline", "type": "link", "data": { "ref": { "kind": "url", "url": "javascript:a" } },
        "nodes": [{ "object": "text", "leaves": [{ "object": "leaf", "text": "a", "marks": [] }] }]
    });
    let paragraph = json!({ "object": "block", "type": "paragraph", "nodes": [link] });
    let embed = json!({ "object": "block", "type": "embed", "isVoid": true, "data": { "url": "data:a" } });
    for block in [paragraph, embed] {
        let document = json!({ "object": "document", "data": {}, "nodes": [block] });
        let error = render(&serde_json::from_value(document).unwrap()).unwrap_err();
        assert_eq!(error.code, ErrorRule::UnsafeTarget);
    }
}
