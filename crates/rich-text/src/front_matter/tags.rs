//! Tags of a page: a name, or an object with a name.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
    ser::SerializeMap,
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageTag {
    pub tag: String,
    /// `true` for the tag beside the title.
    pub primary: bool,
}

impl Serialize for PageTag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.primary {
            return serializer.serialize_str(&self.tag);
        }
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("tag", &self.tag)?;
        map.serialize_entry("primary", &true)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for PageTag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PageTagVisitor)
    }
}

#[derive(Deserialize)]
struct TagObject {
    tag: String,
    #[serde(default)]
    primary: bool,
}

struct PageTagVisitor;

impl<'de> Visitor<'de> for PageTagVisitor {
    type Value = PageTag;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a tag, or an object with the member `tag`")
    }

    fn visit_str<E>(self, tag: &str) -> Result<PageTag, E> {
        Ok(PageTag {
            tag: tag.to_owned(),
            primary: false,
        })
    }

    fn visit_u64<E: serde::de::Error>(self, tag: u64) -> Result<PageTag, E> {
        self.visit_str(&tag.to_string())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PageTag, A::Error> {
        let TagObject { tag, primary } = TagObject::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
        Ok(PageTag { tag, primary })
    }
}
