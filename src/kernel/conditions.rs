//! Conditions in requests, which decide what visitors see.

use expressions::Condition;
use openapi::error::{ApiError, ErrorRule};

/// Refuses a condition that cannot be parsed: it would hide its object from everybody.
pub fn require(pointer: &str, rule: ErrorRule, condition: Option<&str>) -> Result<(), ApiError> {
    match condition.and_then(problem) {
        Some(message) => Err(ApiError::invalid_member(pointer, rule, message)),
        None => Ok(()),
    }
}

/// The characters of a condition that a message shows.
const SHOWN: usize = 200;

/// Says why the condition of a block cannot be parsed. A text may have many of them, so the message shows it.
pub fn problem_of_block(condition: &str) -> Option<String> {
    let error = Condition::parse(condition).err()?;
    let mut shown: String = condition.chars().take(SHOWN).collect();
    if shown.len() < condition.len() {
        shown.push('…');
    }
    Some(format!(
        "The condition `{shown}` of a block is not a valid expression: {error}"
    ))
}

/// Says why a condition cannot be parsed.
pub fn problem(condition: &str) -> Option<String> {
    let error = Condition::parse(condition).err()?;
    Some(format!("The condition is not a valid expression: {error}"))
}
