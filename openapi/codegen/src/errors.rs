//! The words of errors: `x-error-words` lists them once, operations name the ones they can answer, and the published document
//! has an example for each.

use crate::{
    document::{Documents, Target},
    finding::{Findings, Place},
    node::{Data, Entry, Node},
};
use indexmap::IndexMap;

pub const KEYWORD: &str = "x-error-words";

/// The words of an operation, and the rules with the place that each is about.
pub const WORDS: &str = "x-errors";
pub const REFUSALS: &str = "x-refusals";

/// The word for a level that is too low.
pub const FORBIDDEN: &str = "forbidden";

/// The enums that are made from the lists.
const TYPES: &str = "ErrorType";
pub const RULES: &str = "ErrorRule";

#[derive(Debug, Default)]
pub struct Catalog {
    pub words: Vec<Word>,
    pub rules: Vec<Rule>,
}

/// A value of `error.type`.
#[derive(Debug)]
pub struct Word {
    pub name: String,
    pub status: u16,
    pub doc: String,
    /// The message of the example.
    pub message: String,
    /// The group of the rules in its details.
    pub rules: Option<String>,
    /// The response that declares the status.
    response: Option<Entry>,
}

/// A value of `code` of a detail.
#[derive(Debug)]
pub struct Rule {
    pub group: String,
    pub name: String,
    pub doc: String,
}

impl Word {
    /// The name of the response that declares the status.
    pub fn component(&self) -> Option<&str> {
        self.response.as_ref()?.node.str("$ref")?.rsplit('/').next()
    }

    /// The member of `responses`: faults of the server and time-outs are what `default` is for.
    pub fn key(&self) -> String {
        match self.status {
            408 | 500.. => "default".to_owned(),
            status => status.to_string(),
        }
    }
}

impl Catalog {
    /// Reads the lists, and completes the enums.
    pub fn read(documents: &mut Documents, findings: &mut Findings) -> Self {
        let found = documents.entry().and_then(|entry| entry.get(KEYWORD)).cloned();
        let Some(written) = found else {
            findings.add(
                &Place::start(),
                format!("the document has no {KEYWORD}"),
                "List the words of errors by status, and the rules that requests break.",
            );
            return Self::default();
        };
        let Some((lists, _)) = documents.resolve(&written, findings) else {
            return Self::default();
        };
        let catalog = Self {
            words: words(lists),
            rules: rules(lists),
        };
        let listed = |word: (&str, &str)| (word.0.to_owned(), word.1.to_owned());
        let words = catalog.words.iter().map(|word| listed((&word.name, &word.doc)));
        complete(documents, TYPES, words.collect(), findings);
        let rules = catalog.rules.iter().map(|rule| listed((&rule.name, &rule.doc)));
        complete(documents, RULES, rules.collect(), findings);
        catalog
    }

    pub fn word(&self, name: &str) -> Option<&Word> {
        self.words.iter().find(|word| word.name == name)
    }

    /// The rules of a group, or the rule of this name.
    pub fn rules_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Rule> {
        self.rules
            .iter()
            .filter(move |rule| rule.group == name || rule.name == name)
    }

    /// The responses of an operation that can answer these words.
    pub fn responses(&self, node: &Node, names: &[String], findings: &mut Findings) -> IndexMap<String, Entry> {
        let mut responses = IndexMap::new();
        for name in names {
            let word = self.word(name);
            match word.and_then(|word| Some((word, word.response.clone()?))) {
                Some((word, response)) => drop(responses.insert(word.key(), response)),
                None => findings.add(
                    &node.place,
                    format!("`{name}` is not a word of {KEYWORD} that operations answer"),
                    "Correct the word, or add it to the list with its status.",
                ),
            }
        }
        responses
    }

    /// The tables of docs/errors.md.
    pub fn tables(&self) -> [String; 2] {
        let words = self.words.iter();
        let words = words.map(|word| format!("| {} | `{}` | {} |\n", word.status, word.name, word.doc));
        let rules = self.rules.iter();
        let rules = rules.map(|rule| format!("| `{}` | {} | {} |\n", rule.name, rule.group, rule.doc));
        [
            format!(
                "| Status | `type` | When |\n|---|---|---|\n{}",
                words.collect::<String>()
            ),
            format!("| Code | Group | When |\n|---|---|---|\n{}", rules.collect::<String>()),
        ]
    }
}

fn words(lists: &Node) -> Vec<Word> {
    let statuses = lists.get("statuses").into_iter().flat_map(Node::map);
    let words = statuses.flat_map(|(status, entry)| {
        let response = entry.node.entry("response").cloned();
        let types = entry.node.get("types").into_iter().flat_map(Node::map);
        types.map(move |(name, word)| Word {
            name: name.to_owned(),
            status: status.parse().unwrap_or_default(),
            doc: text(&word.node, "description"),
            message: text(&word.node, "message"),
            rules: word.node.str("rules").map(str::to_owned),
            response: response.clone(),
        })
    });
    words.collect()
}

fn rules(lists: &Node) -> Vec<Rule> {
    let groups = lists.get("rules").into_iter().flat_map(Node::map);
    let rules = groups.flat_map(|(group, entry)| {
        entry.node.map().map(|(name, rule)| Rule {
            group: group.to_owned(),
            name: name.to_owned(),
            doc: rule.node.as_str().unwrap_or_default().to_owned(),
        })
    });
    rules.collect()
}

/// A text in one line.
fn text(node: &Node, key: &str) -> String {
    let words: Vec<&str> = node.str(key).unwrap_or_default().split_whitespace().collect();
    words.join(" ")
}

/// Gives the schema its values, sorted, and explains them in its description.
fn complete(documents: &mut Documents, schema: &str, mut values: Vec<(String, String)>, findings: &mut Findings) {
    values.sort();
    values.dedup_by(|a, b| a.0 == b.0);
    let places = documents.files().flat_map(|(file, _)| {
        ["/schemas", "/components/schemas"].map(|folder| Target {
            file: file.to_owned(),
            pointer: format!("{folder}/{schema}"),
        })
    });
    let places: Vec<Target> = places.collect();
    let found = places.into_iter().find(|place| documents.find(place).is_some());
    let Some(node) = found.and_then(|place| documents.find_mut(&place)) else {
        return findings.add(
            &Place::start(),
            format!("there is no schema `{schema}`"),
            format!("Declare it as a string; its values are those of {KEYWORD}."),
        );
    };
    let place = node.place.clone();
    let scalar = |text: String| Node {
        place: place.clone(),
        data: Data::Scalar(text.into()),
    };
    let explained = values.iter().map(|(name, doc)| format!("\n- `{name}`: {doc}"));
    let doc = format!("{}\n{}", text(node, "description"), explained.collect::<String>());
    let names = values.into_iter().map(|(name, _)| scalar(name));
    let list = Node {
        place: place.clone(),
        data: Data::List(names.collect()),
    };
    let doc = scalar(doc);
    if let Data::Map(members) = &mut node.data {
        for (key, node) in [("enum", list), ("description", doc)] {
            let place = place.clone();
            members.insert(key.to_owned(), Entry { place, node });
        }
    }
}
