//! The words of pages.

use entity::{
    ids::{NodeId, PageId},
    search::pages::Section,
};
use openapi::models::Document;
use sea_orm::{ConnectionTrait, DbErr};
use search::index::{self, PageEntry};

use crate::pages::{Change, Page, PageContent};

/// What a change takes out of the index, and what it puts in.
#[derive(Default)]
pub struct Found {
    gone: Vec<PageId>,
    present: Vec<PageEntry>,
}

impl Found {
    /// Takes up the change of one page, whose new text has these nodes.
    pub fn add(&mut self, id: PageId, change: &Change<Page>, document: Option<&Document>) {
        if !says_something_else(change) {
            return;
        }
        match change.after.as_ref().filter(|page| is_found(Some(page))) {
            Some(page) => self.present.push(entry(page, document)),
            None => self.gone.push(id),
        }
    }

    pub async fn store(&self, tx: &impl ConnectionTrait, space: NodeId) -> Result<(), DbErr> {
        index::remove(tx, space, &self.gone).await?;
        index::replace(tx, space, &self.present).await
    }
}

pub fn says_something_else(change: &Change<Page>) -> bool {
    let said = |page: &Option<Page>| {
        let page = page.as_ref().filter(|page| is_found(Some(page)))?;
        Some((page.title.clone(), page.description.clone(), page.document()))
    };
    said(&change.before) != said(&change.after)
}

/// Links have no text of their own.
fn is_found(page: Option<&Page>) -> bool {
    page.is_some_and(|page| !matches!(page.content, PageContent::Link { .. }))
}

fn entry(page: &Page, document: Option<&Document>) -> PageEntry {
    let sections = document.map(rich_text::extract_sections).unwrap_or_default();
    let sections = sections.into_iter().map(|section| Section {
        anchor: section.anchor,
        title: section.title,
        body: section.body,
    });
    let description = page.description.iter().map(|description| Section {
        anchor: None,
        title: String::new(),
        body: description.clone(),
    });
    PageEntry::new(page.id, &page.title, description.chain(sections).collect())
}
