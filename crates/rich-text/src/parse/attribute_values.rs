//! Typed attribute values.

use openapi::models::{Length, LengthWithUnit, TextAlignment};

/// `left` and `right` assume left-to-right text.
pub fn alignment(word: &str) -> Option<TextAlignment> {
    match word {
        "left" | "start" => Some(TextAlignment::Start),
        "center" => Some(TextAlignment::Center),
        "right" | "end" => Some(TextAlignment::End),
        _ => None,
    }
}

/// `375`, `50%`
pub fn length(text: &str) -> Option<Length> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let value: f64 = number.parse().ok().filter(|value| (0.0..=100_000.0).contains(value))?;
    let is_unit = unit.len() <= 16 && unit.chars().all(|c| c.is_ascii_alphabetic() || c == '%');
    is_unit.then(|| match unit.is_empty() {
        true => Length::Number(value),
        false => Length::Object(LengthWithUnit {
            unit: unit.to_owned(),
            value,
        }),
    })
}
