//! Conditions of sections and site spaces.

use openapi::{
    error::{ApiError, ErrorRule},
    values::Maybe,
};

use crate::kernel::conditions;

/// The change that a request makes to a condition; one that cannot be parsed is refused.
pub fn new_condition(condition: Maybe<String>) -> Result<Option<Option<String>>, ApiError> {
    let change = condition.into_change();
    let written = change.as_ref().and_then(Option::as_deref);
    conditions::require("/body/condition", ErrorRule::Condition, written)?;
    Ok(change)
}
