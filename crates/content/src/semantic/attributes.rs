//! Changes of single attributes. `None`: the attribute is unchanged.

use openapi::models::{NumberChange, StringChange};

use crate::objects::Hash;

pub(super) fn text(before: Option<&str>, after: Option<&str>) -> Option<StringChange> {
    (before != after).then(|| StringChange {
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    })
}

/// The ids of texts.
pub(super) fn document(before: Option<Hash>, after: Option<Hash>) -> Option<StringChange> {
    (before != after).then(|| StringChange {
        before: before.map(|hash| hash.to_string()),
        after: after.map(|hash| hash.to_string()),
    })
}

/// Exact up to 2^53, far more bytes than a file has.
pub(super) fn number(before: u64, after: u64) -> Option<NumberChange> {
    (before != after).then_some(NumberChange {
        before: Some(before as f64),
        after: Some(after as f64),
    })
}
