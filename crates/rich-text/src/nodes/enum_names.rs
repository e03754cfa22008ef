//! The names of enum values in the contract.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub fn enum_name(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

pub fn parse_enum_name<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Value::String(word.to_owned())).ok()
}
