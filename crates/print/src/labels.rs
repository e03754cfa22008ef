//! Labels, to which links in a book lead.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Book;

/// The labels of pages and headings, each for the first that has it. Further ones lose theirs: a label is unique.
pub fn take_labels(book: &mut Book) -> BTreeMap<String, bool> {
    let mut labels: BTreeMap<String, bool> = book.pages.iter().map(|page| (page.label.clone(), true)).collect();
    for page in &mut book.pages {
        page.nodes.iter_mut().for_each(|node| take_from(node, &mut labels));
    }
    labels
}

fn take_from(node: &mut Value, labels: &mut BTreeMap<String, bool>) {
    match node {
        Value::Object(members) => {
            if let Some(label) = members.get_mut("label")
                && let Some(name) = label.as_str()
                && labels.insert(name.to_owned(), true).is_some()
            {
                *label = Value::Null;
            }
            members.values_mut().for_each(|value| take_from(value, labels));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| take_from(value, labels)),
        _ => {}
    }
}
