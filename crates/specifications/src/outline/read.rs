//! Reading an outline from a finished document. Members that are not as the format says count as absent.

use std::collections::HashMap;

use openapi::models::texts::PAGE_TITLE;
use serde_json::{Map, Value};

use super::{
    EntryKind, MAX_DESCRIPTION_BYTES, MAX_DESCRIPTIONS_BYTES, MAX_ENTRIES, MAX_NAME_LENGTH, MAX_PATH_LENGTH,
    MAX_PATHS_BYTES, MAX_SCHEMAS, MAX_SCHEMAS_BYTES, Outline, OutlineEntry, OutlineGroup,
};
use crate::METHODS;

/// References that lead from one path item to the next.
const MAX_REFERENCES: usize = 10;

/// The keys of groups begin in two ways, so that no tag has the key of another group.
const UNTAGGED_KEY: &str = "operations";
const UNTAGGED_TITLE: &str = "Operations";
const WEBHOOKS_KEY: &str = "webhooks";
const WEBHOOKS_TITLE: &str = "Webhooks";

pub fn outline(document: &Value) -> Outline {
    let mut reader = Reader {
        document,
        entries: 0,
        paths: 0,
        descriptions: 0,
    };
    let description = reader.description(&document["info"]);
    let mut groups = reader.tags();
    reader.add_operations(&mut groups);
    groups.retain(|group| !group.entries.is_empty() || !group.description.is_empty());
    groups.extend(reader.webhooks());
    let all = operations(document, "paths").chain(operations(document, "webhooks"));
    let with_page: usize = groups.iter().map(|group| group.entries.len()).sum();
    Outline {
        description,
        without_page: all.count().saturating_sub(with_page),
        groups,
        schemas: reader.schemas(),
    }
}

struct Reader<'d> {
    document: &'d Value,
    /// How many were taken so far.
    entries: usize,
    /// The bytes of their paths so far.
    paths: usize,
    /// The bytes of descriptions so far.
    descriptions: usize,
}

impl<'d> Reader<'d> {
    fn tags(&mut self) -> Vec<OutlineGroup> {
        let mut groups: Vec<OutlineGroup> = Vec::new();
        let mut known = HashMap::new();
        for tag in self.document["tags"].as_array().into_iter().flatten() {
            let Some(name) = name(&tag["name"]) else { continue };
            if known.insert(name, ()).is_none() && self.take("") {
                let title = ["x-page-title", "x-displayName", "summary"].into_iter();
                let title = title.filter_map(|member| tag[member].as_str()).find_map(title_of);
                let description = self.description(tag);
                groups.push(group_of_tag(name, title, description));
            }
        }
        groups
    }

    fn add_operations(&mut self, groups: &mut Vec<OutlineGroup>) {
        let mut known: HashMap<String, usize> = HashMap::new();
        for (index, group) in groups.iter().enumerate() {
            known.insert(group.key.clone(), index);
        }
        let mut untagged = Vec::new();
        for (path, method, operation) in operations(self.document, "paths") {
            if !self.take(path) {
                break;
            }
            let entry = entry(EntryKind::Operation, path, method, operation);
            let Some(tag) = operation["tags"].get(0).and_then(name) else {
                untagged.push(entry);
                continue;
            };
            let index = *known.entry(tag_key(tag)).or_insert_with(|| {
                groups.push(group_of_tag(tag, None, String::new()));
                groups.len() - 1
            });
            if let Some(group) = groups.get_mut(index) {
                group.entries.push(entry);
            }
        }
        groups.push(plain_group(UNTAGGED_KEY, UNTAGGED_TITLE, untagged));
    }

    fn webhooks(&mut self) -> Option<OutlineGroup> {
        let mut entries = Vec::new();
        for (name, method, operation) in operations(self.document, "webhooks") {
            if !self.take(name) {
                break;
            }
            entries.push(entry(EntryKind::Webhook, name, method, operation));
        }
        (!entries.is_empty()).then(|| plain_group(WEBHOOKS_KEY, WEBHOOKS_TITLE, entries))
    }

    fn schemas(&self) -> Vec<String> {
        let schemas = self.document.pointer("/components/schemas").and_then(Value::as_object);
        let names = schemas.into_iter().flat_map(Map::keys);
        // Names with a comma cannot be written as Markdown.
        let names = names.filter(|name| !name.contains(',') && name.chars().count() <= MAX_NAME_LENGTH);
        let mut bytes = 0;
        let names = names.take_while(|name| {
            bytes += name.len();
            bytes <= MAX_SCHEMAS_BYTES
        });
        names.take(MAX_SCHEMAS).cloned().collect()
    }

    fn description(&mut self, of: &Value) -> String {
        let text = of["description"].as_str().unwrap_or_default().trim();
        let all = self.descriptions.saturating_add(text.len());
        if text.len() > MAX_DESCRIPTION_BYTES || all > MAX_DESCRIPTIONS_BYTES {
            return String::new();
        }
        self.descriptions = all;
        text.to_owned()
    }

    /// Returns whether there is room for one more.
    fn take(&mut self, path: &str) -> bool {
        self.entries += 1;
        self.paths += path.len();
        self.entries <= MAX_ENTRIES && self.paths <= MAX_PATHS_BYTES
    }
}

/// The operations of a map of path items, in the order of the document.
fn operations<'d>(document: &'d Value, member: &str) -> impl Iterator<Item = (&'d str, &'static str, &'d Value)> {
    let items = document[member].as_object().into_iter().flatten();
    let items = items.filter(|(path, _)| !path.is_empty() && path.chars().count() <= MAX_PATH_LENGTH);
    items.flat_map(move |(path, item)| {
        let item = resolved(document, item);
        let members = item.and_then(Value::as_object).into_iter().flatten();
        members.filter_map(move |(name, operation)| {
            let method = METHODS.into_iter().find(|method| method == name)?;
            operation.is_object().then_some((path.as_str(), method, operation))
        })
    })
}

/// A path item, or the one that it refers to.
fn resolved<'d>(document: &'d Value, item: &'d Value) -> Option<&'d Value> {
    let mut item = item;
    for _ in 0..MAX_REFERENCES {
        let Some(reference) = item.get("$ref").and_then(Value::as_str) else {
            return Some(item);
        };
        let pointer = percent_encoding::percent_decode_str(reference.strip_prefix('#')?).decode_utf8();
        item = document.pointer(&pointer.ok()?)?;
    }
    None
}

fn tag_key(name: &str) -> String {
    format!("tag:{name}")
}

fn group_of_tag(name: &str, title: Option<String>, description: String) -> OutlineGroup {
    OutlineGroup {
        key: tag_key(name),
        title: title
            .or_else(|| title_of(name))
            .unwrap_or_else(|| UNTAGGED_TITLE.to_owned()),
        description,
        entries: Vec::new(),
    }
}

fn plain_group(key: &str, title: &str, entries: Vec<OutlineEntry>) -> OutlineGroup {
    OutlineGroup {
        key: key.to_owned(),
        title: title.to_owned(),
        description: String::new(),
        entries,
    }
}

fn entry(kind: EntryKind, path: &str, method: &str, operation: &Value) -> OutlineEntry {
    let operation_id = name(&operation["operationId"]).map(str::to_owned);
    let summary = operation["summary"].as_str().and_then(title_of);
    let title = summary.or_else(|| title_of(operation_id.as_deref()?));
    let address = || match kind {
        EntryKind::Operation => title_of(&format!("{} {path}", method.to_uppercase())),
        EntryKind::Webhook => title_of(path),
    };
    let title = title.or_else(address).unwrap_or_else(|| method.to_uppercase());
    OutlineEntry {
        kind,
        path: path.to_owned(),
        method: method.to_owned(),
        title,
        operation_id,
    }
}

fn name(value: &Value) -> Option<&str> {
    let name = value.as_str()?;
    (!name.trim().is_empty() && name.chars().count() <= MAX_NAME_LENGTH).then_some(name)
}

/// The text as the title of a page. `None`: nothing of it can be in a title.
fn title_of(text: &str) -> Option<String> {
    PAGE_TITLE.clean(text)
}
