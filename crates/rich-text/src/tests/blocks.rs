//! Paragraphs, headings, dividers, quotes, formulas.

use serde_json::json;

use super::{both_ways, nodes, paragraph, read, usual};

#[test]
fn paragraphs() {
    usual("One.\n\nTwo.\n", json!([paragraph("One."), paragraph("Two.")]));
    // Where lines end within a paragraph says nothing.
    both_ways("One\nline.\n", json!([paragraph("One line.")]), "One line.\n");
    usual("One\\\nline\\\n\\\nthree.\n", json!([paragraph("One\nline\n\nthree.")]));
    both_ways("One  \nline.\n", json!([paragraph("One\nline.")]), "One\\\nline.\n");
    usual("<p></p>\n", json!([{ "type": "paragraph" }]));
    both_ways("", json!([]), "");
}

#[test]
fn alignment() {
    let centered = json!([{ "type": "paragraph", "data": { "align": "center" }, "nodes": [["A ", ["bold", "b"]]] }]);
    both_ways(
        "<p align=\"center\">A <b>b</b></p>\n",
        centered,
        "<p align=\"center\">A <strong>b</strong></p>\n",
    );
    usual(
        "<h3 align=\"right\">A</h3>\n",
        json!([{ "type": "heading-2", "data": { "align": "end" }, "nodes": ["A"] }]),
    );
}

#[test]
fn headings() {
    let heading = |level: u8| json!([{ "type": format!("heading-{level}"), "nodes": ["A"] }]);
    usual("## A\n", heading(1));
    usual("### A\n", heading(2));
    usual("#### A\n", heading(3));
    // The title of a page is none of them; deeper ones than the contract has are of the last level.
    both_ways("# A\n", heading(1), "## A\n");
    both_ways("###### A\n", heading(3), "#### A\n");
    both_ways("A\n---\n", heading(1), "## A\n");
    usual("##\n", json!([{ "type": "heading-1" }]));
    usual("## \\# A \\#\n", json!([{ "type": "heading-1", "nodes": ["# A #"] }]));
}

#[test]
fn anchors() {
    let chosen = json!([{ "type": "heading-1", "data": { "id": "own" }, "nodes": ["A"] }]);
    usual("## A <a href=\"#own\" id=\"own\"></a>\n", chosen);
    let anchors = |markdown: &str| -> Vec<String> {
        let document = serde_json::to_value(read(markdown)).unwrap();
        let nodes = document["nodes"].as_array().unwrap().iter();
        nodes
            .map(|node| node["meta"]["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        anchors("## Über uns!\n\n## A_b\n\n## A b\n\n## ?\n"),
        ["über-uns", "a-b", "a-b-1", "section"]
    );
    assert_eq!(anchors("## A <a href=\"#b\" id=\"b\"></a>\n\n## B\n"), ["b", "b-1"]);
}

#[test]
fn dividers() {
    for divider in ["***", "---", "___", "<hr>"] {
        both_ways(&format!("{divider}\n"), json!([{ "type": "divider" }]), "___\n");
    }
}

#[test]
fn quotes() {
    let inner = json!({ "type": "blockquote", "nodes": [paragraph("B")] });
    usual(
        "> A\n>\n> > B\n",
        json!([{ "type": "blockquote", "nodes": [paragraph("A"), inner] }]),
    );
    usual(">\n", json!([{ "type": "blockquote" }]));
    let two = json!([{ "type": "blockquote", "nodes": [paragraph("A")] }, { "type": "blockquote", "nodes": [paragraph("B")] }]);
    usual("> A\n\n> B\n", two);
}

#[test]
fn formulas() {
    let formula = |formula: &str| json!({ "type": "math", "data": { "formula": formula } });
    usual("$$\na\n- b\n\n= c\n$$\n", json!([formula("a\n- b\n\n= c")]));
    let quoted = json!({ "type": "math", "data": { "formula": "a\n> b" } });
    usual(
        "* $$\n  a\n  > b\n  $$\n",
        json!([{ "type": "list-unordered", "nodes": [{ "type": "list-item", "nodes": [quoted] }] }]),
    );
    // One sign is money; two that nothing closes are text.
    usual("\\$5 and \\$6\n", json!([paragraph("$5 and $6")]));
    assert_eq!(nodes("$$\na"), json!([paragraph("$$ a")]));
    assert_eq!(nodes("```\n$$\n```\n\n$$\nb\n$$")[1], formula("b"));
}

#[test]
fn text_that_looks_like_something_else() {
    let lines = [
        "# A",
        "> A",
        "* A",
        "- A",
        "+ A",
        "1. A",
        "12) A",
        "---",
        "===",
        "***",
        "```",
        "~~~",
        "| a |",
        "    a",
        "\ta",
        "<b>a</b>",
        "[a](b)",
        "![a](b)",
        "[a]: b",
        "[^1]",
        "[^1]: a",
        "`a`",
        "**a**",
        "_a_",
        "~~a~~",
        "$a$",
        "$$a$$",
        ":rocket:",
        "&amp;",
        "a\\",
        "{% hint %}",
        "{% hint style=\"info\" %}",
        "<!-- a -->",
        "[ ] a",
        "snake_case",
        "a*b",
        "2 * 3",
        "C:\\a",
        "a ",
        " a",
        "!",
    ];
    for line in lines {
        let mut document = read("x");
        let node = serde_json::to_value(&document)
            .unwrap()
            .to_string()
            .replace("\"x\"", &json!(line).to_string());
        document = serde_json::from_str(&node).unwrap();
        let written = super::render(&document).unwrap();
        assert_eq!(nodes(&written), json!([paragraph(line)]), "{written}");
    }
}
