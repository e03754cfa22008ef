//! Directions of blocks: one whose first letter is of a script that is written from right to left has that direction, and
//! one in another script has the other.

use serde_json::{Value, json};

/// Languages that the typesetter writes from right to left.
const RIGHT_TO_LEFT: [&str; 11] = ["ar", "dv", "fa", "he", "ks", "pa", "ps", "sd", "ug", "ur", "yi"];

/// Nodes that have a direction.
const BLOCKS: [&str; 9] = ["p", "h", "list", "enum", "tasks", "quote", "panel", "steps", "table"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ltr,
    Rtl,
}

impl Direction {
    pub fn of_language(language: &str) -> Self {
        match RIGHT_TO_LEFT.contains(&language) {
            true => Self::Rtl,
            false => Self::Ltr,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ltr => "ltr",
            Self::Rtl => "rtl",
        }
    }

    /// `None`: digits, punctuation and the like take the direction of what is around them.
    fn of_character(character: char) -> Option<Self> {
        let is_rtl = matches!(character,
            '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}');
        character
            .is_alphabetic()
            .then_some(if is_rtl { Self::Rtl } else { Self::Ltr })
    }

    /// The direction of the first letter.
    fn of_node(node: &Value) -> Option<Self> {
        match node {
            Value::Array(items) => items.iter().find_map(Self::of_node),
            Value::Object(members) => match members.get("k").and_then(Value::as_str) {
                Some("t") => members.get("v")?.as_str()?.chars().find_map(Self::of_character),
                _ => members.values().find_map(Self::of_node),
            },
            _ => None,
        }
    }
}

/// Wraps blocks whose direction is not that of what is around them.
pub fn set_directions(node: &mut Value, around: Direction) {
    let is_block = node
        .get("k")
        .and_then(Value::as_str)
        .is_some_and(|kind| BLOCKS.contains(&kind));
    let own = is_block.then(|| Direction::of_node(node)).flatten().unwrap_or(around);
    match node {
        Value::Array(items) => items.iter_mut().for_each(|item| set_directions(item, around)),
        Value::Object(members) => {
            members.values_mut().for_each(|value| set_directions(value, own));
            if own != around {
                *node = json!({ "k": "dir", "dir": own.name(), "body": [node.take()] });
            }
        }
        _ => {}
    }
}
