//! Markdown that the server gave, written as another page, or after others wrote the page as nodes.

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{directory, imported, tree},
    texts::add,
    world::World,
};

on_each_database![
    copies_refer_to_the_same_files_and_pages,
    markdown_written_after_nodes_refers_to_files,
    references_without_words_have_those_of_their_targets,
];

/// Every element of HTML with a target.
const HTML: &str = "# Home\n\nText one.\n\n\
    <figure><img src=\".gitbook/assets/pump.png\" alt=\"Pump\"><figcaption><p>The pump</p></figcaption></figure>\n\n\
    ![Pump](.gitbook/assets/pump.png)\n\n\
    <picture><source srcset=\".gitbook/assets/dark.png\" media=\"(prefers-color-scheme: dark)\">\
    <img src=\".gitbook/assets/pump.png\" alt=\"x\"></picture> and\n\n\
    <div><figure><img src=\".gitbook/assets/pump.png\" alt=\"\"></figure></div>\n\n\
    <a href=\"other.md#part\" class=\"button primary\">Go</a> <a href=\"other.md\">There</a> <a data-mention href=\"other.md\">other.md</a>\n\n\
    <img src=\".gitbook/assets/pump.png\" alt=\"Plan\" class=\"gitbook-drawing\">\n\n\
    <table data-view=\"cards\"><thead><tr><th></th><th data-card-target data-type=\"content-ref\"></th>\
    <th data-card-cover data-type=\"image\"></th><th data-type=\"files\"></th></tr></thead><tbody>\
    <tr><td>A <a href=\"other.md\">b</a></td><td><a href=\"other.md\">other.md</a></td>\
    <td><a href=\".gitbook/assets/pump.png\">pump.png</a></td><td><a href=\".gitbook/assets/pump.png\">pump.png</a></td></tr>\
    <tr><td>B</td><td></td><td><img src=\".gitbook/assets/pump.png\" data-object-fit=\"cover\"></td><td></td></tr></tbody></table>\n\n\
    {% file src=\".gitbook/assets/pump.png\" %}\nIts plan.\n{% endfile %}\n";

const BOOK: &[(&str, &str)] = &[
    ("README.md", HTML),
    ("other.md", "# Other\n\n## Part\n\nText.\n"),
    (".gitbook/assets/pump.png", "pump"),
    (".gitbook/assets/dark.png", "dark"),
];

/// The references in a document, in their order.
fn references(node: &Value, found: &mut Vec<Value>) {
    match node {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(members) if members.contains_key("kind") => found.push(node.clone()),
        Value::Object(members) => members.values().for_each(|value| references(value, found)),
        _ => {}
    }
}

async fn read(world: &World, space: NodeId, page: &str, refs: &str) -> String {
    let call = world.admin.client.call("getPageById").space(space).path("pageId", page);
    let call = call.query("format", "markdown").query("format.markdown.refs", refs);
    call.expect(200).await["markdown"].as_str().unwrap().to_owned()
}

async fn document(world: &World, space: NodeId, page: &str) -> Value {
    let call = world.admin.client.call("getPageById").space(space).path("pageId", page);
    call.expect(200).await["document"].clone()
}

async fn change(world: &World, space: NodeId, change: Value) -> String {
    let call = world.admin.client.call("updateSpaceContent").space(space);
    let answer = call.json(json!({ "changes": [change] })).expect(200).await;
    answer["changes"][0]["page"]["id"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

async fn copies_refer_to_the_same_files_and_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let (space, report) = imported(&world, directory(BOOK).path()).await;
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    let page = tree(&world, space).await["pages"][0]["id"].as_str().unwrap().to_owned();
    let mut expected = Vec::new();
    references(&document(&world, space, &page).await, &mut expected);
    assert!(expected.len() > 12, "{expected:?}");
    for refs in ["relative", "stable"] {
        let markdown = read(&world, space, &page, refs).await;
        assert!(!markdown.contains("://"), "{markdown}");
        let copy = json!({ "operation": "insert_page", "title": format!("Copy {refs}"), "document": { "markdown": markdown } });
        let copy = change(&world, space, copy).await;
        let mut copied = Vec::new();
        references(&document(&world, space, &copy).await, &mut copied);
        assert_eq!(copied, expected, "{refs}");
    }
}

async fn markdown_written_after_nodes_refers_to_files(database: TestDatabase) {
    let world = World::new(database).await;
    let (space, _) = imported(&world, directory(BOOK).path()).await;
    let page = tree(&world, space).await["pages"][0]["id"].as_str().unwrap().to_owned();
    let markdown = read(&world, space, &page, "relative").await;
    let nodes = document(&world, space, &page).await;
    let mut expected = Vec::new();
    references(&nodes, &mut expected);
    let nodes = json!({ "operation": "update_page", "page": page, "document": { "document": nodes } });
    change(&world, space, nodes).await;
    let edited = markdown.replace("Text one.", "Text two.");
    let edited = json!({ "operation": "update_page", "page": page, "document": { "markdown": edited } });
    change(&world, space, edited).await;
    let after = document(&world, space, &page).await;
    let mut found = Vec::new();
    references(&after, &mut found);
    assert_eq!(found, expected);
    assert!(after.to_string().contains("Text two."));
}

async fn references_without_words_have_those_of_their_targets(database: TestDatabase) {
    let world = World::new(database).await;
    let (space, _) = imported(&world, directory(BOOK).path()).await;
    let target = add(&world, space, &[("R&D *plans*", "Text.")]).await["R&D *plans*"].clone();
    let files = world.admin.client.call("listFiles").space(space).expect(200).await;
    let file = files["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|file| file["name"] == "pump.png");
    let file = file.unwrap()["id"].as_str().unwrap();
    let of_page = json!({ "kind": "page", "page": target });
    let of_file = json!({ "kind": "file", "file": file });
    let text = |text: &str| json!({ "object": "text", "leaves": [{ "object": "leaf", "text": text, "marks": [] }] });
    let card = |of: &Value| json!({ "object": "block", "type": "content-ref", "isVoid": true, "data": { "ref": of } });
    let mention = |of: &Value| json!({ "object": "inline", "type": "mention", "isVoid": true, "data": { "ref": of } });
    let nodes = json!([
        card(&of_page),
        card(&of_file),
        { "object": "block", "type": "paragraph", "data": {}, "nodes": [
            text("See "), mention(&of_page), text(" and "), mention(&of_file), text("."),
        ] },
    ]);
    let written = json!({ "object": "document", "data": {}, "nodes": nodes });
    let page = json!({ "operation": "insert_page", "title": "Page", "document": { "document": written } });
    let page = change(&world, space, page).await;
    let before = document(&world, space, &page).await;
    let words = "R\\&D \\*plans\\*";
    for (refs, path) in [
        ("relative", "r-and-d-plans.md".to_owned()),
        ("stable", format!("/pages/{target}")),
    ] {
        let markdown = read(&world, space, &page, refs).await;
        for expected in [
            format!("{{% content-ref url=\"{path}\" %}}\n[{words}]({path})\n{{% endcontent-ref %}}"),
            format!("{{% content-ref url=\"/files/{file}\" %}}\n[pump.png](/files/{file})\n{{% endcontent-ref %}}"),
            format!("See [{words}]({path} \"mention\") and [pump.png](/files/{file} \"mention\")."),
        ] {
            assert!(markdown.contains(&expected), "{expected}\n\n{markdown}");
        }
        // The words are not stored with the page.
        let edited = markdown.replace("See ", "See also ");
        change(
            &world,
            space,
            json!({ "operation": "update_page", "page": page, "document": { "markdown": edited } }),
        )
        .await;
        change(
            &world,
            space,
            json!({ "operation": "update_page", "page": page, "document": { "markdown": markdown } }),
        )
        .await;
        assert_eq!(document(&world, space, &page).await, before, "{refs}");
    }
}
