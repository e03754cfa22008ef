//! The words of pages.

use entity::{
    ids::{NodeId, PageId},
    search::pages::Section,
};
use sea_orm::{ConnectionTrait, DbErr};

use super::Texts;
use crate::{
    content::pages::{Change, Changes, Page, PageContent},
    rich_text,
    search::index::{self, PageEntry},
};

/// Takes what pages said out of the index, and puts in what they say now.
pub async fn store(tx: &impl ConnectionTrait, space: NodeId, changes: &Changes, texts: &Texts) -> Result<(), DbErr> {
    let changed = changes.pages.iter().filter(|(_, change)| says_something_else(change));
    let (present, gone): (Vec<_>, Vec<_>) = changed.partition(|(_, change)| is_found(change.after.as_ref()));
    let gone: Vec<PageId> = gone.into_iter().map(|(id, _)| *id).collect();
    let present = present.into_iter().filter_map(|(_, change)| change.after.as_ref());
    let present: Vec<PageEntry> = present.map(|page| entry(page, texts)).collect();
    index::remove(tx, space, &gone).await?;
    index::replace(tx, space, &present).await
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

fn entry(page: &Page, texts: &Texts) -> PageEntry {
    let document = page.document().and_then(|hash| texts.get(&hash));
    let sections = document.map(rich_text::text).unwrap_or_default();
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
