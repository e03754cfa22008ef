//! The operations and webhooks of a document.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Subject, schemas::below, view::resolve};
use crate::METHODS;

/// The operations of a document, found by what calls them.
pub struct Operations<'d>(pub BTreeMap<Key, Operation<'d>>);

#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    is_webhook: bool,
    /// Without the names of parameters: they are not part of a request.
    path: String,
    method: &'static str,
}

pub struct Operation<'d> {
    pub document: &'d Value,
    item: &'d Value,
    pub value: &'d Value,
    pub subject: Subject,
    pub pointer: String,
    /// The receiver of a webhook gets its requests, and makes its responses.
    pub is_webhook: bool,
}

impl<'d> Operations<'d> {
    pub fn of(document: &'d Value) -> Self {
        let mut found = BTreeMap::new();
        for (member, is_webhook) in [("paths", false), ("webhooks", true)] {
            for (path, item) in document[member].as_object().into_iter().flatten() {
                let Some(item) = resolve(document, item) else { continue };
                for method in METHODS {
                    if item[method].is_object() {
                        let subject = match is_webhook {
                            true => Subject::Webhook {
                                name: path.clone(),
                                method,
                            },
                            false => Subject::Operation {
                                path: path.clone(),
                                method,
                            },
                        };
                        let key = Key {
                            is_webhook,
                            path: without_names(path),
                            method,
                        };
                        let operation = Operation {
                            document,
                            item,
                            value: &item[method],
                            subject,
                            pointer: below("", &[member, path, method]),
                            is_webhook,
                        };
                        found.entry(key).or_insert(operation);
                    }
                }
            }
        }
        Self(found)
    }

    pub fn all(&self) -> impl Iterator<Item = &Operation<'d>> {
        self.0.values()
    }
}

/// `/pets/{petId}` and `/pets/{id}` are one address.
fn without_names(path: &str) -> String {
    let mut text = String::new();
    for (index, part) in path.split('{').enumerate() {
        match (index, part.split_once('}')) {
            (1.., Some((_, rest))) => text.extend(["{}", rest]),
            (0, _) => text.push_str(part),
            _ => text.extend(["{", part]),
        }
    }
    text
}

impl<'d> Operation<'d> {
    /// What callers send; of a webhook, what its receiver answers.
    pub fn request_parts(&self) -> Value {
        if self.is_webhook {
            return self.value["responses"].clone();
        }
        let parameters: Vec<_> = self.parameters().into_values().collect();
        json!([parameters, self.value["requestBody"]])
    }

    /// What callers get.
    pub fn responses(&self) -> &Value {
        match self.is_webhook {
            true => &self.value["requestBody"],
            false => &self.value["responses"],
        }
    }

    /// By place and name; those of the operation come before those of its path.
    pub fn parameters(&self) -> BTreeMap<(String, String), &'d Value> {
        let lists = [&self.item["parameters"], &self.value["parameters"]];
        let all = lists.into_iter().filter_map(Value::as_array).flatten();
        let resolved = all.filter_map(|parameter| resolve(self.document, parameter));
        let named = resolved.filter_map(|parameter| {
            let (place, name) = (parameter["in"].as_str()?, parameter["name"].as_str()?);
            // The names of headers know no case, and those of the path no name at all for clients.
            let name = match place {
                "header" => name.to_ascii_lowercase(),
                _ => name.to_owned(),
            };
            (place != "path").then(|| ((place.to_owned(), name), parameter))
        });
        named.collect()
    }
}
