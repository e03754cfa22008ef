//! Conditions in requests, which decide what visitors see.

use expressions::Condition;
use openapi::error::{ApiError, ErrorRule};

/// Refuses a condition that cannot be parsed: it would hide its object from everybody.
pub fn require(pointer: &str, rule: ErrorRule, condition: Option<&str>) -> Result<(), ApiError> {
    let Some(Err(error)) = condition.map(Condition::parse) else {
        return Ok(());
    };
    let message = format!("The condition is not a valid expression: {error}");
    Err(ApiError::invalid_member(pointer, rule, message))
}
