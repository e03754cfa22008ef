//! Resolvers of link targets.

use openapi::error::ErrorRule;
use openapi::models::{ContentRef, Document};
use serde_json::json;

use crate::{DocumentLimits, IdPathResolver, LinkResolver, ReferenceRole, UrlResolver, parse_with, render_with};

fn reference(value: serde_json::Value) -> ContentRef {
    serde_json::from_value(value).unwrap()
}

#[test]
fn urls_stay_as_they_are() {
    for address in ["https://a.b/c?d#e", "a.md", "a.md#b", "#", "", "/pages/1"] {
        let url = reference(json!({ "kind": "url", "url": address }));
        assert_eq!(UrlResolver.parse_target(ReferenceRole::Link, address), url);
        assert_eq!(
            UrlResolver.format_target(ReferenceRole::Link, &url).as_deref(),
            Some(address)
        );
    }
    assert_eq!(
        UrlResolver.parse_target(ReferenceRole::Link, "#a"),
        reference(json!({ "kind": "anchor", "anchor": "a" }))
    );
    assert_eq!(
        UrlResolver.format_target(ReferenceRole::Link, &reference(json!({ "kind": "page", "page": "a" }))),
        None
    );
}

#[test]
fn id_paths_round_trip() {
    let all = [
        ("/pages/p", json!({ "kind": "page", "page": "p" })),
        (
            "/spaces/s/pages/p",
            json!({ "kind": "page", "page": "p", "space": "s" }),
        ),
        ("#a", json!({ "kind": "anchor", "anchor": "a" })),
        ("/pages/p#a", json!({ "kind": "anchor", "anchor": "a", "page": "p" })),
        (
            "/spaces/s/pages/p#a",
            json!({ "kind": "anchor", "anchor": "a", "page": "p", "space": "s" }),
        ),
        ("/spaces/s#a", json!({ "kind": "anchor", "anchor": "a", "space": "s" })),
        ("/files/f", json!({ "kind": "file", "file": "f" })),
        (
            "/spaces/s/files/f",
            json!({ "kind": "file", "file": "f", "space": "s" }),
        ),
        ("/spaces/s", json!({ "kind": "space", "space": "s" })),
        ("/users/u", json!({ "kind": "user", "user": "u" })),
        ("/collections/c", json!({ "kind": "collection", "collection": "c" })),
        (
            "/reusable-contents/r",
            json!({ "kind": "reusable-content", "reusableContent": "r" }),
        ),
        ("/openapi/a", json!({ "kind": "openapi", "spec": "a" })),
        ("/pages/p/more", json!({ "kind": "url", "url": "/pages/p/more" })),
        ("/users/u#a", json!({ "kind": "url", "url": "/users/u#a" })),
        (
            "https://a.b/pages/p",
            json!({ "kind": "url", "url": "https://a.b/pages/p" }),
        ),
    ];
    for (target, value) in all {
        let reference = reference(value);
        assert_eq!(
            IdPathResolver.parse_target(ReferenceRole::Link, target),
            reference,
            "{target}"
        );
        assert_eq!(
            IdPathResolver.format_target(ReferenceRole::Link, &reference).as_deref(),
            Some(target)
        );
    }
}

#[test]
fn a_reference_without_target_is_an_error() {
    let link = json!({ "object": "inline", "type": "link", "data": { "ref": { "kind": "page", "page": "p" } } });
    let paragraph = json!({ "object": "block", "type": "paragraph", "nodes": [link] });
    let document: Document =
        serde_json::from_value(json!({ "object": "document", "data": {}, "nodes": [paragraph] })).unwrap();
    let error = render_with(&document, &DocumentLimits::default(), &UrlResolver).unwrap_err();
    assert_eq!(
        (error.code, error.pointer.as_str()),
        (ErrorRule::UnresolvedReference, "/nodes/0/nodes/0")
    );
    assert_eq!(
        render_with(&document, &DocumentLimits::default(), &IdPathResolver).unwrap(),
        "[](/pages/p)\n"
    );
    // A URL that would parse as another kind of reference.
    let text = serde_json::to_string(&document)
        .unwrap()
        .replace(r#""kind":"page","page":"p""#, r#""kind":"url","url":"/pages/p""#);
    let document: Document = serde_json::from_str(&text).unwrap();
    assert_eq!(
        render_with(&document, &DocumentLimits::default(), &IdPathResolver)
            .unwrap_err()
            .code,
        ErrorRule::UnresolvedReference
    );
}

/// A resolver without files: it returns URLs even where only files are allowed.
struct NoFiles;

impl LinkResolver for NoFiles {
    fn parse_target(&self, _: ReferenceRole, target: &str) -> ContentRef {
        UrlResolver.parse_target(ReferenceRole::Link, target)
    }

    fn format_target(&self, role: ReferenceRole, reference: &ContentRef) -> Option<String> {
        UrlResolver.format_target(role, reference)
    }
}

#[test]
fn a_reference_fits_its_role_whatever_the_resolver_returns() {
    let document = parse_with("{% file src=\"a\" %}", &DocumentLimits::default(), &NoFiles).unwrap();
    let document = serde_json::to_value(document).unwrap();
    assert_eq!(
        document["nodes"][0]["data"]["ref"],
        json!({ "kind": "file", "file": "a" })
    );
}

#[test]
fn long_targets_are_text() {
    let long = "a".repeat(2049);
    assert_eq!(
        super::parse_nodes(&format!("[b]({long})")),
        json!([super::paragraph(&format!("[b]({long})"))])
    );
}
