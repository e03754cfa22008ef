//! Paragraphs, headings, dividers, quotes, math.

use serde_json::json;

use crate::{DocumentLimits, extract_anchors};

use super::{assert_canonical, assert_round_trip, paragraph, parse_document, parse_nodes};

#[test]
fn paragraphs() {
    assert_canonical("One.\n\nTwo.\n", json!([paragraph("One."), paragraph("Two.")]));
    // Line ends within a paragraph are spaces.
    assert_round_trip("One\nline.\n", json!([paragraph("One line.")]), "One line.\n");
    assert_canonical("One\\\nline\\\n\\\nthree.\n", json!([paragraph("One\nline\n\nthree.")]));
    assert_round_trip("One  \nline.\n", json!([paragraph("One\nline.")]), "One\\\nline.\n");
    assert_canonical("<p></p>\n", json!([{ "type": "paragraph" }]));
    assert_round_trip("", json!([]), "");
}

#[test]
fn alignment() {
    let centered = json!([{ "type": "paragraph", "data": { "align": "center" }, "nodes": [["A ", ["bold", "b"]]] }]);
    assert_round_trip(
        "<p align=\"center\">A <b>b</b></p>\n",
        centered,
        "<p align=\"center\">A <strong>b</strong></p>\n",
    );
    assert_canonical(
        "<h3 align=\"right\">A</h3>\n",
        json!([{ "type": "heading-2", "data": { "align": "end" }, "nodes": ["A"] }]),
    );
}

#[test]
fn headings() {
    let heading = |level: u8| json!([{ "type": format!("heading-{level}"), "nodes": ["A"] }]);
    assert_canonical("## A\n", heading(1));
    assert_canonical("### A\n", heading(2));
    assert_canonical("#### A\n", heading(3));
    // Level 1 is the title of the page; levels beyond those of the contract become the last level.
    assert_round_trip("# A\n", heading(1), "## A\n");
    assert_round_trip("###### A\n", heading(3), "#### A\n");
    assert_round_trip("A\n---\n", heading(1), "## A\n");
    assert_canonical("##\n", json!([{ "type": "heading-1" }]));
    assert_canonical("## \\# A \\#\n", json!([{ "type": "heading-1", "nodes": ["# A #"] }]));
}

#[test]
fn anchors() {
    let chosen = json!([{ "type": "heading-1", "data": { "id": "own" }, "nodes": ["A"] }]);
    assert_canonical("## A <a href=\"#own\" id=\"own\"></a>\n", chosen);
    let spaced = json!([{ "type": "heading-3", "data": { "id": "own" }, "nodes": ["1. "] }]);
    assert_canonical("#### 1\\.&#32; <a href=\"#own\" id=\"own\"></a>\n", spaced);
    let anchors = |markdown: &str| -> Vec<String> {
        let document = serde_json::to_value(parse_document(markdown)).unwrap();
        let nodes = document["nodes"].as_array().unwrap().iter();
        nodes
            .map(|node| node["meta"]["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        anchors("## Über uns!\n\n## A_b\n\n## A b\n\n## ?\n"),
        ["uber-uns", "a_b", "a-b", "section"]
    );
    for (heading, anchor) in [
        ("1. First step", "id-1.-first-step"),
        ("Plans & pricing", "plans-and-pricing"),
        ("What's new, and what isn’t", "whats-new-and-what-isnt"),
        ("When you’re done", "when-you-re-done"),
        ("Users’ needs", "users-needs"),
        ("`config.yaml` and .md files", "config.yaml-and-.md-files"),
        ("Set syntax…", "set-syntax..."),
        ("CI/CD (v2)", "ci-cd-v2"),
        ("Setting up an AD", "setting-up-an-a-d"),
        ("...", "section"),
        ("Papéis de sistema", "papeis-de-sistema"),
        ("1. Préparation du fichier", "id-1.-preparation-du-fichier"),
        ("Æsir, Straße, Łódź", "aesir-strasse-lodz"),
        ("快速开始", "kuai-su-kai-shi"),
        ("14.2. 延伸統計 API", "id-14.2.-yan-shen-tong-ji-api"),
        ("Ελληνικά и русский", "ellinika-i-russkii"),
        ("Матричная факторизация", "matrichnaya-faktorizaciya"),
        ("Жесткий переход и объём", "zhestkii-perekhod-i-obyom"),
        ("Щит є їжак", "shit-ye-yizhak"),
        ("საქართველო", "sakartvelo"),
        ("IN | OUT", "in-or-out"),
        ("`<inject>` Section", "less-than-inject-greater-than-section"),
        ("∑ of ∞", "sum-of-infinity"),
        ("Cafe\u{301} – “quoted”", "cafe-quoted"),
        ("Install {#setup}", "setup"),
        ("Install {#Set.Up_1}", "set.up_1"),
        ("Install \\{#setup}", "install-setup"),
        ("Install {#set up}", "install-set-up"),
    ] {
        assert_eq!(anchors(&format!("## {heading}\n")), [anchor]);
    }
    assert_eq!(anchors("## A <a href=\"#b\" id=\"b\"></a>\n\n## B\n"), ["b", "b-1"]);
}

#[test]
fn an_id_behind_a_heading_is_not_shown() {
    let chosen = json!([{ "type": "heading-1", "data": { "id": "own" }, "nodes": ["A"] }]);
    for markdown in ["## A {#own}\n", "## A {#own} ##\n", "A {#own}\n---\n", "## A{#own}\n"] {
        assert_round_trip(markdown, chosen.clone(), "## A <a href=\"#own\" id=\"own\"></a>\n");
    }
    let bold = json!([{ "type": "heading-1", "data": { "id": "b" }, "nodes": [{ "leaves": [{ "text": "A", "marks": ["bold"] }] }] }]);
    assert_eq!(parse_nodes("## **A** {#b}\n")[0]["data"], bold[0]["data"]);
    assert_canonical(
        "## A {\\#own}\n",
        json!([{ "type": "heading-1", "nodes": ["A {#own}"] }]),
    );
    assert_canonical("## {\\#own}\n", json!([{ "type": "heading-1", "nodes": ["{#own}"] }]));
}

#[test]
fn older_forms_of_anchors_lead_to_the_heading() {
    let markdown = "## Papéis de sistema\n\n## 1. Préparation du fichier\n\n## 快速开始\n\n## Überblick\n\n## A & b\n\n## Two {#Own}\n\n\
        ## Copy/Move & Produce\n\n## Матрица и щит\n\n## IN | OUT\n\n## 4.2.8. 窗函數呼叫\n\n## A heading that goes on and on and on, and has more than a hundred \
        characters, which no id of a heading has\n";
    let found = extract_anchors(markdown, &DocumentLimits::default()).unwrap();
    for (link, anchor) in [
        ("papeis-de-sistema", "papeis-de-sistema"),
        ("papéis-de-sistema", "papeis-de-sistema"),
        ("pape\u{301}is-de-sistema", "papeis-de-sistema"),
        ("id-1.-preparation-du-fichier", "id-1.-preparation-du-fichier"),
        ("id-1.-préparation-du-fichier", "id-1.-preparation-du-fichier"),
        ("1.-preparation-du-fichier", "id-1.-preparation-du-fichier"),
        ("1-preparation-du-fichier", "id-1.-preparation-du-fichier"),
        ("快速开始", "kuai-su-kai-shi"),
        ("Überblick", "uberblick"),
        ("a-and-b", "a-and-b"),
        ("Own", "own"),
        ("copymove--produce", "copy-move-and-produce"),
        ("matritsa-i-shchit", "matrica-i-shit"),
        ("матрица-и-щит", "matrica-i-shit"),
        ("in-out", "in-or-out"),
        ("4-2-8-chuang-han-hu-jiao", "id-4.2.8.-chuang-han-shu-hu-jiao"),
        (
            "a-heading-that-goes-on-and-on-and-on-and-has-more-than-a-hundred-characters-which-no-id-of-a-heading-has",
            "a-heading-that-goes-on-and-on-and-on-and-has-more-than-a-hundred-characters-which-no-id-of-a-heading",
        ),
    ] {
        assert_eq!(found.find(link), Some(anchor), "{link}");
    }
    for link in ["papeis", "preparation-du-fichier", "section", ""] {
        assert_eq!(found.find(link), None, "{link}");
    }
}

#[test]
fn dividers() {
    for divider in ["***", "---", "___", "<hr>"] {
        assert_round_trip(&format!("{divider}\n"), json!([{ "type": "divider" }]), "___\n");
    }
}

#[test]
fn quotes() {
    let inner = json!({ "type": "blockquote", "nodes": [paragraph("B")] });
    assert_canonical(
        "> A\n>\n> > B\n",
        json!([{ "type": "blockquote", "nodes": [paragraph("A"), inner] }]),
    );
    assert_canonical(">\n", json!([{ "type": "blockquote" }]));
    let two = json!([{ "type": "blockquote", "nodes": [paragraph("A")] }, { "type": "blockquote", "nodes": [paragraph("B")] }]);
    assert_canonical("> A\n\n> B\n", two);
}

#[test]
fn formulas() {
    let formula = |formula: &str| json!({ "type": "math", "data": { "formula": formula } });
    assert_canonical("$$\na\n- b\n\n= c\n$$\n", json!([formula("a\n- b\n\n= c")]));
    let quoted = json!({ "type": "math", "data": { "formula": "a\n> b" } });
    assert_canonical(
        "* $$\n  a\n  > b\n  $$\n",
        json!([{ "type": "list-unordered", "nodes": [{ "type": "list-item", "nodes": [quoted] }] }]),
    );
    // A single dollar sign is text; so are two that nothing closes.
    assert_canonical("\\$5 and \\$6\n", json!([paragraph("$5 and $6")]));
    assert_eq!(parse_nodes("$$\na"), json!([paragraph("$$ a")]));
    assert_eq!(parse_nodes("```\n$$\n```\n\n$$\nb\n$$")[1], formula("b"));
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
        let mut document = parse_document("x");
        let node = serde_json::to_value(&document)
            .unwrap()
            .to_string()
            .replace("\"x\"", &json!(line).to_string());
        document = serde_json::from_str(&node).unwrap();
        let written = super::render(&document).unwrap();
        assert_eq!(parse_nodes(&written), json!([paragraph(line)]), "{written}");
    }
}
