//! One page of a revision, as it is stored.

use std::collections::BTreeMap;

use entity::{
    ids::{PageId, ReusableContentId},
    timestamp::Timestamp,
};
use openapi::models::ContentRef;
use serde::{Deserialize, Serialize};

use super::{Cover, Layout, Order};
use crate::objects::Hash;

/// The most levels of pages; top-level pages are level 1.
pub const MAX_DEPTH: usize = 32;

/// The longest slug in characters.
pub const MAX_SLUG: usize = 100;

/// A page without its text and without the pages below it. Members with their usual values are not stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Page {
    pub id: PageId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<PageId>,
    pub order: Order,
    pub title: String,
    /// Unique among siblings. Links show none; theirs is their id.
    pub slug: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub hidden: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub no_index: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub no_robots_index: bool,
    /// Says which visitors of a site see the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// `None`: the page has not been edited yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    #[serde(flatten)]
    pub content: PageContent,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum PageContent {
    Document {
        /// `None`: an empty page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<Hash>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layout: Option<Layout>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cover: Option<Cover>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        variables: BTreeMap<String, String>,
    },
    /// A heading over other pages.
    Group,
    Link {
        target: ContentRef,
    },
}

impl PageContent {
    /// A text, shown as usual.
    pub fn of(document: Option<Hash>) -> Self {
        Self::Document {
            document,
            layout: None,
            cover: None,
            variables: BTreeMap::new(),
        }
    }
}

impl Page {
    /// A page at the top level without a text.
    pub fn empty(id: PageId, order: Order, title: String, slug: String) -> Self {
        Self {
            id,
            parent: None,
            order,
            title,
            slug,
            emoji: None,
            icon: None,
            description: None,
            hidden: false,
            no_index: false,
            no_robots_index: false,
            condition: None,
            created_at: None,
            updated_at: None,
            content: PageContent::of(None),
        }
    }

    /// The text of the page, if it is one that has text.
    pub fn document(&self) -> Option<Hash> {
        match &self.content {
            PageContent::Document { document, .. } => *document,
            PageContent::Group | PageContent::Link { .. } => None,
        }
    }
}

/// Content that several pages share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReusableContent {
    pub id: ReusableContentId,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Hash>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
