//! Container tags, and tags without children.

use serde_json::{Value, json};

use super::{assert_canonical, assert_round_trip, paragraph, parse_nodes};

#[test]
fn hints() {
    let hint = |style: &str| json!([{ "type": "hint", "data": { "style": style }, "nodes": [paragraph("A")] }]);
    for style in ["info", "warning", "danger", "success"] {
        assert_canonical(
            &format!("{{% hint style=\"{style}\" %}}\nA\n{{% endhint %}}\n"),
            hint(style),
        );
    }
    assert_round_trip(
        "{%hint%}\nA\n{%   endhint   %}\n",
        hint("info"),
        "{% hint style=\"info\" %}\nA\n{% endhint %}\n",
    );
    let icon = json!([{ "type": "hint", "data": { "style": "info", "icon": "star" } }]);
    assert_canonical("{% hint style=\"info\" icon=\"star\" %}\n{% endhint %}\n", icon);
}

#[test]
fn tabs() {
    let tab = |title: &str| json!({ "type": "tabs-item", "data": { "title": title }, "nodes": [paragraph("A")] });
    assert_canonical(
        "{% tabs %}\n{% tab title=\"A &amp; &quot;B&quot;\" %}\nA\n{% endtab %}\n\n{% tab title=\"C\" %}\nA\n{% endtab %}\n{% endtabs %}\n",
        json!([{ "type": "tabs", "nodes": [tab("A & \"B\""), tab("C")] }]),
    );
    let escaped = parse_nodes("{% tabs %}\n{% tab title=\"a \\\"b\\\"\" %}\nA\n{% endtab %}\n{% endtabs %}");
    assert_eq!(escaped, json!([{ "type": "tabs", "nodes": [tab("a \"b\"")] }]));
    let tabs = parse_nodes("{% tabs %}\n{% endtabs %}");
    assert_eq!(tabs, json!([{ "type": "tabs" }]));
}

#[test]
fn steps_and_columns() {
    let heading = json!({ "type": "heading-2", "nodes": ["A"] });
    assert_canonical(
        "{% stepper %}\n{% step icon=\"star\" %}\n### A\n\nA\n{% endstep %}\n{% endstepper %}\n",
        json!([{ "type": "stepper", "nodes": [{ "type": "stepper-step", "data": { "icon": "star" }, "nodes": [heading, paragraph("A")] }] }]),
    );
    let column = |data: Value| json!({ "type": "column", "data": data, "nodes": [paragraph("A")] });
    let width = json!({ "width": { "unit": "%", "value": 33.5 }, "verticalAlignment": "middle" });
    assert_canonical(
        "{% columns fullWidth=\"true\" %}\n{% column width=\"33.5%\" valign=\"middle\" %}\nA\n{% endcolumn %}\n\n{% column width=\"200\" %}\nA\n{% endcolumn %}\n{% endcolumns %}\n",
        json!([{ "type": "columns", "data": { "fullWidth": true }, "nodes": [column(width), column(json!({ "width": 200.0 }))] }]),
    );
}

#[test]
fn conditions() {
    let condition =
        json!([{ "type": "if", "data": { "expression": "visitor.claims.a == \"b\"" }, "nodes": [paragraph("A")] }]);
    assert_canonical("{% if visitor.claims.a == \"b\" %}\nA\n{% endif %}\n", condition);
}

#[test]
fn expandables() {
    let expandable = |data: Value, title: Value, body: Value| {
        let title = json!({ "type": "expandable-title", "fragment": "expandable-title", "nodes": [{ "type": "paragraph", "nodes": title }] });
        let body = json!({ "type": "expandable-body", "fragment": "expandable-body", "nodes": body });
        let mut node = json!({ "type": "expandable", "fragments": [title, body] });
        if data != json!({}) {
            node["data"] = data;
        }
        json!([node])
    };
    let plain = expandable(json!({}), json!([["A ", ["bold", "b"]]]), json!([paragraph("C")]));
    assert_canonical(
        "<details>\n\n<summary>A <strong>b</strong></summary>\n\nC\n\n</details>\n",
        plain,
    );
    let open = expandable(
        json!({ "defaultExpanded": true }),
        json!(["A"]),
        json!([paragraph("C")]),
    );
    assert_round_trip(
        "<details open><summary>A</summary>C</details>",
        open,
        "<details open>\n\n<summary>A</summary>\n\nC\n\n</details>\n",
    );
}

#[test]
fn leaves() {
    let url = |url: &str| json!({ "kind": "url", "url": url });
    assert_canonical(
        "{% embed url=\"https://a.b/c?d=e\" %}\n",
        json!([{ "type": "embed", "data": { "url": "https://a.b/c?d=e" } }]),
    );
    assert_canonical(
        "{% embed url=\"a\" fullWidth=\"true\" %}\n",
        json!([{ "type": "embed", "data": { "url": "a", "fullWidth": true } }]),
    );
    assert_canonical(
        "{% file src=\"a.zip\" %}\n",
        json!([{ "type": "file", "data": { "ref": { "kind": "file", "file": "a.zip" } } }]),
    );
    assert_canonical(
        "{% content-ref url=\"a.md\" %}\n[a.md](a.md)\n{% endcontent-ref %}\n",
        json!([{ "type": "content-ref", "data": { "ref": url("a.md") } }]),
    );
    let include = json!([{ "type": "reusable-content", "data": { "ref": { "kind": "reusable-content", "reusableContent": "a/b.md" } } }]);
    assert_canonical("{% include \"a/b.md\" %}\n", include);
    // Other content between the tags follows the block.
    let captioned = json!([{ "type": "embed", "data": { "url": "a" } }, paragraph("Caption")]);
    assert_round_trip(
        "{% embed url=\"a\" %}\nCaption\n{% endembed %}\n",
        captioned,
        "{% embed url=\"a\" %}\n\nCaption\n",
    );
}

#[test]
fn integrations() {
    let block = json!([{ "type": "integration", "data": {
        "integration": "board", "block": "list", "url": "https://a.b", "fullWidth": true, "props": { "big": true, "name": "A \"b\"", "size": 1.5 },
    } }]);
    assert_canonical(
        "{% @board/list url=\"https://a.b\" fullWidth=\"true\" big=true name=\"A &quot;b&quot;\" size=1.5 %}\n",
        block,
    );
}

#[test]
fn operations() {
    let spec = json!({ "kind": "openapi", "spec": "api" });
    assert_canonical(
        "{% swagger src=\"a.yaml\" path=\"/a/{b}\" method=\"get\" expanded=\"true\" %}\n{% endswagger %}\n",
        json!([{ "type": "swagger", "data": { "path": "/a/{b}", "method": "get", "expanded": true, "ref": { "kind": "url", "url": "a.yaml" } } }]),
    );
    assert_canonical(
        "{% openapi-operation spec=\"api\" path=\"/a\" method=\"get\" %}\n{% endopenapi-operation %}\n",
        json!([{ "type": "openapi-operation", "data": { "path": "/a", "method": "get", "ref": spec } }]),
    );
    assert_canonical(
        "{% openapi-schemas spec=\"api\" schemas=\"A,B\" grouped=\"false\" %}\n{% endopenapi-schemas %}\n",
        json!([{ "type": "openapi-schemas", "data": { "grouped": false, "schemas": ["A", "B"], "ref": spec } }]),
    );
    assert_canonical(
        "{% openapi-schemas spec=\"api\" schemas=\"A\" grouped=\"true\" title=\"A robot\" %}\n{% endopenapi-schemas %}\n",
        json!([{ "type": "openapi-schemas", "data": { "grouped": true, "schemas": ["A"], "title": "A robot", "ref": spec } }]),
    );
    assert_canonical(
        "{% openapi-webhook spec=\"api\" name=\"a\" method=\"post\" %}\n{% endopenapi-webhook %}\n",
        json!([{ "type": "openapi-webhook", "data": { "name": "a", "method": "post", "ref": spec } }]),
    );
}

#[test]
fn unknown_tags_keep_their_source() {
    for tag in ["{% unknown %}", "{% endhint %}", "{% embed %}"] {
        assert_canonical(&format!("{tag}\n"), json!([super::source(tag)]));
    }
    // The end of a container that has no closing tag is marked.
    for (tag, end) in [
        ("{% hint style=\"odd\" %}", "{% endhint %}"),
        ("{% hint more=\"a\" %}", "{% endhint %}"),
    ] {
        assert_eq!(parse_nodes(tag), json!([super::source(tag), super::source(end)]));
    }
}

#[test]
fn unclosed_tags_end_with_their_container() {
    let hint = |nodes: Value| json!({ "type": "hint", "data": { "style": "info" }, "nodes": nodes });
    assert_eq!(
        parse_nodes("{% hint style=\"info\" %}\nA"),
        json!([hint(json!([paragraph("A")]))])
    );
    let tags = [
        super::source("{% hint style=\"info\" %}"),
        super::source("{% endhint %}"),
    ];
    let quoted = json!({ "type": "blockquote", "nodes": [tags[0], paragraph("A"), tags[1]] });
    assert_eq!(
        parse_nodes("> {% hint style=\"info\" %}\n> A\n\nB"),
        json!([quoted, paragraph("B")])
    );
    let list = json!({ "type": "list-unordered", "nodes": [{ "type": "list-item", "nodes": [paragraph("A")] }] });
    assert_eq!(
        parse_nodes("{% hint style=\"info\" %}\n* A\n{% endhint %}\nB"),
        json!([hint(json!([list])), paragraph("B")])
    );
}
