use serde_json::{Value, json};

use crate::{Href, component, words};

fn shown(element: &Value, state: &Value) -> (String, Vec<String>) {
    let made = component(Some((element, state)), words("en"), &[Href::path("style.css")]);
    let (_, body) = made.html.split_once("<body class=\"component\">").unwrap();
    (body.to_owned(), made.frames)
}

#[test]
fn elements_are_shown() {
    let element = json!({ "type": "block", "children": [
        { "type": "hstack", "children": [{ "type": "text", "style": "bold", "children": ["North ", "harbor"] }] },
        { "type": "markdown", "content": "Water *rises*." },
        { "type": "codeblock", "syntax": "json", "content": { "$state": "source" } },
        { "type": "card", "title": "Tides", "hint": [{ "type": "text", "children": "Twice a day" }],
          "onPress": { "action": "@ui.url.open", "url": "https://example.com/tides" } },
        { "type": "button", "label": "More", "onPress": { "action": "more" } },
        { "type": "webframe", "aspectRatio": 2, "source": { "url": "https://frames.example.com/a?b=1&c=2" },
          "data": { "content": { "$state": "source" }, "unit": "meter" } },
    ]});
    let (html, frames) = shown(&element, &json!({ "source": "[1]" }));
    for part in [
        "<div class=\"row\"><strong>North harbor</strong></div>",
        "Water <em>rises</em>.",
        "<span class=\"n\">1</span>",
        "<strong><a href=\"https://example.com/tides\" rel=\"noopener\">Tides</a></strong>",
        "<small><span>Twice a day</span></small>",
        "<iframe src=\"https://frames.example.com/a?b=1&amp;c=2\" sandbox=\"allow-scripts allow-forms allow-popups\"",
        "height=\"380\"",
        "data-state=\"{&quot;content&quot;:&quot;[1]&quot;,&quot;unit&quot;:&quot;meter&quot;}\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("More"), "{html}");
    assert_eq!(frames, ["https://frames.example.com"]);
}

#[test]
fn components_bring_no_markup_and_no_scripts() {
    let script = "\"><script>alert(1)</script>";
    let element = json!({ "type": "block", "children": [
        script,
        { "type": "text", "children": script },
        { "type": "markdown", "content": format!("{script}\n\n[x](javascript:alert(1))") },
        { "type": "codeblock", "syntax": script, "content": script },
        { "type": "card", "title": script, "hint": script, "onPress": { "action": "@ui.url.open", "url": "javascript:alert(1)" } },
        { "type": "link", "target": { "url": "data:text/html,x" }, "children": "x" },
        { "type": "image", "source": { "url": "javascript:alert(1)" } },
        { "type": "webframe", "source": { "url": "javascript:alert(1)" } },
        { "type": "webframe", "source": { "url": "data:text/html,<script>alert(1)</script>" } },
        { "type": "webframe", "source": { "url": "https://a.example; script-src 'unsafe-inline'/" } },
        { "type": "webframe", "source": { "url": "https://a;frame-ancestors/" } },
        { "type": "webframe", "source": { "url": "https://*/" } },
        { "type": "webframe", "source": { "url": "https://b.example/" }, "aspectRatio": 1e-300, "data": { "x": script } },
        { "type": script, "children": [script] },
        { "children": 7 }, null, 1,
    ]});
    let (html, frames) = shown(&element, &Value::Null);
    for part in ["<script", "=\"javascript:", "data:text", "unsafe"] {
        assert!(!html.contains(part), "{part}: {html}");
    }
    assert_eq!(frames, ["https://b.example"]);
}

#[test]
fn elements_within_each_other_end() {
    let mut element = json!("deep");
    for _ in 0..120 {
        element = json!({ "type": "box", "children": [element] });
    }
    assert!(!shown(&element, &Value::Null).0.contains("deep"));
    let wide = json!({ "type": "box", "children": vec!["x"; 100_000] });
    assert!(shown(&wide, &Value::Null).0.len() < 3_000);
}

#[test]
fn missing_components_are_named() {
    let made = component(None, words("de"), &[]);
    assert!(
        made.html.contains("Dieser Block kann gerade nicht gezeigt werden."),
        "{}",
        made.html
    );
}

#[test]
fn large_states_are_shown_once() {
    let frames =
        (0..20).map(|number| json!({ "type": "webframe", "source": { "url": format!("https://{number}.example/") } }));
    let data: serde_json::Map<String, Value> = (0..1_000)
        .map(|number| (number.to_string(), json!({ "$state": "text" })))
        .collect();
    let source = json!({ "url": "https://0.example/" });
    let mut children: Vec<Value> = frames.collect();
    children.push(json!({ "type": "webframe", "source": source, "data": data }));
    for _ in 0..500 {
        children.push(json!({ "type": "codeblock", "content": { "$state": "text" } }));
        children.push(json!({ "type": "markdown", "content": { "$state": "text" } }));
    }
    let state = json!({ "text": "a".repeat(300_000) });
    let (html, frames) = shown(&json!({ "type": "block", "children": children }), &state);
    assert!(html.len() < 2_000_000, "{}", html.len());
    // Proxies refuse long headers.
    assert_eq!(frames.len(), 10);
}
