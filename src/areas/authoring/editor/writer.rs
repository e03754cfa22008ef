//! The state of content while changes are applied.

use std::{collections::HashMap, sync::Arc};

use content::{
    objects::Missing,
    pages::{Pages, Snapshot},
};
use entity::{
    ids::{PageId, RevisionId},
    timestamp::Timestamp,
};
use openapi::error::ApiError;

use super::{parse::ParsedChanges, parsed::PageText, view::AffectedPage};

use crate::areas::content::computed::ComputedTree;

/// The reasons why changes cannot be applied.
pub enum ApplyError {
    /// Objects have to be loaded first; then the changes are applied again.
    Missing,
    Refused(Box<ApiError>),
}

impl From<Missing> for ApplyError {
    fn from(Missing: Missing) -> Self {
        Self::Missing
    }
}

impl From<ApiError> for ApplyError {
    fn from(error: ApiError) -> Self {
        Self::Refused(Box::new(error))
    }
}

/// The content that changes are applied to.
pub struct EditBase {
    pub snapshot: Snapshot,
    /// The content that pages are reverted to by changes without a `revision`.
    pub origin: Snapshot,
    /// The revisions that changes name.
    pub named: HashMap<RevisionId, Snapshot>,
    /// The computed pages, to which links may lead.
    pub computed: Option<Arc<ComputedTree>>,
}

/// The content while changes are applied.
pub(super) struct ContentWriter<'w> {
    pub(super) pages: Pages<'w>,
    pub(super) base: &'w EditBase,
    pub(super) parsed: &'w ParsedChanges,
    pub(super) now: Timestamp,
    /// New texts. Their links are resolved at the end, when all pages have their positions.
    pub(super) texts: HashMap<PageId, &'w PageText>,
    pub(super) affected: Vec<AffectedPage>,
}
