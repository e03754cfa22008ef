//! Parsing of all members: those with a meaning, and the others as they are.

use std::{cell::Cell, fmt};

use serde::{
    Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::{FrontMatter, MAX_BYTES, values::BoundedValue};

/// The names of the members with a meaning.
const KNOWN: [&str; 16] = [
    "title",
    "description",
    "icon",
    "emoji",
    "hidden",
    "noIndex",
    "noRobotsIndex",
    "if",
    "condition",
    "cover",
    "coverY",
    "coverHeight",
    "layout",
    "tags",
    "vars",
    "variables",
];

/// Known members are read twice, because a text such as `1.10` must not become a number.
pub fn parse(yaml: &str) -> Result<FrontMatter, yaml_serde::Error> {
    let known: Option<FrontMatter> = yaml_serde::from_str(yaml)?;
    let Some(known) = known else {
        return Ok(FrontMatter::default());
    };
    let other = yaml_serde::Deserializer::from_str(yaml).deserialize_any(OtherMembers)?;
    Ok(FrontMatter { other, ..known })
}

struct OtherMembers;

impl<'de> Visitor<'de> for OtherMembers {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let bytes_left = Cell::new(MAX_BYTES);
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if KNOWN.contains(&name.as_str()) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = BoundedValue::new(&bytes_left);
            value.take(name.len())?;
            match map.next_value_seed(value)? {
                Value::Null => {}
                value => drop(members.insert(name, value)),
            }
        }
        Ok(members)
    }
}
