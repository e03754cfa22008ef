//! The layout of a page: the name of a preset, or options.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{IgnoredAny, MapAccess, Visitor},
};

/// Layout of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum PageLayout {
    /// Name of a preset.
    Preset(String),
    Options(Box<LayoutOptions>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LayoutOptions {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<String>,
    #[serde(skip_serializing_if = "Visibility::is_default")]
    pub cover: Visibility,
    #[serde(skip_serializing_if = "Visibility::is_default")]
    pub title: Visibility,
    #[serde(skip_serializing_if = "Visibility::is_default")]
    pub description: Visibility,
    #[serde(skip_serializing_if = "Visibility::is_default")]
    pub table_of_contents: Visibility,
    #[serde(skip_serializing_if = "Visibility::is_default")]
    pub outline: Visibility,
    #[serde(skip_serializing_if = "Visibility::is_default")]
    pub pagination: Visibility,
    #[serde(skip_serializing_if = "Visibility::is_default")]
    pub metadata: Visibility,
    #[serde(skip_serializing_if = "Visibility::is_default")]
    pub tags: Visibility,
    #[serde(skip_serializing_if = "Visibility::is_default")]
    pub actions: Visibility,
    #[serde(skip_serializing_if = "Visibility::is_default")]
    pub anchors: Visibility,
}

/// Visibility of a part of a page: `{visible: true}`. A cover also has a size and a mask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Visibility {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visible: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
}

impl Visibility {
    fn is_default(&self) -> bool {
        *self == Self::default()
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
            ..Visibility::default()
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Visibility, A::Error> {
        let mut visibility = Visibility::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "visible" => visibility.visible = map.next_value()?,
                "size" => visibility.size = map.next_value()?,
                "mask" => visibility.mask = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(visibility)
    }
}
