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

/// Says why a condition cannot be parsed.
pub fn problem(condition: &str) -> Option<String> {
    let error = Condition::parse(condition).err()?;
    Some(format!("The condition is not a valid expression: {error}"))
}
