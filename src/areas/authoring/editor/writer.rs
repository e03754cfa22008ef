//! The state of content in the middle of being changed.

use std::collections::HashMap;

use content::{
    objects::Missing,
    pages::{Pages, Snapshot},
};
use entity::{
    ids::{PageId, RevisionId},
    timestamp::Timestamp,
};
use openapi::error::ApiError;

use super::{answer::Touched, prepare::Prepared, steps::Text};

/// Why changes are not made.
pub enum Stop {
    /// Something has to be loaded first.
    Missing,
    Refused(Box<ApiError>),
}

impl From<Missing> for Stop {
    fn from(Missing: Missing) -> Self {
        Self::Missing
    }
}

impl From<ApiError> for Stop {
    fn from(error: ApiError) -> Self {
        Self::Refused(Box::new(error))
    }
}

/// What changes are made to.
pub struct Base {
    pub snapshot: Snapshot,
    /// What pages are reverted to where a change names no revision.
    pub origin: Snapshot,
    /// The revisions that changes name.
    pub named: HashMap<RevisionId, Snapshot>,
}

/// The content in the middle of being changed.
pub(super) struct Writer<'w> {
    pub(super) pages: Pages<'w>,
    pub(super) base: &'w Base,
    pub(super) prepared: &'w Prepared,
    pub(super) now: Timestamp,
    /// New texts, whose links can only be read when all pages are in their places.
    pub(super) texts: HashMap<PageId, &'w Text>,
    pub(super) touched: Vec<Touched>,
}
