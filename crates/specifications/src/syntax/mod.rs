//! JSON and YAML, parsed within limits.

mod json;
mod yaml;

use serde_json::Value;

use crate::{MAX_SOURCE_BYTES, MAX_WEIGHT, problem::Problem};

/// Bytes of a text that count as one more value.
const BYTES_PER_WEIGHT: usize = 64;

/// What all documents of a bundle may weigh together. Bounds their memory.
#[derive(Debug)]
pub struct Budget {
    left: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: MAX_WEIGHT }
    }
}

impl Budget {
    /// Takes the weight of a value without its children.
    fn take(&mut self, bytes_of_text: usize) -> Result<(), &'static str> {
        self.take_weight(1 + bytes_of_text / BYTES_PER_WEIGHT)
    }

    fn take_weight(&mut self, weight: usize) -> Result<(), &'static str> {
        let left = self.left.checked_sub(weight);
        self.left = left.ok_or("The document has too many values.")?;
        Ok(())
    }
}

/// Parses the bytes of a document, which has to be an object.
pub fn parse(bytes: &[u8], budget: &mut Budget) -> Result<Value, Problem> {
    if bytes.len() > MAX_SOURCE_BYTES {
        return Err(Problem::new(format!(
            "The document has more than {MAX_SOURCE_BYTES} bytes."
        )));
    }
    let text = str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.trim_start();
    let value = match start.chars().next() {
        None => return Err(Problem::new("The document is empty.")),
        Some('<') => {
            return Err(Problem::at_position(
                "The document is HTML or XML instead of JSON or YAML.",
                1,
                1,
            ));
        }
        Some('{') => {
            let before = budget.left;
            match json::parse(text, budget) {
                Ok(value) => value,
                // YAML has objects in braces as well.
                Err(problem) => {
                    budget.left = before;
                    yaml::parse(text, budget).map_err(|_| problem)?
                }
            }
        }
        Some(_) => yaml::parse(text, budget)?,
    };
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(Problem::at_pointer("The document is not an object.", "")),
    }
}

fn not_utf8(bytes: &[u8], valid: usize) -> Problem {
    let before = bytes.get(..valid).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let last = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let column = String::from_utf8_lossy(last).chars().count() + 1;
    Problem::at_position("The document is not UTF-8.", line, column)
}
