//! The front matter of a page, in YAML.

mod layout;
mod members;
mod recover;
mod tags;
mod values;

use std::collections::BTreeMap;

use openapi::error::ErrorRule;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::DocumentError;

pub use layout::{LayoutOptions, PageLayout, Visibility};
pub use recover::{MemberError, is_mapping, line_of, parse_variables};
pub use tags::PageTag;

/// Maximum length of the front matter, and of its variables and other members once parsed: a YAML alias repeats a text
/// without adding to the length.
const MAX_BYTES: usize = 64 * 1024;
/// Maximum number of opening brackets: the YAML parser scans all open ones again for every token.
const MAX_BRACKETS: usize = 256;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FrontMatter {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_index: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_robots_index: Option<bool>,
    /// Visibility expression of the page.
    #[serde(rename = "if", alias = "condition", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// File or URL of the cover image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "values::number")]
    pub cover_y: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "values::number")]
    pub cover_height: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<PageLayout>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<PageTag>>,
    #[serde(
        rename = "vars",
        alias = "variables",
        deserialize_with = "values::variables",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub variables: BTreeMap<String, String>,
    /// The members with other names, as written.
    #[serde(skip)]
    pub other: Map<String, Value>,
}

impl FrontMatter {
    /// Parses the text between the `---` lines.
    pub fn parse(yaml: &str) -> Result<Self, DocumentError> {
        if yaml.len() > MAX_BYTES {
            let message = format!("The front matter has more than {MAX_BYTES} bytes.");
            return Err(DocumentError::new("", ErrorRule::FrontMatterTooLong, message));
        }
        let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        if yaml.lines().all(says_nothing) {
            return Ok(Self::default());
        }
        if yaml.matches(['[', '{']).count() > MAX_BRACKETS {
            let message = format!("The front matter has more than {MAX_BRACKETS} opening brackets.");
            return Err(DocumentError::new("", ErrorRule::FrontMatter, message));
        }
        members::parse(yaml).map_err(|error| {
            let message = format!("The front matter is invalid: {error}.");
            DocumentError::new("", ErrorRule::FrontMatter, message)
        })
    }

    /// Parses the text between the `---` lines, without the members that are invalid.
    pub fn parse_valid_members(yaml: &str) -> (Self, Vec<MemberError>) {
        match Self::parse(yaml) {
            Ok(front) => (front, Vec::new()),
            Err(error) => recover::parse(yaml, error),
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Renders the front matter with its `---` lines and an empty line after them; empty if there are no members.
    pub fn render(&self) -> String {
        let mut members = match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        };
        members.extend(self.other.clone());
        if members.is_empty() {
            return String::new();
        }
        // Values of JSON are values of YAML, so rendering cannot fail.
        let yaml = yaml_serde::to_string(&members).unwrap_or_default();
        format!("---\n{yaml}---\n\n")
    }
}
