//! Documents with targets, also such as run in a browser.

use serde_json::{Value, json};

fn document(block: Value) -> Value {
    json!({ "object": "document", "data": {}, "nodes": [block] })
}

fn link(url: &str) -> Value {
    let text = json!({ "object": "text", "leaves": [{ "object": "leaf", "text": "a", "marks": [] }] });
    let data = json!({ "ref": { "kind": "url", "url": url } });
    let link = json!({ "object": "inline", "type": "link", "data": data, "nodes": [text] });
    document(json!({ "object": "block", "type": "paragraph", "nodes": [link] }))
}

fn embed(url: &str) -> Value {
    document(json!({ "object": "block", "type": "embed", "isVoid": true, "data": { "url": url } }))
}

fn image(url: &str) -> Value {
    let data = json!({ "ref": { "kind": "url", "url": url } });
    let image = json!({ "object": "block", "type": "image", "isVoid": true, "data": data, "fragments": [] });
    document(json!({ "object": "block", "type": "images", "isVoid": false, "data": {}, "nodes": [image] }))
}

/// Documents that are refused, each with the pointer of the node in it.
pub fn unsafe_documents() -> [(Value, &'static str); 4] {
    [
        (link("javascript:a"), "/nodes/0/nodes/0"),
        (link("data:text/html,a"), "/nodes/0/nodes/0"),
        (embed("data:text/html,a"), "/nodes/0"),
        (image("data:image/png;base64,a"), "/nodes/0/nodes/0"),
    ]
}

pub fn safe_documents() -> [Value; 4] {
    [
        link("https://a.example"),
        link("mailto:b@a.example"),
        embed("https://a.example"),
        image("https://a.example/b.png"),
    ]
}
