//! The work that a comparison may do.

use serde_json::Value;

/// Steps for each unit of weight of both documents. A comparison of like documents takes about one.
const STEPS_PER_WEIGHT: usize = 8;

/// Steps for documents of any size.
const MIN_STEPS: usize = 10_000;

/// Bytes of text that count as one value.
const TEXT_UNIT: usize = 64;

#[derive(Debug)]
pub struct Budget {
    limit: usize,
    left: usize,
    is_complete: bool,
}

impl Budget {
    pub fn for_weight(weight: usize) -> Self {
        let limit = weight.saturating_mul(STEPS_PER_WEIGHT).saturating_add(MIN_STEPS);
        Self {
            limit,
            left: limit,
            is_complete: true,
        }
    }

    /// Takes steps. Returns false if too few are left, and none are from then on.
    pub fn take(&mut self, steps: usize) -> bool {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.left = 0;
                self.is_complete = false;
                false
            }
        }
    }

    /// Notes that a part was not compared.
    pub fn miss(&mut self) {
        self.is_complete = false;
    }

    /// Whether all was compared so far.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    pub fn spent(&self) -> usize {
        self.limit - self.left
    }
}

/// The steps to read a text.
pub fn of_text(text: &str) -> usize {
    text.len() / TEXT_UNIT
}

/// The steps to read a value without its members.
pub fn of_value(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + of_text(text),
        Value::Object(members) => 1 + members.keys().map(|name| of_text(name)).sum::<usize>(),
        _ => 1,
    }
}
