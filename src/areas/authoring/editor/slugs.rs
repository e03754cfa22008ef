//! Slugs of pages that were given none.

use content::{
    objects::Missing,
    pages::{MAX_SLUG, Pages},
};
use entity::ids::PageId;

/// Stands for titles without a letter or digit.
const NAMELESS: &str = "page";

/// A slug made of a title that no other page beside it has.
pub fn free(pages: &Pages<'_>, parent: Option<PageId>, title: &str, of: PageId) -> Result<String, Missing> {
    let made = slug_of(title);
    match pages.page_at(parent, &made)? {
        Some(other) if other.id != of => Ok(pages.free_slug(parent, &made, 2)?.0),
        _ => Ok(made),
    }
}

/// A slug made of a title, whether another page has it or not.
pub fn slug_of(title: &str) -> String {
    let made = slug::slugify(title);
    let made = made.get(..MAX_SLUG).unwrap_or(&made).trim_end_matches('-');
    if made.is_empty() { NAMELESS } else { made }.to_owned()
}
