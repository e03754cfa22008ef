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
