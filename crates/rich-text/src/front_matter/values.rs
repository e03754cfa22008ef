//! Values of front matter: variables, numbers, and values of members that the service does not know.

use std::{cell::Cell, collections::BTreeMap, fmt};

use serde::{
    Deserializer, Serializer,
    de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

use super::MAX_BYTES;

/// The deepest nesting of lists and objects.
const MAX_DEPTH: usize = 32;

pub fn variables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
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

/// Writes whole numbers without a decimal point.
#[expect(clippy::ref_option, reason = "serde gives a reference")]
pub fn number<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    let whole = number.filter(|number| number.fract() == 0.0 && number.abs() < 1e9);
    match (
        number,
        whole.and_then(|whole| format!("{whole:.0}").parse::<i64>().ok()),
    ) {
        (_, Some(whole)) => serializer.serialize_i64(whole),
        (Some(number), None) => serializer.serialize_f64(*number),
        (None, None) => serializer.serialize_none(),
    }
}

/// Reads a value of at most the bytes that are left.
#[derive(Clone, Copy)]
pub struct BoundedValue<'b> {
    pub bytes_left: &'b Cell<usize>,
    depth: usize,
}

impl<'b> BoundedValue<'b> {
    pub fn new(bytes_left: &'b Cell<usize>) -> Self {
        Self { bytes_left, depth: 0 }
    }

    pub fn take<E: serde::de::Error>(self, bytes: usize) -> Result<(), E> {
        let left = self.bytes_left.get().checked_sub(bytes.saturating_add(1));
        let left = left.ok_or_else(|| E::custom(format_args!("the members have more than {MAX_BYTES} bytes")))?;
        self.bytes_left.set(left);
        Ok(())
    }

    fn below<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth == MAX_DEPTH {
            return Err(E::custom(format_args!(
                "values are nested more than {MAX_DEPTH} levels deep"
            )));
        }
        Ok(Self {
            depth: self.depth + 1,
            ..self
        })
    }
}

impl<'de> DeserializeSeed<'de> for BoundedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Value, E> {
        self.take(0).map(|()| Value::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Value, E> {
        self.take(4).map(|()| Value::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        self.take(8).map(|()| Value::Number(value.into()))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        self.take(8).map(|()| Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        self.take(8)?;
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number is not finite"))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        self.take(value.len()).map(|()| Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        self.take(0)?;
        let below = self.below()?;
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(below)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        self.take(0)?;
        let below = self.below()?;
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            self.take(name.len())?;
            members.insert(name, map.next_value_seed(below)?);
        }
        Ok(Value::Object(members))
    }
}
