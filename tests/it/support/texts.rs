//! Writing the content of spaces.

use std::collections::HashMap;

use entity::ids::NodeId;
use rich_text::page_source::{PageSource, title_text};
use serde_json::{Value, json};

use super::{
    paths::{node_id, texts},
    world::World,
};

/// Adds pages with texts to the space and gives their ids by their names.
pub async fn add(world: &World, space: NodeId, pages: &[(&str, &str)]) -> HashMap<String, String> {
    let changes = pages.iter().map(|(name, text)| insert(name, text)).collect();
    write(world, space, changes).await
}

/// The Markdown of a page without the line of its title.
pub fn without_title(page: &Value) -> String {
    let markdown = page["markdown"].as_str().unwrap();
    let source = PageSource::split(markdown);
    assert_eq!(source.title.map(title_text).as_deref(), page["title"].as_str());
    let front = source.front_matter.map(|front| format!("---\n{front}---\n\n"));
    front.unwrap_or_default() + source.body.trim_start_matches('\n')
}

pub fn insert(name: &str, text: &str) -> Value {
    json!({ "operation": "insert_page", "title": name, "ref": name, "document": { "markdown": text } })
}

pub fn edit(page: &str, text: &str) -> Value {
    json!({ "operation": "update_page", "page": page, "document": { "markdown": text } })
}

pub fn delete(page: &str) -> Value {
    json!({ "operation": "delete_page", "page": page })
}

pub fn upload(name: &str) -> Value {
    let file = json!({ "name": name, "ref": name, "base64": "aGVsbG8=", "contentType": "text/plain" });
    json!({ "operation": "insert_files", "files": [file] })
}

/// Makes changes to the content of a space. Gives the ids of new pages by their names, and those of new files.
pub async fn write(world: &World, space: NodeId, changes: Vec<Value>) -> HashMap<String, String> {
    let call = world.admin.client.call("updateSpaceContent").space(space);
    ids(&call.json(json!({ "changes": changes })).expect(200).await)
}

pub fn ids(answer: &Value) -> HashMap<String, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pages = answer["changes"].as_array().unwrap().iter();
    let pages = pages.map(|page| (text(&page["ref"]), text(&page["page"]["id"])));
    let files = answer["insertedFiles"].as_array().into_iter().flatten();
    let files = files.map(|file| (text(&file["name"]), text(&file["id"])));
    pages.chain(files).filter(|(name, _)| !name.is_empty()).collect()
}

/// A new space at the top level.
pub async fn new_space(world: &World, title: &str) -> NodeId {
    let create = world.admin.client.call("createSpace").here(world);
    node_id(&create.json(json!({ "title": title })).expect(201).await)
}

/// The titles of the pages of places.
pub fn titles(list: &Value) -> Vec<String> {
    texts(list, "/page/title")
}
