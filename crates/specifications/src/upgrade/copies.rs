//! The copies that an upgrade may make of what a document says once.

use serde_json::{Map, Value};

use crate::MAX_RESULT_BYTES;

/// Bytes that copies may still have. More of them than a finished document may have are never of use.
pub struct Copies {
    left: Option<usize>,
}

impl Default for Copies {
    fn default() -> Self {
        Self {
            left: Some(MAX_RESULT_BYTES),
        }
    }
}

impl Copies {
    /// Takes the bytes of a copy. Returns false if too few are left, and none are from then on.
    pub fn take(&mut self, bytes: usize) -> bool {
        self.left = self.left.and_then(|left| left.checked_sub(bytes));
        self.left.is_some()
    }

    /// Returns whether every copy was made.
    pub fn are_complete(&self) -> bool {
        self.left.is_some()
    }
}

/// The bytes of a value in JSON, or some fewer.
pub fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 2,
        Value::Object(members) => size_of_members(members),
    }
}

pub fn size_of_members(members: &Map<String, Value>) -> usize {
    let members = members.iter().map(|(name, value)| name.len() + 3 + size(value));
    members.sum::<usize>() + 2
}
