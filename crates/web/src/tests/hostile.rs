use openapi::models::DocumentBlock;
use serde_json::json;

use crate::{Href, Html, render, words};

use super::{Space, html};

const SCRIPT: &str = "<script>alert(1)</script>\"><img src=x onerror=alert(1)>";

#[test]
fn text_never_becomes_markup() {
    let texts = [
        SCRIPT.to_owned(),
        format!("`{SCRIPT}`"),
        format!("# {SCRIPT}"),
        format!("```html\n{SCRIPT}\n```"),
        format!("```\n{SCRIPT}\n```"),
        format!("| {SCRIPT} |\n| --- |\n| {SCRIPT} |"),
        format!("$${SCRIPT}$$"),
        "$$\\text{<script>alert(1)</script>}$$".to_owned(),
        "$$\\operatorname{<img src=x>}$$".to_owned(),
        "$$\\mathop{<script>alert(1)</script>}$$".to_owned(),
        "$$\\mathrm{<img src=x>} \\begin{matrix}<img src=x>\\end{matrix} \\color{<img src=x>} x$$".to_owned(),
        "[x](https://example.com/\"onclick=alert(1))".to_owned(),
        format!("{{% hint style=\"info\" %}}\n{SCRIPT}\n{{% endhint %}}"),
        format!(
            "{{% code title=\"{}\" %}}\n```js\nx\n```\n{{% endcode %}}",
            SCRIPT.replace('"', "&quot;")
        ),
    ];
    for text in texts {
        let html = html(&text);
        assert!(!html.contains("<script") && !html.contains("<img"), "{text}: {html}");
        assert!(
            !html.contains(" onerror=alert(1)>") || html.contains("&lt;img"),
            "{text}: {html}"
        );
    }
}

#[test]
fn addresses_that_browsers_run_are_no_links() {
    for address in [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "vbscript:x",
        "data:text/html,<script>alert(1)</script>",
    ] {
        assert_eq!(Href::link(address), None, "{address}");
        assert_eq!(Href::image(address), None, "{address}");
        let block = json!([{
            "object": "block", "type": "paragraph", "nodes": [{
                "object": "inline", "type": "link", "data": { "ref": { "kind": "url", "url": address } },
                "nodes": [{ "object": "text", "leaves": [{ "object": "leaf", "text": "x", "marks": [] }] }]
            }]
        }]);
        let blocks: Vec<DocumentBlock> = serde_json::from_value(block).unwrap();
        let content = render(&blocks, &Space::new(), words("en"));
        assert_eq!(content.html.as_str(), "<p dir=\"auto\">x</p>");
    }
}

#[test]
fn paths_stay_on_the_host() {
    for path in ["//example.com/", "/\\example.com", "\\\\example.com"] {
        assert_eq!(
            Href::path(path).as_str().trim_start_matches('/').chars().next(),
            Some('e')
        );
        assert!(!Href::path(path).as_str().starts_with("//"));
    }
}

#[test]
fn escapes_are_those_of_text_and_attributes() {
    let mut html = Html::default();
    drop(html.open("a").attribute("title", "\"'<>&\0"));
    html.text("\"'<>&\0");
    assert_eq!(
        html.as_str(),
        "<a title=\"&quot;'&lt;&gt;&amp;\u{fffd}\">&quot;'&lt;&gt;&amp;\u{fffd}"
    );
}

#[test]
fn reusable_content_that_contains_itself_ends() {
    let block = json!([{
        "object": "block", "type": "reusable-content", "isVoid": true,
        "data": { "ref": { "kind": "reusable-content", "reusableContent": "x" } }
    }]);
    let mut space = Space::new();
    space.reusable = serde_json::from_value(block).unwrap();
    let content = render(&space.reusable, &space, words("en"));
    assert!(content.html.is_empty());
}

#[test]
fn long_code_is_shown_plain() {
    let line = "x = 1; ".repeat(10_000);
    let html = html(&format!("```js\n{line}\n```\n"));
    assert!(html.contains(&line) && !html.contains("class=\"n\""));
}
