//! The search entries of pages.

use entity::{
    ids::{NodeId, PageId},
    search::pages::Section,
};
use openapi::models::Document;
use sea_orm::{ConnectionTrait, DbErr};
use search::index::{self, PageEntry};

use crate::pages::{Change, Page, PageContent};

/// The removed and the replaced entries of the search index.
#[derive(Default)]
pub struct SearchIndexChanges {
    removed: Vec<PageId>,
    replaced: Vec<PageEntry>,
}

impl SearchIndexChanges {
    /// Adds the change of one page. `document` is the new text as nodes.
    pub fn add(&mut self, id: PageId, change: &Change<Page>, document: Option<&Document>) {
        if !is_changed(change) {
            return;
        }
        match change.after.as_ref().filter(|page| is_searchable(Some(page))) {
            Some(page) => self.replaced.push(entry(page, document)),
            None => self.removed.push(id),
        }
    }

    pub async fn store(&self, tx: &impl ConnectionTrait, space: NodeId) -> Result<(), DbErr> {
        index::remove(tx, space, &self.removed).await?;
        index::replace(tx, space, &self.replaced).await
    }
}

/// Returns whether the searchable content of a page changed.
pub fn is_changed(change: &Change<Page>) -> bool {
    let searchable = |page: &Option<Page>| {
        let page = page.as_ref().filter(|page| is_searchable(Some(page)))?;
        Some((page.title.clone(), page.description.clone(), page.document()))
    };
    searchable(&change.before) != searchable(&change.after)
}

/// Returns whether a page is searchable: links have no text.
fn is_searchable(page: Option<&Page>) -> bool {
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
