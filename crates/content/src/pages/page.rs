//! One page of a revision, as it is stored.

use std::collections::BTreeMap;

use entity::{
    ids::{PageId, ReusableContentId},
    timestamp::Timestamp,
};
use openapi::models::ContentRef;
use rich_text::front_matter::{PageLayout, PageTag};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ComputedPages, Cover, Order};
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
    /// The title in the table of contents, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_title: Option<String>,
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
        layout: Option<PageLayout>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cover: Option<Cover>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        variables: BTreeMap<String, String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tags: Vec<PageTag>,
        /// The members of the front matter that have no meaning for the service.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        other: Map<String, Value>,
    },
    /// A heading over other pages.
    Group,
    Link {
        target: ContentRef,
    },
    /// A placeholder for pages that are computed from another source.
    Computed {
        source: Box<ComputedPages>,
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
            tags: Vec::new(),
            other: Map::new(),
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
            link_title: None,
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
            PageContent::Group | PageContent::Link { .. } | PageContent::Computed { .. } => None,
        }
    }

    /// The tags of the page, if it is one that has tags.
    pub fn tags(&self) -> &[PageTag] {
        match &self.content {
            PageContent::Document { tags, .. } => tags,
            PageContent::Group | PageContent::Link { .. } | PageContent::Computed { .. } => &[],
        }
    }

    /// Sets the text of the page, if it is one that has text.
    pub fn set_document(&mut self, text: Option<Hash>) {
        if let PageContent::Document { document, .. } = &mut self.content {
            *document = text;
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
