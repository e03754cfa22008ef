//! Webhooks of OpenAPI 3.0: documents have them in an extension, which has become a part of OpenAPI 3.1.

use serde_json::{Map, Value};

use crate::Version;

pub const EXTENSION: &str = "x-webhooks";
const MEMBER: &str = "webhooks";

/// The webhooks in the extension of a document. `None`: there are none, or what stands there is something else.
pub fn in_extension(version: Version, root: &Value) -> Option<&Map<String, Value>> {
    let webhooks = root.get(EXTENSION)?.as_object()?;
    let is_free = version == Version::OpenApi30 && root.get(MEMBER).is_none();
    (is_free && webhooks.values().all(Value::is_object)).then_some(webhooks)
}

/// Moves the webhooks to where OpenAPI 3.1 has them.
pub fn convert(version: Version, root: &mut Value) {
    if in_extension(version, root).is_none() {
        return;
    }
    if let Value::Object(root) = root
        && let Some(webhooks) = root.shift_remove(EXTENSION)
    {
        root.insert(MEMBER.to_owned(), webhooks);
    }
}

/// The new place of what a reference leads to.
pub fn moved(version: Version, root: &Value, segments: &[&str]) -> Option<String> {
    let (first, rest) = segments.split_first()?;
    if *first != EXTENSION {
        return None;
    }
    in_extension(version, root)?;
    let segments: Vec<&str> = std::iter::once(MEMBER).chain(rest.iter().copied()).collect();
    Some(segments.join("/"))
}
