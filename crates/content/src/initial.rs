//! What a space holds before anybody has written anything.

use entity::ids::PageId;
use sea_orm::DbErr;

use super::{
    draft::Draft,
    pages::{Page, Pages, Snapshot},
};

/// The title of pages that were given none.
pub const UNTITLED: &str = "Untitled";

/// An empty page of this id, or nothing at all.
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
