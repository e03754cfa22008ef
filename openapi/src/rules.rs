//! Rules of the contract that the validation attributes have no word for; the generated code calls them.

use std::{error::Error, fmt, sync::LazyLock};

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

/// A rule that a text breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenRule {
    MinLength(usize),
    MaxLength(usize),
    /// The text contains a character that no text may contain.
    Character(char),
    /// Each of the characters may stand beside visible ones, but no text consists of such alone.
    NothingVisible,
    /// The pattern or the format is broken in another way.
    Form,
}

impl Text {
    pub const NONE: Self = Self {
        min: 0,
        max: None,
        pattern: None,
        format: None,
    };

    pub fn accepts(&self, text: &str) -> bool {
        !self.is_short(text) && !self.is_long(text) && self.has_form(text)
    }

    /// Accepts the text, or names the first rule that it breaks.
    pub fn check(&self, text: &str) -> Result<(), BrokenRule> {
        if self.is_short(text) {
            return Err(BrokenRule::MinLength(self.min));
        }
        if self.is_long(text) {
            return Err(BrokenRule::MaxLength(self.max.unwrap_or_default()));
        }
        if self.has_form(text) {
            return Ok(());
        }
        Err(broken_form(text, |text| self.has_form(text)))
    }

    /// A text of somebody who cannot be told about a broken rule, made to keep the rules: on one line, without the characters that
    /// are refused, cut at the greatest length. `None`: nothing is left that keeps them.
    pub fn clean(&self, text: &str) -> Option<String> {
        let max = self.max.unwrap_or(usize::MAX);
        let (mut cleaned, mut length) = (String::new(), 0);
        let mut is_apart = false;
        for c in text.chars() {
            if c.is_whitespace() || c.is_control() {
                is_apart = true;
            } else if allows(c, |text| self.has_form(text)) {
                let gap = is_apart && length > 0;
                length += 1 + usize::from(gap);
                if length > max {
                    break;
                }
                cleaned.extend(gap.then_some(' '));
                cleaned.push(c);
                is_apart = false;
            }
        }
        self.accepts(&cleaned).then_some(cleaned)
    }

    fn is_short(&self, text: &str) -> bool {
        self.min > 0 && text.chars().nth(self.min - 1).is_none()
    }

    fn is_long(&self, text: &str) -> bool {
        self.max
            .is_some_and(|max| text.len() > max && text.chars().nth(max).is_some())
    }

    fn has_form(&self, text: &str) -> bool {
        self.pattern.is_none_or(|pattern| pattern.is_match(text)) && self.format.is_none_or(|format| format(text))
    }
}

/// The characters of a text that are looked at to name one that is refused.
const MAX_NAMED: usize = 10_000;

/// Names the rule that a text breaks which has not the form that is asked for.
fn broken_form(text: &str, has_form: impl Fn(&str) -> bool) -> BrokenRule {
    // Forms such as that of an address are more than a set of characters.
    if !has_form("xx") {
        return BrokenRule::Form;
    }
    let characters = || text.chars().take(MAX_NAMED);
    match characters().find(|c| !allows(*c, &has_form)) {
        Some(c) => BrokenRule::Character(c),
        None if characters().any(|c| c.is_ascii_graphic() || has_form(&c.to_string())) => BrokenRule::Form,
        None => BrokenRule::NothingVisible,
    }
}

/// Names the rule that a text breaks which does not match a pattern of the contract.
pub fn broken_pattern(pattern: &str, text: &str) -> BrokenRule {
    match Regex::new(pattern) {
        Ok(pattern) => broken_form(text, |text| pattern.is_match(text)),
        Err(_) => BrokenRule::Form,
    }
}

/// Returns whether the character may stand between letters.
fn allows(c: char, has_form: impl Fn(&str) -> bool) -> bool {
    c.is_ascii_alphanumeric() || has_form(&format!("x{c}x"))
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MinLength(1) => f.write_str("may not be empty"),
            Self::MinLength(min) => write!(f, "must have at least {min} characters"),
            Self::MaxLength(max) => write!(f, "may have at most {max} characters"),
            Self::Character(c) => write!(f, "may not contain the character U+{:04X}", u32::from(*c)),
            Self::NothingVisible => f.write_str("must have a visible character"),
            Self::Form => f.write_str("does not have the required form"),
        }
    }
}

impl Error for BrokenRule {}

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
