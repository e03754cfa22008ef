//! Conditional reads of what is made from many rows, none of which tells by itself that the answer has changed.

use openapi::{
    answer::{Conditional, Tagged},
    conditional::EntityTag,
    error::ApiError,
};
use platform::hash::Hash;
use poem::Body;
use serde::Serialize;

/// Answers with a value, or with 304 if the caller has kept it. The tag is the hash of the JSON: it changes with everything that
/// the caller sees, and with nothing else.
pub fn answer<T: Serialize>(value: &T, if_none_match: Option<&str>) -> Result<Conditional<T>, ApiError> {
    let json = serde_json::to_vec(value)?;
    let tag = EntityTag::new(Hash::of(&json));
    if tag.is_kept(if_none_match) {
        return Ok(Conditional::NotModified(tag));
    }
    let body = Body::from(json);
    Ok(Conditional::Written(Tagged { tag, body }))
}
