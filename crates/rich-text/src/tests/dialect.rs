//! Constructs of real books in the dialect: no word and no attribute is lost, and readers see no tag.

use serde_json::{Value, json};

use super::{assert_round_trip, book, paragraph, parse_document, parse_nodes, render, source};
use crate::{DocumentLimits, IdPathResolver, extract_sections, parse_with, render_with};

/// Asserts that readers see no tag, and that nodes → Markdown → nodes is the identity. Returns the nodes and the Markdown.
#[track_caller]
fn stable(markdown: &str) -> (Value, String) {
    let document = parse_document(markdown);
    let again = render(&document).expect("is written");
    assert_eq!(
        serde_json::to_value(parse_document(&again)).unwrap(),
        serde_json::to_value(&document).unwrap(),
        "{again}"
    );
    let mut visible = String::new();
    book::visible_text(&serde_json::to_value(&document).unwrap(), &mut visible);
    assert_eq!(book::tags(&visible).next(), None, "{visible}");
    for section in extract_sections(&document) {
        assert_eq!(book::tags(&section.body).next(), None, "{section:?}");
    }
    (parse_nodes(markdown), again)
}

#[track_caller]
fn assert_kept(markdown: &str) -> Value {
    let (nodes, again) = stable(markdown);
    assert_eq!(again.trim_end(), markdown.trim_end());
    nodes
}

fn names(nodes: &Value) -> Vec<&str> {
    let nodes = nodes.as_array().map(Vec::as_slice).unwrap_or_default();
    nodes.iter().filter_map(|node| node["type"].as_str()).collect()
}

fn source_with(source: &str, text: &str) -> Value {
    json!({ "type": "paragraph", "nodes": [{ "source": source, "text": text }] })
}

#[test]
fn a_tag_right_after_html_ends_it() {
    for html in [
        "<figure><img src=\"a.png\" alt=\"\"></figure>",
        "<details>\n\n<summary>S</summary>\n\nD\n\n</details>",
        "<div align=\"left\"><figure><img src=\"a.png\" alt=\"\"></figure></div>",
        "<h2 align=\"center\">H</h2>",
        "<div class=\"c\">\nC\n</div>",
        "<hr>",
        "<!-- c -->",
        "<pre><code>a\n\nb\n</code></pre>",
    ] {
        let step = |words: &str| format!("{{% step %}}\n{words}\n\n{html}\n{{% endstep %}}");
        let (nodes, _) = stable(&format!(
            "{{% stepper %}}\n{}\n\n{}\n{{% endstepper %}}",
            step("A"),
            step("B")
        ));
        assert_eq!(names(&nodes), ["stepper"], "{html}");
        assert_eq!(nodes[0]["nodes"].as_array().unwrap().len(), 2, "{html}");
        let (nodes, _) = stable(&format!("{{% hint style=\"info\" %}}\n{html}\n{{% endhint %}}\n\nB"));
        assert_eq!(nodes[1], paragraph("B"), "{html}");
    }
    let table = "<table><thead><tr><th>T</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>";
    let (nodes, _) = stable(&format!("{{% hint style=\"info\" %}}\n{table}\n{{% endhint %}}\nB"));
    assert_eq!(names(&nodes[0]["nodes"]), ["table"]);
    assert_eq!(nodes[1], paragraph("B"));
}

#[test]
fn tabs_have_icons_and_slugs() {
    let nodes =
        assert_kept("{% tabs %}\n{% tab title=\"One\" icon=\"star\" slug=\"one\" %}\nA\n{% endtab %}\n{% endtabs %}\n");
    let data = json!({ "title": "One", "icon": "star", "slug": "one" });
    assert_eq!(nodes[0]["nodes"][0]["data"], data);
    let line = "{% tabs %}\n{% tab title=\"One\" %} Words {% endtab %}\n{% endtabs %}";
    assert_eq!(stable(line).0[0]["nodes"][0]["nodes"], json!([paragraph("Words")]));
}

#[test]
fn preformatted_code_has_options_and_lines() {
    let (nodes, again) = stable(
        "<pre class=\"language-yaml\" data-title=\"a.yaml\" data-overflow=\"wrap\"><code class=\"lang-yaml\">a:\n  b: 1\n</code></pre>",
    );
    let lines = json!([{ "type": "code-line", "nodes": ["a:"] }, { "type": "code-line", "nodes": ["  b: 1"] }]);
    let data = json!({ "syntax": "yaml", "title": "a.yaml", "overflow": "wrap" });
    assert_eq!(nodes, json!([{ "type": "code", "data": data, "nodes": lines }]));
    assert_eq!(
        again,
        "{% code title=\"a.yaml\" overflow=\"wrap\" %}\n```yaml\na:\n  b: 1\n```\n{% endcode %}\n"
    );
}

fn table(head: &str, cells: &str) -> String {
    format!("<table><thead><tr>{head}</tr></thead><tbody><tr>{cells}</tr></tbody></table>\n")
}

#[test]
fn targets_in_cells_keep_their_words() {
    let text = table(
        "<th data-type=\"content-ref\">R</th>",
        "<td><a href=\"https://e.com/x\">Docs</a></td>",
    );
    let nodes = assert_kept(&text);
    let record = &nodes[0]["data"]["records"]["r00001"];
    assert_eq!(
        record["values"]["c001"],
        json!({ "kind": "url", "url": "https://e.com/x" })
    );
    assert_eq!(record["cells"]["c001"]["labels"], json!(["Docs"]));
    assert_eq!(extract_sections(&parse_document(&text))[0].body, "R\nDocs");
    let image = table(
        "<th data-type=\"image\">I</th>",
        "<td><a href=\"https://e.com/a%20b.png\">a b.png</a></td>",
    );
    assert_eq!(names(&assert_kept(&image)), ["table"]);
    let missing = table(
        "<th data-type=\"files\">F</th>",
        "<td><a href=\"gone/x.pdf\">x.pdf</a></td>",
    );
    assert_eq!(names(&assert_kept(&missing)), ["table"]);
}

#[test]
fn tables_have_all_their_attributes() {
    for text in [
        table("<th>A</th>", "<td align=\"right\" valign=\"top\">a</td>"),
        table("<th>A</th><th>B</th>", "<td colspan=\"2\">a</td>"),
        "<table data-search=\"false\"><thead><tr><th>A</th></tr></thead><tbody></tbody></table>\n".to_owned(),
        "<table data-view=\"cards\" data-card-size=\"large\" data-card-wrap=\"false\"><thead><tr><th>A</th></tr></thead><tbody></tbody></table>\n".to_owned(),
    ] {
        assert_eq!(names(&assert_kept(&text)), ["table"], "{text}");
    }
    let (nodes, _) = stable(
        "<table>\n<thead>\n<tr>\n<th><strong>A</strong></th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>a</td>\n</tr>\n</tbody>\n</table>",
    );
    assert_eq!(nodes[0]["data"]["definition"]["c001"]["title"], "A");
    let (nodes, again) = stable("<table><tr><td rowspan=\"2\">a</td><td>b</td></tr><tr><td>c</td></tr></table>");
    assert_eq!(nodes[0]["data"]["view"]["hideHeader"], true);
    assert_eq!(nodes[0]["data"]["cellMerges"][0]["rowSpan"], 2);
    assert!(
        again.contains("<td rowspan=\"2\">a</td><td>b</td></tr><tr><td>c</td></tr>"),
        "{again}"
    );
}

#[test]
fn columns_have_options() {
    let text = table(
        "<th data-type=\"select\">S<select><option value=\"a1\" label=\"New\" color=\"blue\"></option></select></th>",
        "<td><span data-option=\"a1\">New</span></td>",
    );
    let nodes = assert_kept(&text);
    let options = json!([{ "value": "a1", "label": "New", "color": "blue" }]);
    assert_eq!(nodes[0]["data"]["definition"]["c001"]["options"], options);
    assert_eq!(nodes[0]["data"]["records"]["r00001"]["values"]["c001"], json!(["a1"]));
}

#[test]
fn cells_contain_blocks_but_no_headings_of_the_page() {
    let text = table("<th>A</th>", "<td><h4>T</h4><p>x</p><ul><li>y</li><li>z</li></ul></td>");
    let nodes = assert_kept(&text);
    assert_eq!(
        names(&nodes[0]["fragments"][0]["nodes"]),
        ["heading-3", "paragraph", "list-unordered"]
    );
    let document = parse_document(&format!("## T\n\n{text}"));
    let sections = extract_sections(&document);
    assert_eq!(sections.len(), 1);
    assert_eq!(sections[0].body, "A\nT x y z");
    let json = serde_json::to_value(&document).unwrap();
    assert_eq!(json["nodes"][1]["fragments"][0]["nodes"][0].get("meta"), None);
}

#[test]
fn mentions_and_links_keep_their_words_and_titles() {
    let mention =
        |text: &str| json!({ "type": "mention", "data": { "ref": { "kind": "url", "url": "a.md" }, "text": text } });
    let (nodes, again) = stable("<a data-mention href=\"a.md\">A</a>");
    assert_eq!(nodes[0]["nodes"], json!([mention("A")]));
    assert_eq!(again, "[A](a.md \"mention\")\n");
    assert_eq!(
        assert_kept("[Words](a.md \"mention\")\n")[0]["nodes"],
        json!([mention("Words")])
    );
    let nodes = assert_kept("[Words](a.md \"Title\")\n");
    assert_eq!(nodes[0]["nodes"][0]["data"]["title"], "Title");
    assert_eq!(nodes[0]["nodes"][0]["nodes"], json!(["Words"]));
}

#[test]
fn buttons_have_actions_or_nothing() {
    let nodes = assert_kept("<a class=\"button primary\">Soon</a>\n");
    assert_eq!(nodes[0]["nodes"][0]["data"]["label"], "Soon");
    let nodes = assert_kept(
        "<button type=\"button\" class=\"button primary\" data-action=\"ask\" data-query=\"How?\" data-icon=\"bolt\">Ask</button>\n",
    );
    let action = json!({ "action": "ask", "query": "How?" });
    assert_eq!(
        nodes[0]["nodes"][0]["data"],
        json!({ "label": "Ask", "kind": "primary", "icon": "bolt", "action": action })
    );
}

#[test]
fn drawings_have_words_and_may_be_missing() {
    let text = "<img src=\".gitbook/plan.svg\" alt=\"Plan\" class=\"gitbook-drawing\">\n";
    let nodes = assert_kept(text);
    assert_eq!(nodes[0]["data"]["alt"], "Plan");
    let limits = DocumentLimits::default();
    let document = parse_with(text, &limits, &IdPathResolver).unwrap();
    assert_eq!(render_with(&document, &limits, &IdPathResolver).unwrap(), text);
}

#[test]
fn updates_and_prompts_are_blocks() {
    let nodes = assert_kept(
        "{% updates format=\"full\" %}\n{% update date=\"2026-01-02\" tags=\"new,api\" %}\nText\n{% endupdate %}\n{% endupdates %}\n",
    );
    assert_eq!(nodes[0]["type"], "updates");
    let update = &nodes[0]["nodes"][0];
    assert_eq!(update["data"]["date"], "2026-01-02T00:00:00.000Z");
    assert_eq!(update["data"]["tags"][1]["tag"], "api");
    assert_eq!(update["nodes"], json!([paragraph("Text")]));
    let nodes = assert_kept("{% prompt description=\"Do it\" %}\n```markdown\nWrite.\n```\n{% endprompt %}\n");
    assert_eq!(nodes[0]["type"], "prompt");
    assert_eq!(names(&nodes[0]["nodes"]), ["code"]);
    let (nodes, _) = stable("{% prompt description=\"Do it\" %}\nWrite.\n{% endprompt %}");
    assert_eq!(nodes[0]["nodes"][0]["nodes"][0]["nodes"], json!(["Write."]));
}

#[test]
fn the_link_of_an_operation_belongs_to_it() {
    let nodes = assert_kept(
        "{% openapi-operation spec=\"shop\" path=\"/a\" method=\"get\" %}\n[OpenAPI shop](https://e.com/shop.yaml)\n{% endopenapi-operation %}\n",
    );
    assert_eq!(names(&nodes), ["openapi-operation"]);
    for headless in [true, false] {
        let nodes = assert_kept(&format!(
            "{{% openapi-operation spec=\"shop\" path=\"/a\" method=\"get\" headless=\"{headless}\" %}}\n{{% endopenapi-operation %}}\n\n\
             {{% openapi-webhook spec=\"shop\" name=\"a\" method=\"post\" headless=\"{headless}\" %}}\n{{% endopenapi-webhook %}}\n",
        ));
        assert_eq!(names(&nodes), ["openapi-operation", "openapi-webhook"]);
        assert_eq!(
            (&nodes[0]["data"]["headless"], &nodes[1]["data"]["headless"]),
            (&json!(headless), &json!(headless))
        );
    }
    let nodes = assert_kept("{% content-ref url=\"a.md\" %}\n[Words](a.md)\n{% endcontent-ref %}\n");
    assert_eq!(nodes[0]["data"]["text"], "Words");
}

#[test]
fn comments_are_invisible_and_addresses_are_links() {
    let nodes = assert_kept("A <!-- n --> B\n");
    assert_eq!(nodes[0]["nodes"], json!([["A ", { "source": "<!-- n -->" }, " B"]]));
    assert_eq!(
        assert_kept("<!-- one\n\ntwo -->\n"),
        json!([source("<!-- one\n\ntwo -->")])
    );
    let (nodes, _) = stable("See https://e.com/x. Write to a@b.example.");
    let link = |url: &str, words: &str| json!({ "type": "link", "data": { "ref": { "kind": "url", "url": url } }, "nodes": [words] });
    assert_eq!(
        nodes[0]["nodes"],
        json!([
            "See ",
            link("https://e.com/x", "https://e.com/x"),
            ". Write to ",
            link("mailto:a@b.example", "a@b.example"),
            "."
        ])
    );
    assert_eq!(
        assert_kept("No https\\://e.com link\n"),
        json!([paragraph("No https://e.com link")])
    );
}

#[test]
fn shortcodes_and_conditions_are_not_everywhere() {
    let (nodes, _) = stable("host:key:port and :rocket: 10:rocket:20");
    assert_eq!(nodes[0]["nodes"][0], "host:key:port and ");
    assert_eq!(nodes[0]["nodes"][2], " 10:rocket:20");
    let (nodes, again) = stable("{% hint style=\"info\" %}\n{% if %}\n{% endhint %}\n\nB");
    assert_eq!(names(&nodes), ["hint", "paragraph"]);
    assert!(again.contains("{% if %}"), "{again}");
}

#[test]
fn containers_in_others_stay_where_they_are() {
    let (nodes, again) = stable(
        "{% tabs %}\n{% tab title=\"1\" %}\nA\n\n{% stepper %}\n{% step %}\nB\n{% endstep %}\n{% endstepper %}\n\nC\n{% endtab %}\n\n{% tab title=\"2\" %}\nD\n{% endtab %}\n{% endtabs %}",
    );
    assert_eq!(names(&nodes), ["tabs"]);
    assert_eq!(nodes[0]["nodes"].as_array().unwrap().len(), 2);
    let inner = &nodes[0]["nodes"][0]["nodes"];
    assert_eq!(inner[3], paragraph("B"));
    assert!(
        again.contains("{% step %}\nB\n{% endstep %}\n{% endstepper %}"),
        "{again}"
    );
    let pipes = "| a | b |\n| - | - |\n| c | d |";
    let (nodes, again) = stable(&format!(
        "{{% stepper %}}\n{{% step %}}\nA\n\n{pipes}\n\nB\n{{% endstep %}}\n\n{{% step %}}\nC\n{{% endstep %}}\n{{% endstepper %}}"
    ));
    assert_eq!(names(&nodes), ["stepper"]);
    assert_eq!(
        nodes[0]["nodes"][0]["nodes"],
        json!([paragraph("A"), source_with(pipes, "a b\nc d"), paragraph("B")])
    );
    assert!(again.contains(pipes));
    let (nodes, _) = stable(
        "1. A\n\n   <figure><img src=\"a.png\" alt=\"Alt\" width=\"300\"><figcaption><p>Words</p></figcaption></figure>\n\n2. B",
    );
    assert_eq!(names(&nodes), ["list-ordered"]);
    assert_eq!(nodes[0]["nodes"].as_array().unwrap().len(), 2);
    let image = nodes[0].to_string();
    assert!(
        image.contains("inline-image") && image.contains("Words") && image.contains("300"),
        "{image}"
    );
    let (nodes, _) = stable("{% hint style=\"info\" %}\nA\n\n```js\nlet a;\n```\n\nB\n{% endhint %}");
    assert_eq!(names(&nodes), ["hint"]);
    assert!(nodes[0].to_string().contains("let a;"));
}

#[test]
fn unknown_syntax_is_one_block_that_keeps_its_source() {
    for (markdown, visible) in [
        (
            "{% callout kind=\"x\" %}\nSome **bold**   words\n\n* a\n  * b\n\n{% endcallout %}",
            "Some bold   words\na\nb",
        ),
        ("{% youtube id=\"x\" %}", ""),
        (
            "<section class=\"s\">\n<p>One</p>\n  <p>Two</p>\n</section>",
            "One\nTwo",
        ),
        ("<video src=\"a.mp4\" controls>\nNo video\n</video>", "No video"),
        ("<style>\np { color: red }\n</style>", ""),
        ("<table border=\"1\"><tr><td>a</td><td>b</td></tr></table>", "a\nb"),
        (
            "{% callout %}\n{% callout %}\nA\n{% endcallout %}\n{% endcallout %}",
            "A",
        ),
    ] {
        let expected = match visible {
            "" => source(markdown),
            visible => source_with(markdown, visible),
        };
        assert_eq!(assert_kept(markdown), json!([expected]), "{markdown}");
        let quoted = markdown.lines().map(|line| format!("> {line}").trim_end().to_owned());
        let quoted = quoted.collect::<Vec<_>>().join("\n");
        let (nodes, again) = stable(&quoted);
        assert_eq!(names(&nodes), ["blockquote"], "{quoted}");
        assert_eq!(again.trim_end(), quoted);
    }
    assert_eq!(
        assert_kept("x <u>a</u> <span style=\"s\">b</span> y\n")[0]["nodes"],
        json!([["x ", { "source": "<u>" }, "a", { "source": "</u>" }, " ", { "source": "<span style=\"s\">" }, "b", { "source": "</span>" }, " y"]])
    );
    assert_eq!(
        assert_kept("a {% icon name=\"x\" %} b\n")[0]["nodes"],
        json!([["a ", { "source": "{% icon name=\"x\" %}" }, " b"]])
    );
    let text = "Code `{% x %}` and \\{% y %}\n";
    assert_eq!(parse_nodes(text)[0]["nodes"][0][2], " and {% y %}");
    assert_eq!(render(&parse_document(text)).unwrap(), text);
    let (nodes, again) = stable("{% hint style=\"fancy\" %}\nA\n{% endhint %}");
    assert_eq!(
        nodes,
        json!([
            source("{% hint style=\"fancy\" %}"),
            paragraph("A"),
            source("{% endhint %}")
        ])
    );
    assert_eq!(again, "{% hint style=\"fancy\" %}\nA\n{% endhint %}\n");
}

/// Definitions of links and footnotes within unknown syntax are part of it.
#[test]
fn definitions_in_unknown_syntax_stay_there() {
    let nodes = assert_kept("{% x %}\n[a][b] c[^1]\n\n[b]: d\n\n[^1]: e\n{% endx %}\n");
    assert_eq!(nodes.as_array().unwrap().len(), 1);
}

#[test]
fn texts_after_a_kept_source_stay() {
    let (nodes, _) = stable("{% hint style=\"info\" %}\n\n$$\nx\n$$\n\n[^1]: note\n{% endhint %}\n\nend");
    let text = nodes.to_string();
    for words in ["[^1]:", "note", "end"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn code_without_an_end_stays_in_its_container() {
    for markdown in [
        "{% hint style=\"info\" %}\n\n```a\nb\n\n",
        "{% hint style=\"info\" %}\n\n```a\nb",
    ] {
        let (_, again) = stable(markdown);
        assert!(again.contains("```a\nb\n```"), "{again}");
    }
}

/// Tags in targets and titles are no tags: the text and the rendered Markdown keep every character of them.
#[test]
fn tags_in_targets_and_titles_are_text() {
    let image = |data: Value| json!([{ "type": "heading-2", "nodes": [{ "type": "inline-image", "data": data }] }]);
    let url = |url: &str| json!({ "kind": "url", "url": url });
    let tag = "{% hint style=\"info\" %}";
    assert_round_trip(
        "### ![](a \"{% hint style=&#34;info&#34; %}\")",
        image(json!({ "ref": url("a"), "caption": tag })),
        "### ![](a \"&#123;% hint style=&#34;info&#34; %}\")\n",
    );
    let link =
        |data: Value| json!([{ "type": "paragraph", "nodes": [{ "type": "link", "data": data, "nodes": ["a"] }] }]);
    for (markdown, written) in [
        (
            "[a](<b> '{% hint style=\"info\" %}')",
            "[a](b \"&#123;% hint style=&#34;info&#34; %}\")\n",
        ),
        (
            "[a][c]\n\n[c]: b '{% hint style=\"info\" %}'",
            "[a](b \"&#123;% hint style=&#34;info&#34; %}\")\n",
        ),
    ] {
        assert_round_trip(markdown, link(json!({ "ref": url("b"), "title": tag })), written);
    }
    assert_round_trip(
        "[a](b{%c%}d)",
        link(json!({ "ref": url("b{%c%}d") })),
        "[a](<b&#123;%c%}d>)\n",
    );
    assert_round_trip(
        "[a]: b{%c%} \"{% d %}\"\n\n[^{%e%}]: f",
        json!([
            paragraph("[^{%e%}]:"),
            paragraph("f"),
            paragraph("[a]: b{%c%} \"{% d %}\"")
        ]),
        "\\[^\\{%e%}\\]:\n\nf\n\n\\[a\\]: b\\{%c%} \"\\{% d %}\"\n",
    );
}

#[test]
fn a_source_without_an_end_keeps_the_whole_last_line() {
    for last in ["{% file src=\"a\" %}", "$$\nb\n$$", "c", "> {% file src=\"a\" %}"] {
        let text = format!("{{% foo %}}\n\n{{% foo %}}\n\n{{% endfoo %}}\n\n{last}\n");
        let (nodes, _) = stable(&text);
        assert_eq!(nodes[0]["nodes"][0]["source"], format!("{text}{{% endfoo %}}"));
    }
}

#[test]
fn code_in_an_item_after_html_in_an_item_is_code() {
    for html in ["<p></p>", "<table><tr><td>a</td></tr></table>"] {
        for marks in ["*", "1.", "* *", "*\n "] {
            let indent = " ".repeat(marks.trim_end_matches("\n ").len() + 1);
            let text = format!("{marks} b\n\n{indent}{html}\n{marks} ```\n{indent}{{% hint %}}\n{indent}```\n");
            let nodes = parse_nodes(&text).to_string();
            assert!(
                nodes.contains("\"code-line\",\"nodes\":[\"{% hint %}\"]"),
                "{text:?}: {nodes}"
            );
        }
    }
}

#[test]
fn html_that_ends_with_an_empty_line_is_followed_by_tags() {
    for before in [
        "| a |\n|---|\n",
        "# a\n",
        "a\n===\n",
        "a\n---\n",
        "___\n",
        "* a\n",
        "* [ ] \n",
        "> a\n",
        "* \n\n  ",
    ] {
        let nodes = parse_nodes(&format!("{before}<kbd>\n<?b\n\n{{% file src=\"c\" %}}\n"));
        let last = nodes.as_array().and_then(|nodes| nodes.last());
        assert_eq!(last.map(|node| &node["type"]), Some(&json!("file")), "{before:?}");
    }
}

#[test]
fn a_quote_is_part_of_the_html_around_it() {
    let nodes = parse_nodes("<kbd>\n> \n<?a\n\n{% file src=\"b\" %}\n");
    assert_eq!(names(&nodes).last(), Some(&"file"), "{nodes}");
}

#[test]
fn blocks_begun_after_a_tag_go_on_in_the_next_lines() {
    let nodes = parse_nodes("{% hint %}<kbd>\n<?a\n\n{% endhint %}\n{% file src=\"b\" %}\n");
    assert_eq!(names(&nodes), ["hint", "file"], "{nodes}");
    let nodes = parse_nodes("{% code title=\"a\" %}```\n{% hint %}\n```\n{% endcode %}\n");
    assert_eq!(nodes[0]["nodes"][0]["nodes"], json!(["{% hint %}"]), "{nodes}");
}
