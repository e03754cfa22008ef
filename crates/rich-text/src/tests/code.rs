//! Code blocks.

use serde_json::{Value, json};

use super::{assert_canonical, assert_round_trip, parse_nodes};

fn lines(lines: &[&str]) -> Value {
    let line = |line: &&str| match line.is_empty() {
        true => json!({ "type": "code-line" }),
        false => json!({ "type": "code-line", "nodes": [line] }),
    };
    lines.iter().map(line).collect()
}

#[test]
fn fences() {
    assert_canonical(
        "```rust\nfn a() {}\n\nb\n```\n",
        json!([{ "type": "code", "data": { "syntax": "rust" }, "nodes": lines(&["fn a() {}", "", "b"]) }]),
    );
    assert_canonical("```\n```\n", json!([{ "type": "code" }]));
    assert_canonical("```\n\n```\n", json!([{ "type": "code", "nodes": lines(&[""]) }]));
    assert_canonical(
        "````\n```\n````\n",
        json!([{ "type": "code", "nodes": lines(&["```"]) }]),
    );
    assert_round_trip(
        "    a\n      b\n",
        json!([{ "type": "code", "nodes": lines(&["a", "  b"]) }]),
        "```\na\n  b\n```\n",
    );
    assert_round_trip(
        "~~~ a b\nc\n~~~\n",
        json!([{ "type": "code", "data": { "syntax": "a", "info": "b" }, "nodes": lines(&["c"]) }]),
        "```a b\nc\n```\n",
    );
    let long = "x".repeat(101);
    assert_eq!(
        parse_nodes(&format!("```{long}\na\n```")),
        json!([{ "type": "code", "nodes": lines(&[&long, "a"]) }])
    );
}

#[test]
fn options() {
    let data = json!({ "syntax": "js", "title": "a \"b\".js", "overflow": "wrap", "lineNumbers": true });
    assert_canonical(
        "{% code title=\"a &quot;b&quot;.js\" overflow=\"wrap\" lineNumbers=\"true\" %}\n```js\na\n```\n{% endcode %}\n",
        json!([{ "type": "code", "data": data, "nodes": lines(&["a"]) }]),
    );
    let data = json!({ "fullWidth": true, "expandable": true, "collapsedLineCount": 3 });
    assert_canonical(
        "{% code fullWidth=\"true\" expandable=\"true\" collapsedLineCount=\"3\" %}\n```\na\n```\n{% endcode %}\n",
        json!([{ "type": "code", "data": data, "nodes": lines(&["a"]) }]),
    );
    // The options apply to the first code block between the tags; without one the tags keep their source.
    let blocks = parse_nodes("{% code title=\"a\" %}\nb\n{% endcode %}");
    assert_eq!(
        blocks,
        json!([
            super::source("{% code title=\"a\" %}"),
            super::paragraph("b"),
            super::source("{% endcode %}")
        ])
    );
}

#[test]
fn tags_and_formulas_in_code_are_code() {
    let text = ["{% hint style=\"info\" %}", "  {% endhint %}  ", "$$", "a", "$$"];
    assert_canonical(
        &format!("```\n{}\n```\n", text.join("\n")),
        json!([{ "type": "code", "nodes": lines(&text) }]),
    );
    let indented = text.map(|line| format!("    {line}")).join("\n");
    assert_eq!(
        parse_nodes(&indented),
        json!([{ "type": "code", "nodes": lines(&text) }])
    );
    let listed = text.map(|line| format!("  {line}")).join("\n");
    let list = parse_nodes(&format!("* ```\n{listed}\n  ```"));
    assert_eq!(
        list[0]["nodes"][0]["nodes"],
        json!([{ "type": "code", "nodes": lines(&text) }])
    );
}

#[test]
fn highlights_and_annotations() {
    let line = |nodes: Value, data: Value| json!({ "type": "code-line", "data": data, "nodes": nodes });
    let highlighted = json!([
        json!({ "type": "code-line", "nodes": ["a < b"] }),
        line(json!(["c"]), json!({ "highlighted": true })),
        json!({ "type": "code-line", "nodes": ["d"] }),
    ]);
    let text = "<pre class=\"language-sh\"><code class=\"lang-sh\">a &lt; b\n<strong>c\n</strong>d\n</code></pre>\n";
    assert_canonical(
        text,
        json!([{ "type": "code", "data": { "syntax": "sh" }, "nodes": highlighted }]),
    );
    let body = json!([{ "type": "annotation-body", "nodes": [super::paragraph("why")] }]);
    let nodes = json!(["a ", { "type": "annotation", "nodes": ["b"], "fragments": body }, { "type": "expression", "data": { "expression": "c" } }]);
    let text = "<pre><code>a <a data-footnote-ref href=\"#user-content-fn-1\">b</a><code class=\"expression\">c</code>\n</code></pre>\n\n[^1]: why\n";
    assert_canonical(
        text,
        json!([{ "type": "code", "nodes": [{ "type": "code-line", "nodes": nodes }] }]),
    );
}
