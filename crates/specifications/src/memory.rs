//! The memory of values. Small objects take thirty times the bytes of their text, so documents are limited by what they take.

use serde_json::{Map, Value};

/// A member, beside its value and the bytes of its name: its hash and its place in the index of its object.
const MEMBER: usize = size_of::<String>() + 32;

/// The memory of an array or an object, beside its value and its content.
const CONTAINER: usize = 64;

/// The allocator takes texts in pieces of so many bytes.
const PIECE: usize = 16;

/// Memory for values.
#[derive(Debug)]
pub struct Memory {
    left: usize,
    is_exhausted: bool,
}

/// There is not enough left.
#[derive(Debug)]
pub struct Exhausted;

impl Memory {
    pub fn new(bytes: usize) -> Self {
        Self {
            left: bytes,
            is_exhausted: false,
        }
    }

    pub fn left(&self) -> usize {
        self.left
    }

    /// Returns whether there was not enough once.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Takes memory. If there is not enough, there is none from then on.
    pub fn take(&mut self, bytes: usize) -> Result<(), Exhausted> {
        let left = self.left.checked_sub(bytes);
        self.is_exhausted |= left.is_none();
        self.left = left.unwrap_or_default();
        match self.is_exhausted {
            true => Err(Exhausted),
            false => Ok(()),
        }
    }
}

/// The memory of a number, a text of so many bytes, `true`, `false` or `null`.
pub fn of_scalar(bytes_of_text: usize) -> usize {
    size_of::<Value>() + bytes_of_text.next_multiple_of(PIECE)
}

/// The memory of an array or an object without what is in it.
pub const fn of_container() -> usize {
    size_of::<Value>() + CONTAINER
}

/// The memory of a member without its value.
pub fn of_name(name: &str) -> usize {
    MEMBER + name.len().next_multiple_of(PIECE)
}

/// The memory of a value with everything in it.
pub fn of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => of_scalar(0),
        Value::String(text) => of_scalar(text.len()),
        Value::Array(items) => of_container() + items.iter().map(of).sum::<usize>(),
        Value::Object(members) => of_object(members),
    }
}

pub fn of_object(members: &Map<String, Value>) -> usize {
    let members = members.iter().map(|(name, value)| of_name(name) + of(value));
    of_container() + members.sum::<usize>()
}

/// The same object without room for more members, which would take more than small objects themselves.
pub fn shrunk(members: Map<String, Value>) -> Map<String, Value> {
    members.into_iter().collect()
}
