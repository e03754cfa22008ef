//! The front matter of a page, in YAML. Unknown members are ignored.

use openapi::error::ErrorRule;
use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, Visitor},
};

use crate::error::DocumentError;

/// Maximum length of the front matter, and of its variables once parsed: a YAML alias repeats a text without adding to
/// the length.
const MAX_BYTES: usize = 64 * 1024;
/// Maximum number of opening brackets: the YAML parser scans all open ones again for every token.
const MAX_BRACKETS: usize = 256;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FrontMatter {
    pub title: Option<String>,
    pub description: Option<String>,
    pub icon: Option<String>,
    pub emoji: Option<String>,
    pub hidden: Option<bool>,
    pub no_index: Option<bool>,
    pub no_robots_index: Option<bool>,
    /// Visibility expression of the page.
    #[serde(rename = "if", alias = "condition")]
    pub condition: Option<String>,
    pub layout: Option<PageLayout>,
    /// File or URL of the cover image.
    pub cover: Option<String>,
    pub cover_y: Option<f64>,
    pub cover_height: Option<f64>,
    #[serde(rename = "vars", alias = "variables", deserialize_with = "variables")]
    pub variables: BTreeMap<String, String>,
}

/// Layout of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum PageLayout {
    /// Name of a preset.
    Preset(String),
    Options(Box<LayoutOptions>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LayoutOptions {
    pub width: Option<String>,
    pub cover: Visibility,
    pub title: Visibility,
    pub description: Visibility,
    pub table_of_contents: Visibility,
    pub outline: Visibility,
    pub pagination: Visibility,
    pub metadata: Visibility,
}

/// Visibility of a part of a page: `{visible: true}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visibility {
    pub visible: Option<bool>,
    pub size: Option<String>,
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
        let read: Result<Option<Self>, _> = yaml_serde::from_str(yaml);
        read.map(Option::unwrap_or_default).map_err(|error| {
            let message = format!("The front matter is invalid: {error}.");
            DocumentError::new("", ErrorRule::FrontMatter, message)
        })
    }
}

fn variables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    deserializer.deserialize_any(VariablesVisitor)
}

struct VariablesVisitor;

impl<'de> Visitor<'de> for VariablesVisitor {
    type Value = BTreeMap<String, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with strings as members")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(BTreeMap::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut variables = BTreeMap::new();
        let mut length = 0;
        while let Some((name, value)) = map.next_entry::<String, String>()? {
            length += name.len() + value.len();
            if length > MAX_BYTES {
                return Err(A::Error::custom(format_args!(
                    "the variables have more than {MAX_BYTES} bytes"
                )));
            }
            variables.insert(name, value);
        }
        Ok(variables)
    }
}

impl<'de> Deserialize<'de> for PageLayout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PageLayoutVisitor)
    }
}

struct PageLayoutVisitor;

impl<'de> Visitor<'de> for PageLayoutVisitor {
    type Value = PageLayout;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a layout name or an object of layout options")
    }

    fn visit_str<E>(self, name: &str) -> Result<PageLayout, E> {
        Ok(PageLayout::Preset(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PageLayout, A::Error> {
        let options = serde::de::value::MapAccessDeserializer::new(map);
        LayoutOptions::deserialize(options).map(|options| PageLayout::Options(Box::new(options)))
    }
}

impl<'de> Deserialize<'de> for Visibility {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VisibilityVisitor)
    }
}

struct VisibilityVisitor;

impl<'de> Visitor<'de> for VisibilityVisitor {
    type Value = Visibility;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`visible: true` or `visible: false`")
    }

    fn visit_unit<E>(self) -> Result<Visibility, E> {
        Ok(Visibility::default())
    }

    fn visit_bool<E>(self, visible: bool) -> Result<Visibility, E> {
        Ok(Visibility {
            visible: Some(visible),
            size: None,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Visibility, A::Error> {
        let mut visibility = Visibility::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "visible" => visibility.visible = map.next_value()?,
                "size" => visibility.size = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(visibility)
    }
}
