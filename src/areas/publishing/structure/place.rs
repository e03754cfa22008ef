//! Items of the structure and places for them, as requests name them.

use entity::ids::{Id, SiteExternalLinkId, SiteSectionGroupId, SiteSectionId, SiteSpaceId};
use openapi::models::{SiteStructureItemPointer, SiteStructureItemType, SiteStructurePosition};

use super::edit::At;

use crate::areas::publishing::layout::{EntryId, Layout};

/// An item of the structure.
#[derive(Clone, Copy)]
pub enum ItemId {
    SiteSpace(SiteSpaceId),
    Entry(EntryId),
}

impl ItemId {
    pub fn parse(pointer: &SiteStructureItemPointer) -> Self {
        let SiteStructureItemPointer { r#type, id } = pointer;
        match r#type {
            SiteStructureItemType::SiteSpace => Self::SiteSpace(SiteSpaceId::parse_or_nil(id)),
            SiteStructureItemType::SiteSection => Self::Entry(EntryId::Section(SiteSectionId::parse_or_nil(id))),
            SiteStructureItemType::SiteSectionGroup => {
                Self::Entry(EntryId::Group(SiteSectionGroupId::parse_or_nil(id)))
            }
            SiteStructureItemType::SiteExternalLink => Self::Entry(EntryId::Link(SiteExternalLinkId::parse_or_nil(id))),
        }
    }

    pub fn exists(&self, layout: &Layout) -> bool {
        match self {
            Self::SiteSpace(id) => layout.site_space(*id).is_some(),
            Self::Entry(EntryId::Section(id)) => layout.section(*id).is_some(),
            Self::Entry(EntryId::Group(id)) => layout.group(*id).is_some(),
            Self::Entry(EntryId::Link(id)) => layout.link(*id).is_some(),
        }
    }
}

/// The place that a position names; without one, the end.
pub fn place<T>(position: Option<SiteStructurePosition>, item: impl Fn(&SiteStructureItemPointer) -> T) -> At<T> {
    match position {
        Some(SiteStructurePosition { before, after }) => at(before.as_ref().map(&item), after.as_ref().map(&item)),
        None => At::End,
    }
}

/// The contract allows one of the two.
pub fn at<T>(before: Option<T>, after: Option<T>) -> At<T> {
    match (before, after) {
        (Some(of), _) => At::Before(of),
        (None, Some(of)) => At::After(of),
        (None, None) => At::End,
    }
}

/// The section, group or link that a pointer names; site spaces have no place among these.
pub fn entry_of(pointer: &SiteStructureItemPointer) -> Option<EntryId> {
    match ItemId::parse(pointer) {
        ItemId::Entry(entry) => Some(entry),
        ItemId::SiteSpace(_) => None,
    }
}
