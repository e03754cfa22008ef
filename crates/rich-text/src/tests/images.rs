//! Image blocks and drawings.

use serde_json::{Value, json};

use super::{assert_canonical, assert_round_trip, parse_nodes};

fn url(url: &str) -> Value {
    json!({ "kind": "url", "url": url })
}

fn image(data: Value, caption: Value) -> Value {
    match caption == json!([]) {
        true => json!({ "type": "image", "data": data }),
        false => json!({ "type": "image", "data": data, "fragments": [{ "fragment": "caption", "nodes": caption }] }),
    }
}

#[test]
fn one_image() {
    let plain = json!([{ "type": "images", "nodes": [image(json!({ "ref": url("a.png"), "alt": "b" }), json!([]))] }]);
    assert_canonical("![b](a.png)\n", plain.clone());
    assert_round_trip(
        "<figure><img src=\"a.png\" alt=\"b\"><figcaption></figcaption></figure>",
        plain,
        "![b](a.png)\n",
    );
    let caption = json!([super::paragraph("c \"d\"")]);
    assert_canonical(
        "![](a.png \"c &#34;d&#34;\")\n",
        json!([{ "type": "images", "nodes": [image(json!({ "ref": url("a.png") }), caption)] }]),
    );
    let caption = json!([{ "type": "paragraph", "nodes": [["c ", ["bold", "d"]]] }]);
    let data = json!({ "ref": url("a.png"), "alt": "b", "width": 375.0, "height": { "unit": "%", "value": 50.0 } });
    assert_round_trip(
        "<figure><img src=\"a.png\" alt=\"b\" width=\"375\" height=\"50%\"><figcaption><p>c <strong>d</strong></p></figcaption></figure>",
        json!([{ "type": "images", "nodes": [image(data, caption)] }]),
        "<figure><img src=\"a.png\" alt=\"b\" width=\"375\" height=\"50%\"><figcaption>c <strong>d</strong></figcaption></figure>\n",
    );
}

#[test]
fn several_images() {
    let images = |data: Value| {
        let images = [
            image(json!({ "ref": url("a.png") }), json!([])),
            image(json!({ "ref": url("b.png") }), json!([])),
        ];
        let mut node = json!({ "type": "images", "nodes": images });
        if data != json!({}) {
            node["data"] = data;
        }
        json!([node])
    };
    let figures = "<figure><img src=\"a.png\" alt=\"\"><figcaption></figcaption></figure> <figure><img src=\"b.png\" alt=\"\"><figcaption></figcaption></figure>";
    assert_canonical(&format!("<div>{figures}</div>\n"), images(json!({})));
    let data = json!({ "align": "left", "fullWidth": true, "withFrame": true });
    assert_canonical(
        &format!("<div align=\"left\" data-full-width=\"true\" data-with-frame=\"true\">{figures}</div>\n"),
        images(data),
    );
}

#[test]
fn dark_variants() {
    let data = json!({ "ref": url("a.png"), "refDark": url("b.png") });
    assert_canonical(
        "<figure><picture><source srcset=\"b.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"a.png\" alt=\"\"></picture><figcaption></figcaption></figure>\n",
        json!([{ "type": "images", "nodes": [image(data, json!([]))] }]),
    );
}

#[test]
fn drawings() {
    let drawing = json!([{ "type": "drawing", "data": { "ref": { "kind": "file", "file": "a.svg" } } }]);
    assert_canonical("<img src=\"a.svg\" alt=\"\" class=\"gitbook-drawing\">\n", drawing);
    assert_canonical(
        "<img src=\"\" alt=\"\" class=\"gitbook-drawing\">\n",
        json!([{ "type": "drawing" }]),
    );
}

#[test]
fn unknown_figures_keep_their_source() {
    for html in [
        "<figure>a</figure>",
        "<div>a</div>",
        "<figure><img src=\"a\" onclick=\"b\"></figure>",
        "<div><figure></figure></div>",
    ] {
        let text = parse_nodes(html).to_string();
        assert!(text.contains(&html[1..4]), "{text}");
    }
}
