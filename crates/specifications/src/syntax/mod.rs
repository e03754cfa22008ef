//! JSON and YAML, parsed within limits.

mod json;
mod texts;
mod yaml;

pub use json::finished;
use serde_json::Value;

use crate::{MAX_SOURCE_BYTES, memory::Memory, position::Position, problem::Problem};

/// Precedes the spelling of a number in a text until its place decides whether it is a number. JSON and most YAML have no such
/// texts.
const SPELLING: &str = "\0number ";

const TOO_MANY_VALUES: &str = "The document has too many values.";

/// Parses the bytes of a document, which has to be an object.
pub fn parse(bytes: &[u8], memory: &mut Memory) -> Result<Value, Problem> {
    if bytes.len() > MAX_SOURCE_BYTES {
        return Err(Problem::new(format!(
            "The document has more than {MAX_SOURCE_BYTES} bytes."
        )));
    }
    let text = str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.trim_start();
    let mut value = match start.chars().next() {
        None => return Err(Problem::new("The document is empty.")),
        Some('<') => {
            return Err(Problem::at_position(
                "The document is HTML or XML instead of JSON or YAML.",
                1,
                1,
            ));
        }
        Some('{') => {
            let left = memory.left();
            match json::parse(text, memory) {
                Ok(value) => value,
                Err(problem) if memory.is_exhausted() => return Err(problem),
                // YAML has objects in braces as well.
                Err(problem) => {
                    *memory = Memory::new(left);
                    yaml::parse(text, memory).map_err(|_| problem)?
                }
            }
        }
        Some(_) => yaml::parse(text, memory)?,
    };
    texts::restore(&mut value, Position::Object, false);
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
