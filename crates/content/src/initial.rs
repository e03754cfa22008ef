//! The initial content of a space.

use entity::ids::PageId;
use sea_orm::DbErr;

use super::{
    draft::Draft,
    pages::{ComputedPages, Page, PageContent, Pages, Snapshot},
};

/// The default title of pages.
pub const UNTITLED: &str = "Untitled";

/// Creates content with one empty page of this id, or without pages.
pub fn first(page: Option<PageId>) -> Result<Draft, DbErr> {
    Draft::first(|objects| {
        let mut pages = Pages::of(objects, Snapshot::default());
        if let Some(id) = page {
            let order = pages.order_at(None, None, None)?;
            pages.put(Page::empty(id, order, UNTITLED.to_owned(), UNTITLED.to_lowercase()))?;
        }
        pages.finish()
    })
}

/// Creates content with a placeholder for computed pages. The name becomes its title and its slug.
pub fn first_computed(id: PageId, name: &str, source: ComputedPages) -> Result<Draft, DbErr> {
    Draft::first(|objects| {
        let mut pages = Pages::of(objects, Snapshot::default());
        let order = pages.order_at(None, None, None)?;
        pages.put(Page {
            content: PageContent::Computed {
                source: Box::new(source.clone()),
            },
            ..Page::empty(id, order, name.to_owned(), name.to_lowercase())
        })?;
        pages.finish()
    })
}
