//! JSON.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, de::Read};

use super::TOO_MANY_VALUES;
use crate::{
    MAX_DEPTH,
    memory::{self, Exhausted, Memory},
    problem::Problem,
};

/// Parses a source.
pub fn parse(text: &str, memory: &mut Memory) -> Result<Value, Problem> {
    let value = read(serde_json::Deserializer::from_str(text), memory, MAX_DEPTH);
    value.map_err(|error| {
        let text = error.to_string();
        let message = text
            .rsplit_once(" at line ")
            .map_or(text.as_str(), |(message, _)| message);
        let message = match message.ends_with('.') {
            true => message.to_owned(),
            false => format!("The JSON cannot be parsed: {message}."),
        };
        Problem::at_position(message, error.line().max(1), error.column().max(1))
    })
}

/// Parses a finished document, which may be nested somewhat more deeply than its sources.
pub fn finished(bytes: &[u8], memory: &mut Memory) -> serde_json::Result<Value> {
    read(serde_json::Deserializer::from_slice(bytes), memory, usize::MAX)
}

fn read<'de, R: Read<'de>>(
    mut deserializer: serde_json::Deserializer<R>,
    memory: &mut Memory,
    max_depth: usize,
) -> serde_json::Result<Value> {
    let node = Node {
        memory,
        depth_left: max_depth,
    };
    let value = node.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

struct Node<'a> {
    memory: &'a mut Memory,
    depth_left: usize,
}

impl Node<'_> {
    fn child(&mut self) -> Node<'_> {
        Node {
            memory: self.memory,
            depth_left: self.depth_left.saturating_sub(1),
        }
    }

    fn take<E: Error>(&mut self, bytes: usize) -> Result<(), E> {
        let taken = self.memory.take(bytes);
        taken.map_err(|Exhausted| E::custom(TOO_MANY_VALUES))
    }

    fn text<E: Error>(mut self, text: String) -> Result<Value, E> {
        self.take(memory::of_scalar(text.len()))?;
        Ok(Value::String(text))
    }

    fn plain<E: Error>(mut self, value: Value) -> Result<Value, E> {
        self.take(memory::of_scalar(0))?;
        Ok(value)
    }

    fn nest<E: Error>(&mut self) -> Result<(), E> {
        if self.depth_left == 0 {
            return Err(E::custom("The document is nested too deeply."));
        }
        self.take(memory::of_container())
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.plain(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.plain(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.plain(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.plain(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.plain(Value::Null)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.text(value.to_owned())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        self.text(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        self.nest()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self.child())? {
            array.push(item);
        }
        array.shrink_to_fit();
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        self.nest()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            self.take(memory::of_name(&name))?;
            let value = members.next_value_seed(self.child())?;
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!("The member `{name}` occurs twice.")));
            }
            object.insert(name, value);
        }
        Ok(Value::Object(memory::shrunk(object)))
    }
}
