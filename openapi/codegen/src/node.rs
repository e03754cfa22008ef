//! YAML nodes with line numbers.

use std::sync::Arc;

use indexmap::IndexMap;
use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};
use serde_json::Value;

use crate::finding::{Findings, Place};

#[derive(Clone, Debug)]
pub struct Node {
    pub place: Place,
    pub data: Data,
}

#[derive(Clone, Debug)]
pub enum Data {
    Scalar(Value),
    List(Vec<Node>),
    Map(IndexMap<String, Entry>),
}

/// A member of a mapping. `place` is the place of the key.
#[derive(Clone, Debug)]
pub struct Entry {
    pub place: Place,
    pub node: Node,
}

impl Node {
    pub fn parse(file: &str, text: &str, findings: &mut Findings) -> Option<Self> {
        let file: Arc<str> = file.into();
        let start = Place {
            file: file.clone(),
            line: 1,
        };
        let help = "Write a single YAML document.";
        match MarkedYaml::load_from_str(text) {
            Ok(documents) => match documents.as_slice() {
                [document] => Some(Self::convert(&file, document, findings)),
                _ => {
                    findings.add(&start, format!("{} documents in the file", documents.len()), help);
                    None
                }
            },
            Err(e) => {
                let line = e.marker().line();
                findings.add(&Place { file, line }, format!("invalid YAML: {}", e.info()), help);
                None
            }
        }
    }

    fn convert(file: &Arc<str>, yaml: &MarkedYaml<'_>, findings: &mut Findings) -> Self {
        let place = Place {
            file: file.clone(),
            line: yaml.span.start.line(),
        };
        let data = match &yaml.data {
            YamlData::Value(scalar) => Data::Scalar(scalar_value(scalar)),
            YamlData::Sequence(items) => {
                Data::List(items.iter().map(|item| Self::convert(file, item, findings)).collect())
            }
            YamlData::Mapping(map) => {
                let mut entries = IndexMap::new();
                for (key, value) in map {
                    let entry = Entry {
                        place: Place {
                            file: file.clone(),
                            line: key.span.start.line(),
                        },
                        node: Self::convert(file, value, findings),
                    };
                    entries.insert(key_text(key), entry);
                }
                Data::Map(entries)
            }
            _ => {
                findings.add(
                    &place,
                    "tags, anchors and aliases are not supported",
                    "Repeat the value, or use a $ref.",
                );
                Data::Scalar(Value::Null)
            }
        };
        Self { place, data }
    }

    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.node)
    }

    pub fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.data {
            Data::Map(map) => map.get(key),
            _ => None,
        }
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match &mut self.data {
            Data::Map(map) => map.get_mut(key).map(|entry| &mut entry.node),
            _ => None,
        }
    }

    pub fn str(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::Scalar(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    pub fn bool(&self, key: &str) -> bool {
        matches!(self.get(key).map(|n| &n.data), Some(Data::Scalar(Value::Bool(true))))
    }

    pub fn map(&self) -> impl Iterator<Item = (&str, &Entry)> {
        let entries = match &self.data {
            Data::Map(map) => Some(map),
            _ => None,
        };
        entries.into_iter().flatten().map(|(key, entry)| (key.as_str(), entry))
    }

    pub fn list(&self) -> &[Self] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    /// The strings of a list of strings.
    pub fn texts(&self, key: &str) -> Vec<&str> {
        let list = self.get(key).map(Self::list).unwrap_or_default();
        list.iter().filter_map(Self::as_str).collect()
    }

    pub fn to_json(&self) -> Value {
        match &self.data {
            Data::Scalar(value) => value.clone(),
            Data::List(items) => items.iter().map(Self::to_json).collect(),
            Data::Map(map) => map
                .iter()
                .map(|(key, entry)| (key.clone(), entry.node.to_json()))
                .collect(),
        }
    }
}

fn scalar_value(scalar: &Scalar<'_>) -> Value {
    match scalar {
        Scalar::Null => Value::Null,
        Scalar::Boolean(value) => (*value).into(),
        Scalar::Integer(value) => (*value).into(),
        Scalar::FloatingPoint(value) => value.into_inner().into(),
        Scalar::String(value) => value.as_ref().into(),
    }
}

/// Keys such as `200` are strings in JSON.
fn key_text(key: &MarkedYaml<'_>) -> String {
    match &key.data {
        YamlData::Value(Scalar::String(text)) => text.as_ref().to_owned(),
        YamlData::Value(scalar) => scalar_value(scalar).to_string(),
        _ => String::new(),
    }
}
