//! The initial content of a space.

use entity::ids::PageId;
use sea_orm::DbErr;

use super::{
    draft::Draft,
    pages::{Page, Pages, Snapshot},
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
