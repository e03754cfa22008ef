//! Outlines: what the pages that are computed from a document need to know of it.
//!
//! A document has one page for its description, one for each tag with one for each operation below it, one for its webhooks
//! with one for each below it, and one for its schemas. The key of a page stays the same in all versions of a document that
//! have the page.

mod read;

use serde::{Deserialize, Serialize};

use crate::{MAX_MEMORY, memory::Memory, syntax};

/// Tags, operations and webhooks of one outline; further ones have no page.
const MAX_ENTRIES: usize = 5_000;

/// Schemas of one outline, which have a page together.
const MAX_SCHEMAS: usize = 5_000;

/// Characters of a path or a name. Operations with a longer path have no page.
const MAX_PATH_LENGTH: usize = 2_048;
const MAX_NAME_LENGTH: usize = 1_000;

/// Bytes of the paths and names of all operations and webhooks of an outline, and of the names of its schemas. Further ones have no page.
const MAX_PATHS_BYTES: usize = 1_000_000;
const MAX_SCHEMAS_BYTES: usize = 1_000_000;

/// Bytes of one description, and of all descriptions of an outline. A longer one is left out.
const MAX_DESCRIPTION_BYTES: usize = 100_000;
const MAX_DESCRIPTIONS_BYTES: usize = 1_000_000;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// Markdown; empty if there is none.
    pub description: String,
    pub groups: Vec<OutlineGroup>,
    /// The names of the schemas.
    pub schemas: Vec<String>,
    /// The number of operations and webhooks that have no page, because there are too many.
    #[serde(default)]
    pub without_page: usize,
}

/// The operations of a tag, those without a tag, or the webhooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineGroup {
    pub key: String,
    pub title: String,
    /// Markdown; empty if there is none.
    pub description: String,
    pub entries: Vec<OutlineEntry>,
}

/// An operation or a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineEntry {
    pub kind: EntryKind,
    /// The path of an operation, the name of a webhook.
    pub path: String,
    /// In lower case.
    pub method: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    Operation,
    Webhook,
}

impl OutlineEntry {
    /// The key of the page of the entry, which no other page has.
    pub fn key(&self) -> String {
        let kind = match self.kind {
            EntryKind::Operation => "operation",
            EntryKind::Webhook => "webhook",
        };
        format!("{kind}:{} {}", self.method, self.path)
    }

    /// The words by which the entry is found besides its title.
    pub fn words(&self) -> String {
        let id = self.operation_id.as_deref().unwrap_or_default();
        format!("{} {} {id}", self.method.to_uppercase(), self.path)
            .trim_end()
            .to_owned()
    }
}

/// The key of the page with the description of the document.
pub const INFO_KEY: &str = "info";

/// The key of the page with the schemas.
pub const MODELS_KEY: &str = "models";

/// The text of a page that is computed from a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageText {
    /// A description: of the document, or of a group by its key.
    Info(String),
    /// Operations or webhooks: one by its key, or all of a group by the key of the group.
    Operations(String),
    Models,
}

impl PageText {
    /// The key of the page with the text.
    pub fn page_key(&self) -> &str {
        match self {
            Self::Info(key) | Self::Operations(key) => key,
            Self::Models => MODELS_KEY,
        }
    }
}

/// The pages of an outline that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutlineShape {
    /// A page with the schemas.
    pub models: bool,
    /// A page for each operation and webhook; otherwise the page of a group has all of the group.
    pub operations: bool,
}

/// A page that is computed from a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlinePage<'o> {
    pub key: String,
    /// The key of the page above. `None`: the page with the description of the document.
    pub group: Option<&'o str>,
    pub title: &'o str,
    pub text: PageText,
    /// An operation or a webhook.
    pub entry: Option<&'o OutlineEntry>,
}

/// The title of the page with the schemas.
const MODELS_TITLE: &str = "Models";

impl Outline {
    /// Reads a finished document. A document that is damaged has no pages.
    pub fn read(document: &[u8]) -> Self {
        // An upgrade may have added to what its sources took.
        let mut memory = Memory::new(2 * MAX_MEMORY);
        let document = syntax::finished(document, &mut memory);
        document.map_or_else(|_| Self::default(), |document| read::outline(&document))
    }

    /// The bytes of all descriptions.
    pub fn description_bytes(&self) -> usize {
        let of_groups = self.groups.iter().map(|group| group.description.len());
        self.description.len() + of_groups.sum::<usize>()
    }

    /// The pages below the one with the description of the document, each behind the page above it.
    pub fn pages(&self, shape: OutlineShape) -> impl Iterator<Item = OutlinePage<'_>> {
        let models = shape.models && !self.schemas.is_empty();
        let models = models.then(|| OutlinePage {
            key: MODELS_KEY.to_owned(),
            group: None,
            title: MODELS_TITLE,
            text: PageText::Models,
            entry: None,
        });
        let of_groups = self.groups.iter().flat_map(move |group| group.pages(shape.operations));
        of_groups.chain(models)
    }

    pub fn group(&self, key: &str) -> Option<&OutlineGroup> {
        self.groups.iter().find(|group| group.key == key)
    }

    /// An operation or a webhook.
    pub fn entry(&self, key: &str) -> Option<&OutlineEntry> {
        let mut entries = self.groups.iter().flat_map(|group| &group.entries);
        entries.find(|entry| entry.key() == key)
    }

    /// The descriptions, which somebody else checks.
    pub fn descriptions_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let of_groups = self.groups.iter_mut().map(|group| &mut group.description);
        std::iter::once(&mut self.description).chain(of_groups)
    }
}

impl OutlineGroup {
    fn pages(&self, operations: bool) -> impl Iterator<Item = OutlinePage<'_>> {
        let own = OutlinePage {
            key: self.key.clone(),
            group: None,
            title: &self.title,
            text: match operations {
                true => PageText::Info(self.key.clone()),
                false => PageText::Operations(self.key.clone()),
            },
            entry: None,
        };
        let entries = self
            .entries
            .iter()
            .filter(move |_| operations)
            .map(|entry| OutlinePage {
                key: entry.key(),
                group: Some(&self.key),
                title: &entry.title,
                text: PageText::Operations(entry.key()),
                entry: Some(entry),
            });
        std::iter::once(own).chain(entries)
    }
}
