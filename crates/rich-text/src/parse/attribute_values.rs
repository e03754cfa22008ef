//! Typed attribute values.

use openapi::models::{Length, LengthWithUnit, TextAlignment};

use crate::nodes::builders::MIDNIGHT;

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
        false => Length::Object(Box::new(LengthWithUnit {
            unit: unit.to_owned(),
            value,
        })),
    })
}

/// `2026-01-02`, or a point in time as ISO 8601.
pub fn date(text: &str) -> Option<String> {
    let is_day = |day: &str| {
        let parts: Vec<&str> = day.split('-').collect();
        let digits = |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        matches!(parts.as_slice(), [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2))
    };
    let is_time = |time: &str| {
        let allowed = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | 'Z' | '+' | '-');
        time.len() <= 24 && !time.is_empty() && time.chars().all(allowed)
    };
    match text.split_once('T') {
        None => is_day(text).then(|| format!("{text}{MIDNIGHT}")),
        Some((day, time)) => (is_day(day) && is_time(time)).then(|| text.to_owned()),
    }
}
