//! What a page says about itself, in YAML. Members that are not known are ignored.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, Visitor},
};

use crate::refusal::Refusal;

/// The longest front matter, and the most that its variables may become: an alias repeats a text without its length.
const BYTES: usize = 64 * 1024;
/// So many brackets may open: the parser looks at all of them again for every token.
const BRACKETS: usize = 256;

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
    /// The expression that says for whom the page is.
    #[serde(rename = "if", alias = "condition")]
    pub condition: Option<String>,
    pub layout: Option<Layout>,
    /// The file or the address of a picture.
    pub cover: Option<String>,
    pub cover_y: Option<f64>,
    pub cover_height: Option<f64>,
    #[serde(rename = "vars", alias = "variables", deserialize_with = "variables")]
    pub variables: BTreeMap<String, String>,
}

/// How a page is laid out.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// The name of a preset.
    Preset(String),
    Options(Box<LayoutOptions>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LayoutOptions {
    pub width: Option<String>,
    pub cover: Shown,
    pub title: Shown,
    pub description: Shown,
    pub table_of_contents: Shown,
    pub outline: Shown,
    pub pagination: Shown,
    pub metadata: Shown,
}

/// Whether a part of a page is shown: `{visible: true}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub visible: Option<bool>,
    pub size: Option<String>,
}

impl FrontMatter {
    /// Reads what stands between the lines `---`.
    pub fn read(yaml: &str) -> Result<Self, Refusal> {
        if yaml.len() > BYTES {
            let message = format!("The front matter is longer than {BYTES} bytes.");
            return Err(Refusal::new("", "front-matter-too-long", message));
        }
        let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        if yaml.lines().all(says_nothing) {
            return Ok(Self::default());
        }
        if yaml.matches(['[', '{']).count() > BRACKETS {
            let message = format!("The front matter has more than {BRACKETS} brackets.");
            return Err(Refusal::new("", "front-matter", message));
        }
        let read: Result<Option<Self>, _> = yaml_serde::from_str(yaml);
        read.map(Option::unwrap_or_default).map_err(|error| {
            let message = format!("The front matter cannot be read: {error}.");
            Refusal::new("", "front-matter", message)
        })
    }
}

fn variables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    deserializer.deserialize_any(Variables)
}

struct Variables;

impl<'de> Visitor<'de> for Variables {
    type Value = BTreeMap<String, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("names with texts")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(BTreeMap::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut variables = BTreeMap::new();
        let mut length = 0;
        while let Some((name, value)) = map.next_entry::<String, String>()? {
            length += name.len() + value.len();
            if length > BYTES {
                return Err(A::Error::custom(format_args!(
                    "the variables are longer than {BYTES} bytes"
                )));
            }
            variables.insert(name, value);
        }
        Ok(variables)
    }
}

impl<'de> Deserialize<'de> for Layout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LayoutVisitor)
    }
}

struct LayoutVisitor;

impl<'de> Visitor<'de> for LayoutVisitor {
    type Value = Layout;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a layout or its options")
    }

    fn visit_str<E>(self, name: &str) -> Result<Layout, E> {
        Ok(Layout::Preset(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Layout, A::Error> {
        let options = serde::de::value::MapAccessDeserializer::new(map);
        LayoutOptions::deserialize(options).map(|options| Layout::Options(Box::new(options)))
    }
}

impl<'de> Deserialize<'de> for Shown {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShownVisitor)
    }
}

struct ShownVisitor;

impl<'de> Visitor<'de> for ShownVisitor {
    type Value = Shown;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`visible: true` or `visible: false`")
    }

    fn visit_unit<E>(self) -> Result<Shown, E> {
        Ok(Shown::default())
    }

    fn visit_bool<E>(self, visible: bool) -> Result<Shown, E> {
        Ok(Shown {
            visible: Some(visible),
            size: None,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shown, A::Error> {
        let mut shown = Shown::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "visible" => shown.visible = map.next_value()?,
                "size" => shown.size = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(shown)
    }
}
