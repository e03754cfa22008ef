//! JSON.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::Budget;
use crate::{MAX_DEPTH, problem::Problem};

pub fn parse(text: &str, budget: &mut Budget) -> Result<Value, Problem> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let node = Node { budget, depth: 0 };
    let value = node.deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
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

struct Node<'a> {
    budget: &'a mut Budget,
    depth: usize,
}

impl Node<'_> {
    fn child(&mut self) -> Node<'_> {
        Node {
            budget: self.budget,
            depth: self.depth + 1,
        }
    }

    fn text<E: Error>(self, text: String) -> Result<Value, E> {
        self.budget.take(text.len()).map_err(E::custom)?;
        Ok(Value::String(text))
    }

    fn plain<E: Error>(self, value: Value) -> Result<Value, E> {
        self.budget.take(0).map_err(E::custom)?;
        Ok(value)
    }

    fn nest<E: Error>(&mut self) -> Result<(), E> {
        if self.depth >= MAX_DEPTH {
            return Err(E::custom("The document is nested too deeply."));
        }
        self.budget.take(0).map_err(E::custom)
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
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        self.nest()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            self.budget.take(name.len()).map_err(A::Error::custom)?;
            let value = members.next_value_seed(self.child())?;
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!("The member `{name}` occurs twice.")));
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}
