//! Marks and other inlines.

use serde_json::{Value, json};

use super::{assert_canonical, assert_round_trip, parse_nodes};

fn line(nodes: Value) -> Value {
    json!([{ "type": "paragraph", "nodes": nodes }])
}

fn url(url: &str) -> Value {
    json!({ "kind": "url", "url": url })
}

#[test]
fn marks() {
    assert_canonical("a **b** c\n", line(json!([["a ", ["bold", "b"], " c"]])));
    assert_round_trip(
        "a *b* __c__\n",
        line(json!([["a ", ["italic", "b"], " ", ["bold", "c"]]])),
        "a _b_ **c**\n",
    );
    assert_canonical(
        "~~a~~ `b` <kbd>c</kbd> x<sup>2</sup> y<sub>1</sub>\n",
        line(json!([[
            ["strikethrough", "a"],
            " ",
            ["code", "b"],
            " ",
            ["keyboard", "c"],
            " x",
            ["superscript", "2"],
            " y",
            ["subscript", "1"]
        ]])),
    );
    assert_round_trip("***a***\n", line(json!([["bold italic", "a"]])), "**_a_**\n");
    assert_canonical(
        "**a `b` c**\n",
        line(json!([[["bold", "a "], ["bold code", "b"], ["bold", " c"]]])),
    );
    // Delimiters within words, and where they would not parse as marks.
    assert_canonical("a**b**c\n", line(json!([["a", ["bold", "b"], "c"]])));
    assert_round_trip("a*b*c\n", line(json!([["a", ["italic", "b"], "c"]])), "a<em>b</em>c\n");
    assert_round_trip(
        "<b>a </b>b\n",
        line(json!([[["bold", "a "], "b"]])),
        "<strong>a </strong>b\n",
    );
    assert_canonical("**世界**你好\n", line(json!([[["bold", "世界"], "你好"]])));
}

#[test]
fn code_in_lines() {
    assert_canonical(
        "``a`b`` `  a  `\n",
        line(json!([[["code", "a`b"], " ", ["code", " a "]]])),
    );
    assert_round_trip("`a\nb`\n", line(json!([["code", "a b"]])), "`a b`\n");
    assert_canonical("<code>a\\\nb</code>\n", line(json!([["code", "a\nb"]])));
}

#[test]
fn colors() {
    let color = |text: &str, background: &str| json!([{ "type": "color", "object": "mark", "data": { "text": text, "background": background } }]);
    let marks = |markdown: &str| {
        let document = serde_json::to_value(super::parse_document(markdown)).unwrap();
        document["nodes"][0]["nodes"][0]["leaves"][0]["marks"].clone()
    };
    assert_eq!(marks("<mark style=\"color:red;\">a</mark>"), color("red", "default"));
    assert_eq!(
        marks("<mark style=\"background-color:yellow;\">a</mark>"),
        color("default", "yellow")
    );
    assert_eq!(
        marks("<mark style=\"color:$primary;background-color:blue;\">a</mark>"),
        color("$primary", "blue")
    );
    assert_canonical(
        "<mark style=\"color:red;\">**a** b</mark>\n",
        line(json!([[["bold color", "a"], ["color", " b"]]])),
    );
}

#[test]
fn links() {
    let link = |nodes: Value, target: Value| json!({ "type": "link", "data": { "ref": target }, "nodes": nodes });
    assert_canonical("[a](b.md)\n", line(json!([link(json!(["a"]), url("b.md"))])));
    assert_canonical("[a](<b c.md>)\n", line(json!([link(json!(["a"]), url("b c.md"))])));
    assert_canonical(
        "[a](#b)\n",
        line(json!([link(json!(["a"]), json!({ "kind": "anchor", "anchor": "b" }))])),
    );
    assert_canonical(
        "<https://a.b>\n",
        line(json!([link(json!(["https://a.b"]), url("https://a.b"))])),
    );
    assert_round_trip(
        "[a][b]\n\n[b]: c\n",
        line(json!([link(json!(["a"]), url("c"))])),
        "[a](c)\n",
    );
    assert_canonical(
        "**see [a](b) now**\n",
        line(json!([
            ["bold", "see "],
            link(json!([["bold", "a"]]), url("b")),
            ["bold", " now"]
        ])),
    );
    // Links accept only text and images.
    assert_round_trip(
        "[a :rocket: b](c)\n",
        line(json!([link(json!(["a 🚀 b"]), url("c"))])),
        "[a 🚀 b](c)\n",
    );
    let image = json!({ "type": "inline-image", "data": { "ref": url("b") } });
    assert_canonical("[![](b)](c)\n", line(json!([link(json!([image]), url("c"))])));
}

#[test]
fn inline_images() {
    let image = |data: Value| json!({ "type": "inline-image", "data": data });
    assert_canonical(
        "a ![b](c.png) d\n",
        line(json!(["a ", image(json!({ "ref": url("c.png"), "alt": "b" })), " d"])),
    );
    assert_canonical(
        "a ![](c.png \"d\")\n",
        line(json!(["a ", image(json!({ "ref": url("c.png"), "caption": "d" }))])),
    );
    assert_canonical(
        "a <img src=\"c.png\" alt=\"\" data-size=\"line\">\n",
        line(json!(["a ", image(json!({ "ref": url("c.png"), "size": "line" }))])),
    );
    let dark = "<picture><source srcset=\"d.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"c.png\" alt=\"b\"></picture>";
    assert_canonical(
        &format!("a {dark}\n"),
        line(json!([
            "a ",
            image(json!({ "ref": url("c.png"), "refDark": url("d.png"), "alt": "b" }))
        ])),
    );
    // Alone in its paragraph, but not an images block.
    assert_canonical(
        "<img src=\"c.png\" alt=\"b\">\n",
        line(json!([image(json!({ "ref": url("c.png"), "alt": "b" }))])),
    );
    // An image in the alternative text of an image, and a link.
    assert_eq!(
        parse_nodes("a ![b ![c](d) [e](f)](g)")[0]["nodes"][1]["data"]["alt"],
        json!("b (d) c (f) e")
    );
}

#[test]
fn emoji_and_icons() {
    let emoji = |code: &str| json!({ "type": "emoji", "data": { "code": code } });
    assert_canonical(":rocket:\n", line(json!([emoji("1f680")])));
    assert_canonical(
        "<span data-tag=\"emoji\" data-code=\"1f469-200d-1f4bb-x\"></span>\n",
        line(json!([emoji("1f469-200d-1f4bb-x")])),
    );
    assert_round_trip(
        "🚀 :no_such_name:\n",
        line(json!(["🚀 :no_such_name:"])),
        "🚀 \\:no_such_name:\n",
    );
    assert_canonical(
        "<i class=\"fa-star\" style=\"color:red;\">:star:</i>\n",
        line(json!([{ "type": "icon", "data": { "icon": "star", "color": "red" } }])),
    );
}

#[test]
fn formulas_and_expressions() {
    assert_canonical(
        "a $$b^2$$ c\n",
        line(json!(["a ", { "type": "inline-math", "data": { "formula": "b^2" } }, " c"])),
    );
    assert_canonical(
        "<span class=\"math\">a\\$b</span>\n",
        line(json!([{ "type": "inline-math", "data": { "formula": "a$b" } }])),
    );
    assert_canonical(
        "<code class=\"expression\">space.vars.a</code>\n",
        line(json!([{ "type": "expression", "data": { "expression": "space.vars.a" } }])),
    );
}

#[test]
fn mentions_and_buttons() {
    assert_canonical(
        "[a.md](a.md \"mention\")\n",
        line(json!([{ "type": "mention", "data": { "ref": url("a.md") } }])),
    );
    let button =
        json!({ "type": "button", "data": { "label": "Go", "kind": "primary", "icon": "star", "ref": url("a") } });
    assert_canonical(
        "<a href=\"a\" class=\"button primary\" data-icon=\"star\">Go</a>\n",
        line(json!([button])),
    );
}

#[test]
fn annotations() {
    let annotation = |nodes: Value, body: Value| json!({ "type": "annotation", "nodes": nodes, "fragments": [{ "type": "annotation-body", "nodes": body }] });
    let body = json!([{ "type": "paragraph", "nodes": ["b"] }]);
    assert_canonical(
        "[a](#user-content-fn-1)[^1] c\n\n[^1]: b\n",
        line(json!([annotation(json!(["a"]), body.clone()), " c"])),
    );
    // A plain footnote annotates its own name.
    let named = line(json!(["a", annotation(json!(["x"]), body.clone())]));
    assert_round_trip("a[^x]\n\n[^x]: b\n", named, "a[x](#user-content-fn-1)[^1]\n\n[^1]: b\n");
    // A reference without definition and a definition without reference stay text.
    assert_eq!(parse_nodes("a[^x] b[^y]\n\n[^x]: b")[0]["nodes"][2], json!(" b[^y]"));
    assert_eq!(
        parse_nodes("a\n\n[^z]: b"),
        json!([super::paragraph("a"), super::paragraph("[^z]:"), super::paragraph("b")])
    );
    // A footnote that refers to itself ends.
    assert_eq!(
        parse_nodes("a[^x]\n\n[^x]: b[^x]")[0]["nodes"][1]["fragments"][0]["nodes"][0],
        super::paragraph("b[^x]")
    );
}

#[test]
fn unknown_html_keeps_its_source() {
    for html in [
        "<a onclick=\"x\">",
        "</kbd>",
        "<kbd>",
        "<!-- a -->",
        "<img src=\"a\" onerror=\"b\">",
    ] {
        let parts = json!([["x ", { "source": html }, " y"]]);
        assert_canonical(&format!("x {html} y\n"), line(parts));
        assert_canonical(&format!("{html}\n"), json!([super::source(html)]));
    }
    // A word in angle brackets is no element.
    let word = json!([["x ", { "source": "<name>", "text": "<name>" }, " y"]]);
    assert_canonical("x <name> y\n", line(word));
}
