//! Rules for the parents and slugs of pages.

use content::pages::{MAX_DEPTH, Page, PageContent, Pages};
use entity::ids::PageId;
use openapi::error::{ApiError, ErrorRule};

use super::{parse::unknown, writer::ApplyError};

use crate::areas::content::slugs;

/// The page that `into` names as the new parent.
pub fn load_parent(pages: &Pages<'_>, at: &str, id: &str) -> Result<Page, ApplyError> {
    let pointer = format!("{at}/into");
    let page = load_page(pages, &pointer, id)?;
    match page.content {
        PageContent::Document { .. } | PageContent::Group => Ok(page),
        PageContent::Link { .. } | PageContent::Computed { .. } => {
            let message = "`into` is a link or a placeholder for computed pages, which cannot have subpages.";
            Err(ApiError::invalid_member(pointer, ErrorRule::Parent, message).into())
        }
    }
}

/// The page with this id, or an error at `pointer`.
pub fn load_page(pages: &Pages<'_>, pointer: &str, id: &str) -> Result<Page, ApplyError> {
    let found = match id.parse() {
        Ok(id) => pages.page(id)?,
        Err(_) => None,
    };
    found.ok_or_else(|| unknown(pointer, "page").into())
}

/// Refuses a parent under which the page and its descendants cannot be.
pub fn require_valid_parent(pages: &Pages<'_>, at: &str, page: &Page, parent: Option<&Page>) -> Result<(), ApplyError> {
    let Some(parent) = parent else { return Ok(()) };
    let refuse = |code: ErrorRule, message: &str| -> Result<(), ApplyError> {
        Err(ApiError::invalid_member(format!("{at}/into"), code, message).into())
    };
    if matches!(page.content, PageContent::Group) {
        return refuse(ErrorRule::Parent, "A group has to be at the top level, without `into`.");
    }
    let above = pages.ancestors(parent)?;
    if parent.id == page.id || above.iter().any(|above| above.id == page.id) {
        return refuse(ErrorRule::Cycle, "`into` is the page itself or one of its descendants.");
    }
    let height = height(pages, page.id)?;
    if above.len() + 1 + height > MAX_DEPTH {
        return refuse(
            ErrorRule::Depth,
            &format!("`into` is too deep: pages are nested at most {MAX_DEPTH} levels deep."),
        );
    }
    Ok(())
}

/// The number of levels of the subtree of a page.
fn height(pages: &Pages<'_>, id: PageId) -> Result<usize, ApplyError> {
    let mut level = vec![id];
    let mut height = 0;
    while !level.is_empty() {
        height += 1;
        let mut next = Vec::new();
        for id in level {
            next.extend(pages.children(Some(id))?.iter().map(|page| page.id));
        }
        level = next;
    }
    Ok(height)
}

/// Refuses a slug that a sibling has, and one that differs from that of a sibling only by the form of Unicode or by capitals: readers
/// cannot tell their addresses apart.
pub fn require_unique_slug(
    pages: &Pages<'_>,
    at: &str,
    slug: &str,
    parent: Option<PageId>,
    of: PageId,
) -> Result<(), ApplyError> {
    let folded = slugs::folded(slug);
    let is_twin = |page: &Page| page.id != of && slugs::folded(&page.slug) == folded;
    match pages.children(parent)?.into_iter().find(is_twin) {
        Some(other) => {
            let message = format!("The sibling page \"{}\" already has this `slug`.", other.title);
            Err(ApiError::invalid_member(format!("{at}/slug"), ErrorRule::Unique, message).into())
        }
        None => Ok(()),
    }
}
