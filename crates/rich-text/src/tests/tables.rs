//! Tables.

use openapi::error::ErrorRule;
use openapi::models::{DocumentBlock, DocumentTableView};
use serde_json::{Value, json};

use super::{assert_canonical, assert_round_trip, parse_document, parse_nodes, render};

fn table(markdown: &str) -> Value {
    let mut nodes = parse_nodes(markdown);
    assert_eq!(nodes[0]["type"], "table", "{nodes}");
    nodes[0].take()
}

#[test]
fn pipes() {
    let table = table("a | b\n--|:-:\n**c** | d \\| e\nf\n");
    assert_eq!(
        table["data"]["view"],
        json!({ "type": "grid", "columns": ["c001", "c002"], "hideHeader": false })
    );
    let definition = |id: &str, title: &str, align: &str| json!({ "id": id, "title": title, "type": "text", "textAlignment": align });
    assert_eq!(
        table["data"]["definition"],
        json!({ "c001": definition("c001", "a", "left"), "c002": definition("c002", "b", "center") })
    );
    let record = |order: &str, values: Value| json!({ "orderIndex": order, "values": values });
    assert_eq!(
        table["data"]["records"]["r00001"],
        record("00001", json!({ "c001": "r00001-c001", "c002": "r00001-c002" }))
    );
    assert_eq!(
        table["data"]["records"]["r00002"],
        record("00002", json!({ "c001": "r00002-c001" }))
    );
    assert_eq!(
        table["fragments"][0]["nodes"],
        json!([{ "type": "paragraph", "nodes": [["bold", "c"]] }])
    );
    assert_eq!(table["fragments"][1]["nodes"], json!([super::paragraph("d | e")]));
}

#[test]
fn pipe_tables() {
    let text = "| a | b | c |\n| --- | :-: | --: |\n| **d** | `e` [f](g) | h<br>i |\n|  | \\| |  |\n";
    let document = parse_document(text);
    assert_eq!(render(&document).unwrap(), text);
    let written = render(&parse_document("a|b\n-|-\nc|d")).unwrap();
    assert_eq!(written, "| a | b |\n| --- | --- |\n| c | d |\n");
}

#[test]
fn cells_without_a_column_are_kept() {
    let table = table("| a |\n|---|\n| b | c | d |\n");
    assert_eq!(table["fragments"][0]["nodes"], json!([super::paragraph("b | c | d")]));
    let table = self::table("| a |\n|---|\n| b | <p>c &lt; <code>d</code></p><p>e</p> |\n");
    assert_eq!(table["fragments"][0]["nodes"], json!([super::paragraph("b | c < d e")]));
}

/// Returns the blocks of the only cell of a row.
fn cell_blocks(cell: &str) -> Value {
    let markdown = format!("| a |\n| --- |\n| {cell} |\n");
    let document = parse_document(&markdown);
    let written = render(&document).unwrap_or_else(|error| panic!("{cell}: {error:?}"));
    let mut nodes = parse_nodes(&markdown);
    assert_eq!(nodes, parse_nodes(&written), "{cell}");
    nodes[0]["fragments"][0]["nodes"].take()
}

#[test]
fn blocks_in_cells_of_pipe_tables() {
    let item = |nodes: Value| json!({ "type": "list-item", "nodes": nodes });
    let list = |items: Value| json!({ "type": "list-unordered", "nodes": items });
    let words = super::paragraph;
    for (cell, blocks) in [
        (
            "<p>ITEM:CREATE</p><p>ITEM:READ</p><p>ITEM:UPDATE</p>",
            json!([words("ITEM:CREATE"), words("ITEM:READ"), words("ITEM:UPDATE")]),
        ),
        (
            "<ul><li>ITEM:READ</li><li>**AUDIT**:READ</li></ul>",
            json!([list(json!([
                item(json!([words("ITEM:READ")])),
                item(json!([{ "type": "paragraph", "nodes": [[["bold", "AUDIT"], ":READ"]] }])),
            ]))]),
        ),
        (
            "<p>First line<br>second line</p>",
            json!([words("First line\nsecond line")]),
        ),
        ("A<p>B</p> C", json!([words("A"), words("B"), words("C")])),
        ("A<p>B<p>C", json!([words("A"), words("B"), words("C")])),
        ("<div class=\"x\">A</div><div>B</div>", json!([words("A"), words("B")])),
        (
            "<p align=\"center\">A</p><p class=\"x\">B</p>",
            json!([{ "type": "paragraph", "data": { "align": "center" }, "nodes": ["A"] }, words("B")]),
        ),
        (
            "**A<p>B</p>**",
            json!([
                { "type": "paragraph", "nodes": [["bold", "A"]] },
                { "type": "paragraph", "nodes": [["bold", "B"]] }
            ]),
        ),
        (
            "A<ul><li>B<ul><li>C</li></ul></li></ul>",
            json!([
                words("A"),
                list(json!([item(json!([
                    words("B"),
                    list(json!([item(json!([words("C")]))]))
                ]))]))
            ]),
        ),
        (
            "<ol start=\"3\"><li>A<li><p>B</p></ol>",
            json!([{ "type": "list-ordered", "data": { "start": 3 }, "nodes": [
                item(json!([words("A")])), item(json!([words("B")]))
            ] }]),
        ),
        (
            "<h3>A</h3>B<hr><blockquote><p>C</p><p>D</p></blockquote>",
            json!([
                { "type": "heading-2", "nodes": ["A"] },
                words("B"),
                { "type": "divider" },
                { "type": "blockquote", "nodes": [words("C"), words("D")] }
            ]),
        ),
        ("<p>A</p><p></p>", json!([words("A")])),
    ] {
        assert_eq!(cell_blocks(cell), blocks, "{cell}");
    }
}

#[test]
fn texts_of_blocks_in_cells_never_stand_together() {
    for cell in [
        "<p>Aa</p><p>Bb</p>",
        "<details><summary>Aa</summary>Bb</details>",
        "<section>Aa</section><section>Bb</section>",
        "Aa<pre>Bb</pre>",
        "<dl><dt>Aa</dt><dd>Bb</dd></dl>",
        "Aa</p>Bb",
        "<p>Aa</p></details>Bb</table>",
        "<p>Aa</p><details><summary>Bb</summary></details>",
        "<ul>Aa<li>Bb</li></ul>",
        "<li>Aa</li><li>Bb</li>",
        "<p>Aa</p><pre><code>Bb</code></pre>",
        "<table><tr><td>Aa</td><td>Bb</td></tr></table>",
    ] {
        cell_blocks(cell);
        let document = parse_document(&format!("| {cell} |\n| --- |\n| {cell} |\n"));
        let section = crate::extract_sections(&document).remove(0);
        let words: Vec<&str> = section.body.split_whitespace().collect();
        assert_eq!(words, ["Aa", "Bb", "Aa", "Bb"], "{cell}");
    }
}

#[test]
fn titles_are_text() {
    let table = table("| a **b** | [c](d) |\n|---|---|\n| e | f |\n");
    assert_eq!(table["data"]["definition"]["c001"]["title"], "a b");
    assert_eq!(table["data"]["definition"]["c002"]["title"], "c (d)");
}

#[test]
fn html_grids() {
    let text = concat!(
        "<table data-header-hidden data-new-sizing=\"true\" data-full-width=\"true\"><thead><tr><th width=\"120\" valign=\"top\">a</th>",
        "<th data-type=\"number\">b</th><th data-type=\"checkbox\">c</th><th data-type=\"rating\" data-max=\"7\">d</th>",
        "<th data-type=\"users\" data-multiple>e</th><th data-type=\"files\">f</th>",
        "<th data-type=\"select\">g<select><option value=\"x\" label=\"X\" color=\"red\"></option></select></th>",
        "<th data-hidden data-type=\"image\">h</th></tr></thead><tbody>",
        "<tr><td><p>One</p><p>two</p></td><td>1.5</td><td>true</td><td>3</td><td><a href=\"u1\">u1</a> <a href=\"u2\">u2</a></td>",
        "<td><a href=\"f1\">f1</a></td><td><span data-option=\"x\">X</span></td><td><img src=\"i.png\" alt=\"j\" data-object-fit=\"cover\"></td></tr>",
        "<tr><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td><a href=\"i.png\">i.png</a></td></tr></tbody></table>\n",
    );
    let table = table(text);
    assert_eq!(table["data"]["fullWidth"], true);
    let values = &table["data"]["records"]["r00001"]["values"];
    assert_eq!(values["c002"], 1.5);
    assert_eq!(values["c003"], true);
    assert_eq!(values["c005"], json!(["u1", "u2"]));
    assert_eq!(values["c007"], json!(["x"]));
    let picture = json!({ "ref": { "kind": "url", "url": "i.png" }, "alt": "j", "objectFit": "cover" });
    assert_eq!(values["c008"], picture);
    assert_eq!(
        table["fragments"][0]["nodes"],
        json!([super::paragraph("One"), super::paragraph("two")])
    );
    assert_eq!(render(&parse_document(text)).unwrap(), text);
}

#[test]
fn cards() {
    let text = concat!(
        "<table data-view=\"cards\" data-card-size=\"large\"><thead><tr><th>a</th><th data-card-target data-hidden data-type=\"content-ref\">b</th>",
        "<th data-card-cover data-hidden data-type=\"files\">c</th></tr></thead><tbody><tr><td><strong>A</strong> :rocket:</td>",
        "<td><a href=\"a.md\">a.md</a></td><td></td></tr></tbody></table>\n",
    );
    let document = parse_document(text);
    let DocumentBlock::BlockTable(table) = &document.nodes[0] else {
        panic!("no table");
    };
    let DocumentTableView::DocumentTableViewCards(view) = &table.data.view else {
        panic!("no cards");
    };
    assert_eq!(view.columns, ["c001"]);
    assert_eq!(view.target_definition.as_deref(), Some("c002"));
    assert_eq!(view.cover_definition.as_deref(), Some("c003"));
    assert_eq!(render(&document).unwrap(), text);
}

#[test]
fn unknown_tables_keep_their_source() {
    let odd = "<table border=\"1\"><tbody><tr><td>a</td></tr></tbody></table>";
    let source = json!([{ "type": "paragraph", "nodes": [{ "source": odd, "text": "a" }] }]);
    assert_round_trip(odd, source, &format!("{odd}\n"));
    let text = "<table><tbody><tr><td>a</td></tr></tbody></table>";
    assert_canonical(
        "\\<table>\\<tbody>\\<tr>\\<td>a\\</td>\\</tr>\\</tbody>\\</table>\n",
        json!([super::paragraph(text)]),
    );
}

#[test]
fn tables_have_limits() {
    let wide = |columns: usize| format!("|{}\n|{}\n", "a|".repeat(columns), "-|".repeat(columns));
    assert!(crate::parse(&wide(1000), &Default::default()).is_ok());
    let error = crate::parse(&wide(1001), &Default::default()).unwrap_err();
    assert_eq!(error.code, ErrorRule::TooManyNodes);
}

#[test]
fn cells_of_files_hold_ids() {
    let text = concat!(
        "<table><thead><tr><th data-type=\"files\">a</th></tr></thead><tbody><tr><td><a href=\"/files/f1\">plan.pdf</a> ",
        "<a href=\"/files/f2\">/files/f2</a> <a href=\"gone/x.pdf\">x.pdf</a></td></tr></tbody></table>\n",
    );
    let document = crate::parse_with(text, &Default::default(), &crate::IdPathResolver).unwrap();
    let DocumentBlock::BlockTable(table) = &document.nodes[0] else {
        panic!("no table");
    };
    let values = serde_json::to_value(&table.data.records).unwrap();
    assert_eq!(values["r00001"]["values"]["c001"], json!(["f1", "f2", "gone/x.pdf"]));
    assert_eq!(
        crate::render_with(&document, &Default::default(), &crate::IdPathResolver).unwrap(),
        text
    );
}

#[test]
fn irregular_html_tables_are_tables() {
    let titles = |table: &Value| -> Vec<String> {
        let columns = table["data"]["definition"].as_object().unwrap().values();
        columns
            .map(|column| column["title"].as_str().unwrap().to_owned())
            .collect()
    };
    let long = table(
        "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td></tr><tr><td>2</td><td>3</td><td>4</td></tr></tbody></table>",
    );
    assert_eq!(titles(&long), ["A", "B", ""]);
    assert_eq!(long["fragments"].as_array().unwrap().len(), 4);
    assert_eq!(long["fragments"][3]["fragment"], "r00002-c003");
    let spanning = table(
        "<table><thead><tr><th colspan=\"2\">A</th><th rowspan=\"2\">B</th></tr><tr><th>a</th><th>b</th></tr></thead>\
        <tbody><tr><td colspan=\"9\">1</td></tr><tr><td rowspan=\"2\">2</td><td colspan=\"2\">3</td><td>4</td></tr><tr><td>5</td><td>6</td><td>7</td></tr></tbody></table>",
    );
    assert_eq!(titles(&spanning), ["A", "", "B", ""]);
    assert_eq!(spanning["data"]["cellMerges"][0]["colSpan"], 3);
    assert_eq!(spanning["fragments"].as_array().unwrap().len(), 9);
    for text in [
        "<table><colgroup><col width=\"9\"><col></colgroup><tr><td>a</td></tr></table>",
        "<table><thead><tr><th>A</th></tr></thead><tfoot><tr><td>sum</td></tr></tfoot><tbody><tr><td>a</td></tr></tbody></table>",
    ] {
        let document = parse_document(text);
        assert_eq!(parse_document(&render(&document).unwrap()), document, "{text}");
        let nodes = parse_nodes(text);
        assert_eq!(nodes[0]["type"], "table", "{text}");
        assert_eq!(nodes[0]["fragments"][0]["nodes"], json!([super::paragraph("a")]));
    }
}

#[test]
fn captions_of_tables_stay_visible() {
    let text = "<table><caption>Sizes</caption><tr><th>Name</th></tr><tr><td>x</td></tr><tfoot><tr><td>sum</td></tr></tfoot></table>";
    let nodes = parse_nodes(text);
    assert_eq!(nodes[0], super::paragraph("Sizes"));
    assert_eq!(nodes[1]["data"]["definition"]["c001"]["title"], "Name");
    let cells: Vec<&Value> = nodes[1]["fragments"].as_array().unwrap().iter().collect();
    assert_eq!(cells[0]["nodes"], json!([super::paragraph("x")]));
    assert_eq!(cells[1]["nodes"], json!([super::paragraph("sum")]));
    let document = parse_document(text);
    assert_eq!(parse_document(&render(&document).unwrap()), document);
}
