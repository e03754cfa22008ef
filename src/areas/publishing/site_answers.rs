//! Answers that are made from many rows, none of which tells by itself that the answer has changed: the entity tag is the hash of the JSON.

use openapi::{
    answer::{Conditional, Tagged},
    conditional::EntityTag,
    error::ApiError,
};
use platform::hash::Hash;
use serde::Serialize;

/// Answers with a part of a site, or with 304 if the caller has kept it.
pub fn answer<T: Serialize>(part: &T, if_none_match: Option<&str>) -> Result<Conditional<T>, ApiError> {
    let json = serde_json::to_vec(part)?;
    let tag = EntityTag::new(Hash::of(&json));
    Ok(match tag.is_kept(if_none_match) {
        true => Conditional::NotModified(tag),
        false => Conditional::Written(Tagged { tag, body: json.into() }),
    })
}
