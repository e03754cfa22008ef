//! Slugs derived from titles.

use content::{
    objects::Missing,
    pages::{MAX_SLUG, Pages},
};
use entity::ids::PageId;

/// The slug of titles without letters and digits.
const DEFAULT_SLUG: &str = "page";

/// A slug derived from a title that no sibling has.
pub fn unique_slug(pages: &Pages<'_>, parent: Option<PageId>, title: &str, of: PageId) -> Result<String, Missing> {
    let made = slug_of(title);
    match pages.page_at(parent, &made)? {
        Some(other) if other.id != of => Ok(pages.free_slug(parent, &made, 2)?.0),
        _ => Ok(made),
    }
}

/// A slug derived from a title. A sibling may have the same slug.
pub fn slug_of(title: &str) -> String {
    let made = slug::slugify(title);
    let made = made.get(..MAX_SLUG).unwrap_or(&made).trim_end_matches('-');
    if made.is_empty() { DEFAULT_SLUG } else { made }.to_owned()
}
