//! Texts of public books in which the author means more than CommonMark reads.

use serde_json::{Value, json};

use super::{assert_round_trip, paragraph, parse_document, parse_nodes, render};
use crate::{UrlResolver, extract_sections, rewrite_links, unknown_syntax};

fn line(nodes: Value) -> Value {
    json!([{ "type": "paragraph", "nodes": nodes }])
}

fn link(url: &str) -> Value {
    json!({ "type": "link", "data": { "ref": { "kind": "url", "url": url } }, "nodes": [url] })
}

/// Asserts that nodes, written as Markdown and read again, stay the same.
#[track_caller]
fn assert_stable(markdown: &str) -> String {
    let document = parse_document(markdown);
    let again = render(&document).unwrap_or_else(|error| panic!("{error}: {markdown}"));
    assert_eq!(parse_document(&again), document, "{again}");
    again
}

#[test]
fn words_in_angle_brackets_are_text() {
    let word = |source: &str| json!({ "source": source, "text": source });
    for (markdown, sources) in [
        (
            "Run <your api key> and <path to file>, then <server address>/login.\n",
            vec!["<your api key>", "<path to file>", "<server address>"],
        ),
        (
            "* <first name> of the <table name>\n",
            vec!["<first name>", "<table name>"],
        ),
        ("### The <Data Source> <data>\n", vec!["<Data Source>"]),
        ("| Key |\n| --- |\n| <your api key> |\n", vec!["<your api key>"]),
        ("<path to file>\n", vec!["<path to file>"]),
        (
            "**<user id>** and [<user name>](a.md)\n",
            vec!["<user id>", "<user name>"],
        ),
        ("Put <name>Ann</name> there.\n", vec!["<name>", "</name>"]),
        (
            "<table><tbody><tr><td><your api key></td></tr></tbody></table>\n",
            vec!["<your api key>"],
        ),
    ] {
        let nodes = parse_nodes(markdown).to_string();
        for source in &sources {
            assert!(nodes.contains(&word(source).to_string()), "{nodes}");
        }
        let sections = extract_sections(&parse_document(markdown));
        let text: String = sections
            .iter()
            .map(|part| format!("{}\n{}\n", part.title, part.body))
            .collect();
        for source in &sources {
            assert!(text.contains(source), "{source}: {text}");
        }
        assert_stable(markdown);
        assert_eq!(
            unknown_syntax(markdown)
                .unwrap_or_default()
                .iter()
                .filter(|tag| sources.contains(&tag.as_str()))
                .count(),
            0
        );
    }
    // Elements of HTML, with values or with attributes that have none.
    for markdown in [
        "a <input disabled> b\n",
        "a <u hidden>c</u> b\n",
        "a <Card title=\"x\"> b\n",
        "a <button data-x> b\n",
        "a <u> b\n",
    ] {
        let sections = extract_sections(&parse_document(markdown));
        assert!(!sections[0].body.contains('<'), "{:?}", sections[0].body);
        assert_eq!(
            unknown_syntax(markdown).map(|found| found.is_empty()),
            Ok(false),
            "{markdown}"
        );
    }
    assert_eq!(
        parse_nodes("<div>Use <your api key></div>")[0]["nodes"][0]["text"],
        "Use <your api key>"
    );
}

#[test]
fn the_first_word_of_a_fence_is_the_language() {
    let code = |data: Value, text: &str| json!([{ "type": "code", "data": data, "nodes": [{ "type": "code-line", "nodes": [text] }] }]);
    assert_round_trip(
        "```js title=\"index.js\" {1,3} showLineNumbers\nlet a;\n```\n",
        code(
            json!({ "syntax": "js", "title": "index.js", "info": "{1,3} showLineNumbers" }),
            "let a;",
        ),
        "{% code title=\"index.js\" %}\n```js {1,3} showLineNumbers\nlet a;\n```\n{% endcode %}\n",
    );
}

#[test]
fn languages_of_fences_have_no_attributes() {
    for (info, syntax, title, rest) in [
        ("{.python .numberLines}", "python", "", ".numberLines"),
        ("{.mermaid}", "mermaid", "", ""),
        ("{r setup, echo=FALSE}", "r", "", "setup, echo=FALSE"),
        ("rust,ignore", "rust", "", ",ignore"),
        ("js{1,3}", "js", "", "{1,3}"),
        ("title=\"only\"", "", "only", ""),
        ("{1,3}", "{1,3}", "", ""),
        ("C++", "C++", "", ""),
    ] {
        let data = &parse_nodes(&format!("```{info}\na\n```"))[0]["data"];
        let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
        assert_eq!(
            [text("syntax"), text("title"), text("info")],
            [syntax, title, rest],
            "{info}"
        );
    }
}

#[test]
fn the_title_of_a_code_tag_comes_before_that_of_its_fence() {
    let data =
        &parse_nodes("{% code title=\"a.js\" overflow=\"wrap\" %}\n```js title=\"b.js\" {1}\na\n```\n{% endcode %}")[0]
            ["data"];
    assert_eq!(
        (&data["title"], &data["info"], &data["overflow"]),
        (&json!("a.js"), &json!("title=b.js {1}"), &json!("wrap"))
    );
}

#[test]
fn addresses_end_before_punctuation_of_other_scripts() {
    assert_eq!(
        parse_nodes("参照 https://example.com/a。次は（https://example.com/b）です、https://example.com/c、終わり。"),
        line(json!([
            "参照 ",
            link("https://example.com/a"),
            "。次は（",
            link("https://example.com/b"),
            "）です、",
            link("https://example.com/c"),
            "、終わり。"
        ]))
    );
    for (markdown, urls) in [
        ("访问https://example.com/d，谢谢！", vec!["https://example.com/d"]),
        (
            "「http://example.com/a」『ftp://example.com/b』",
            vec!["http://example.com/a", "ftp://example.com/b"],
        ),
        ("a\u{3000}https://example.com/a\u{3000}b", vec!["https://example.com/a"]),
        ("“https://example.com/a”，b", vec!["https://example.com/a"]),
        ("링크: https://example.com/a를 참조", vec!["https://example.com/a"]),
        (
            "| a |\n|---|\n| https://example.com/a。`b\\|c` https://example.com/b、 |",
            vec!["https://example.com/a", "https://example.com/b"],
        ),
        (
            "* https://example.com/a；https://example.com/b！",
            vec!["https://example.com/a", "https://example.com/b"],
        ),
        ("### https://example.com/a：b", vec!["https://example.com/a"]),
        ("**https://example.com/a**。", vec!["https://example.com/a"]),
        // Letters that a path begins with, and addresses in brackets, are whole.
        (
            "https://ja.wikipedia.org/wiki/日本語",
            vec!["https://ja.wikipedia.org/wiki/日本語"],
        ),
        ("<https://example.com/a。b>", vec!["https://example.com/a。b"]),
        ("[a](https://example.com/a。b)", vec!["https://example.com/a。b"]),
        ("[a](<https://example.com/a。b>)", vec!["https://example.com/a。b"]),
        (
            "[a][b]\n\n[b]: https://example.com/a。b",
            vec!["https://example.com/a。b"],
        ),
        (
            "<a href=\"https://example.com/a。b\">a</a>",
            vec!["https://example.com/a。b"],
        ),
    ] {
        let links = crate::extract_links(&parse_document(markdown));
        let found: Vec<String> = links
            .iter()
            .filter_map(|link| crate::LinkResolver::format_target(&UrlResolver, link.role, &link.reference))
            .collect();
        assert_eq!(found, urls, "{markdown}");
        assert_stable(markdown);
        let mut keep = |_: &str, _| crate::LinkChange::Keep;
        assert_eq!(rewrite_links(markdown, &mut keep).as_deref(), Ok(markdown));
    }
    for markdown in [
        "`https://example.com/a。b`",
        "```\nhttps://example.com/a。b\n```",
        "    https://example.com/a。b",
    ] {
        assert!(
            parse_nodes(markdown).to_string().contains("https://example.com/a。b"),
            "{markdown}"
        );
    }
}

#[test]
fn each_reference_to_a_footnote_has_the_note() {
    let annotation = |text: &str, body: &str| {
        let body = json!([{ "type": "annotation-body", "nodes": [paragraph(body)] }]);
        json!({ "type": "annotation", "nodes": [text], "fragments": body })
    };
    assert_round_trip(
        "One[^n] and two[^n].\n\n[^n]: The note.\n",
        line(json!([
            "One",
            annotation("n", "The note."),
            " and two",
            annotation("n", "The note."),
            "."
        ])),
        "One[n](#user-content-fn-1)[^1] and two[n](#user-content-fn-1)[^1].\n\n[^1]: The note.\n",
    );
    // In another block, in a cell, and in another note.
    let text = "A[^n].\n\n* B[^n]\n\n| C |\n|---|\n| D[^n] E[^m] |\n\n[^n]: N\n\n[^m]: M[^n]\n";
    assert_eq!(parse_nodes(text).to_string().matches("\"annotation\"").count(), 5);
    assert_eq!(assert_stable(text).matches("]: ").count(), 2);
    // Notes in a circle end.
    assert_stable("A[^a] B[^a]\n\n[^a]: x[^b] y[^b]\n\n[^b]: z[^a]\n");
}

#[test]
fn definitions_are_read_at_the_end_of_the_text() {
    let target = |markdown: &str| {
        let nodes = parse_nodes(markdown);
        assert_eq!(nodes.as_array().map(Vec::len), Some(1), "{nodes}");
        assert_stable(markdown);
    };
    for definition in [
        "[g]: <guide.md>",
        "[g]: <guide.md> ",
        "[g]: <guide.md> \"T\"",
        "[g]: <guide.md>\n'T'",
        "[g]:\n<guide.md>",
        "[g]: <>",
        "[g]: guide.md (T)",
        "[g]: guide.md",
        "[site]: <https://docs.example.com/x>\n[g]: <guide.md>",
        "[g]: <guide.md>\n[site]: <https://docs.example.com/x>",
        "   [g]: <guide.md>",
        "[g]: <guide.md>\n\n",
    ] {
        for before in [
            "See [the guide][g] and [site].\n\n",
            "See [the guide][g] and [site].\r\n\r\n",
        ] {
            target(&format!("{before}{definition}"));
            target(&format!("{before}{definition}\n"));
        }
        let quoted = definition.replace('\n', "\n> ");
        let markdown = format!("See [the guide][g].\n\n> {quoted}");
        assert!(!parse_nodes(&markdown).to_string().contains("[g]"), "{markdown}");
        let item = definition.replace('\n', "\n  ");
        let markdown = format!("See [the guide][g].\n\n* {item}");
        assert!(!parse_nodes(&markdown).to_string().contains("[g]"), "{markdown}");
    }
}

#[test]
fn formulas_in_containers_that_hold_no_block_of_math_are_inline() {
    let formula = |formula: &str| json!({ "type": "paragraph", "nodes": [{ "type": "inline-math", "data": { "formula": formula } }] });
    for (markdown, kind) in [
        (
            "{% hint style=\"info\" %}\nEnergy:\n\n$$\nE = mc^2\n$$\n{% endhint %}\n",
            "hint",
        ),
        ("> Energy:\n>\n> $$\n> E = mc^2\n> $$\n", "blockquote"),
        (
            "<details>\n\n<summary>S</summary>\n\nEnergy:\n\n$$\nE = mc^2\n$$\n\n</details>\n",
            "expandable",
        ),
        (
            "{% hint style=\"info\" %}\n* Energy:\n\n  $$\n  E = mc^2\n  $$\n{% endhint %}\n",
            "hint",
        ),
    ] {
        let nodes = parse_nodes(markdown);
        assert_eq!(nodes[0]["type"], kind);
        let has_block = nodes.to_string().contains("\"math\"");
        assert!(
            has_block || nodes.to_string().contains(&formula("E = mc^2").to_string()),
            "{nodes}"
        );
        assert_eq!(has_block, markdown.contains("* "), "{nodes}");
        assert_eq!(assert_stable(markdown), markdown);
    }
    let text = "a[b](#user-content-fn-1)[^1]\n\n[^1]: $$\n    x\n    $$\n";
    assert_eq!(
        parse_nodes(text)[0]["nodes"][1]["fragments"][0]["nodes"],
        json!([formula("x")])
    );
    assert_eq!(assert_stable(text), text);
    let lines = "{% hint style=\"info\" %}\n$$\na &= b \\\\\n  c\n\nd\n$$\n{% endhint %}\n";
    assert_eq!(
        parse_nodes(lines)[0]["nodes"],
        json!([formula("a &= b \\\\\n  c\n\nd")])
    );
    assert_eq!(assert_stable(lines), lines);
}

#[test]
fn links_open_applications_but_run_no_script() {
    for target in [
        "vscode:extension/a.b",
        "slack://open",
        "mailto:a@b.example",
        "tel:+1",
        "obsidian://open?vault=a",
        "ms-word:ofe|u|https://a.example",
    ] {
        let nodes = parse_nodes(&format!("[a](<{target}>)"));
        assert_eq!(nodes[0]["nodes"][0]["type"], "link", "{target}");
        assert_stable(&format!("[a](<{target}>)"));
    }
}
