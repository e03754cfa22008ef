//! Attributes of tags.

use openapi::models::{Length, TextAlignment};

use crate::syntax::entities;

pub fn attribute(name: &str, value: &str) -> String {
    let mut written = format!("{name}=\"");
    entities::encode(value, &mut written);
    written.push('"');
    written
}

pub fn format_length(length: &Length) -> String {
    match length {
        Length::Number(value) => value.to_string(),
        Length::Object(length) => format!("{}{}", length.value, length.unit),
    }
}

/// Returns the attribute for an alignment.
pub fn align_attribute(align: Option<TextAlignment>) -> String {
    match align {
        None => String::new(),
        Some(TextAlignment::Start) => format!(" {}", attribute("align", "left")),
        Some(TextAlignment::Center) => format!(" {}", attribute("align", "center")),
        Some(TextAlignment::End) => format!(" {}", attribute("align", "right")),
    }
}
