//! Rules of the contract that the validation attributes have no word for; the generated code calls them.

use std::sync::LazyLock;

use regex::Regex;
use validator::{ValidationError, ValidationErrors};

use crate::values::{Inner, Texts};

/// The rules of one text.
#[derive(Default)]
pub struct Text {
    pub min: usize,
    pub max: Option<usize>,
    pub pattern: Option<&'static LazyLock<Regex>>,
    pub format: Option<fn(&str) -> bool>,
}

impl Text {
    pub fn accepts(&self, text: &str) -> bool {
        let fits = |max: usize| text.len() <= max || text.chars().nth(max).is_none();
        (self.min == 0 || text.chars().nth(self.min - 1).is_some())
            && self.max.is_none_or(fits)
            && self.pattern.is_none_or(|pattern| pattern.is_match(text))
            && self.format.is_none_or(|format| format(text))
    }
}

/// Every text within the value keeps the rules.
pub fn texts<V: Texts + ?Sized>(value: &V, rules: &Text) -> Result<(), ValidationError> {
    verdict(value.all(&|text| rules.accepts(text)), "texts")
}

pub fn unique<T: PartialEq>(items: &[T]) -> Result<(), ValidationError> {
    let repeated = items
        .iter()
        .enumerate()
        .any(|(i, item)| items.iter().take(i).any(|other| other == item));
    verdict(!repeated, "unique-items")
}

/// The rule for the value inside a wrapper, if there is one.
pub fn inner<W: Inner>(
    wrapper: &W,
    rule: impl Fn(&W::Value) -> Result<(), ValidationError>,
) -> Result<(), ValidationError> {
    wrapper.inner().map_or(Ok(()), rule)
}

pub fn size(size: usize, min: usize, max: Option<usize>) -> Result<(), ValidationError> {
    verdict(size >= min && max.is_none_or(|max| size <= max), "size")
}

/// The rules of a choice that has no members of its own.
pub fn of_variant(rules: impl FnOnce() -> Result<(), ValidationError>) -> Result<(), ValidationErrors> {
    rules().map_err(|error| {
        let mut errors = ValidationErrors::new();
        errors.add("value", error);
        errors
    })
}

fn verdict(kept: bool, code: &'static str) -> Result<(), ValidationError> {
    if kept { Ok(()) } else { Err(ValidationError::new(code)) }
}

/// A pattern of the contract; the build has compiled it before.
#[expect(
    clippy::expect_used,
    reason = "the build refuses a contract whose patterns do not compile"
)]
pub fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the build checked the pattern")
}
