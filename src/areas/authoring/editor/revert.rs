//! Reverting pages and blocks to an earlier revision.

use content::pages::{Page, PageContent, Pages, Snapshot};
use entity::ids::PageId;
use openapi::error::ApiError;

use super::{
    parse::unknown,
    placement,
    view::PageEffect,
    writer::{ApplyError, ContentWriter},
};

use crate::areas::content::slugs;

/// Restores a page from `snapshot`, or deletes the page if `snapshot` does not have it.
pub fn revert_page(
    writer: &mut ContentWriter<'_>,
    at: &str,
    id: PageId,
    snapshot: &Snapshot,
) -> Result<(), ApplyError> {
    let earlier = Pages::of(writer.pages.objects(), *snapshot).page(id)?;
    match (earlier, writer.pages.page(id)?) {
        (None, None) => Err(unknown(&format!("{at}/page"), "page").into()),
        (None, Some(present)) => writer.delete(&present),
        (Some(earlier), Some(present)) => {
            let restored = with_valid_position(writer, earlier, Some(&present))?;
            writer.record(id, PageEffect::Edited);
            writer.replace(present, restored)
        }
        (Some(earlier), None) => {
            let restored = with_valid_position(writer, earlier, None)?;
            writer.record(id, PageEffect::Inserted(None));
            Ok(writer.pages.put(restored)?)
        }
    }
}

/// The earlier page under its earlier parent if that is still valid, otherwise under its current parent or at the top
/// level.
fn with_valid_position(writer: &ContentWriter<'_>, mut page: Page, present: Option<&Page>) -> Result<Page, ApplyError> {
    let pages = &writer.pages;
    let parent = page.parent.map(|parent| pages.page(parent)).transpose()?.flatten();
    let fits = match (&parent, page.parent) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(parent), Some(_)) => match placement::require_valid_parent(pages, "", &page, Some(parent)) {
            Ok(()) => true,
            Err(ApplyError::Refused(_)) => false,
            Err(ApplyError::Missing) => return Err(ApplyError::Missing),
        },
    };
    if !fits {
        page.parent = present.and_then(|present| present.parent);
    }
    let taken = pages.page_at(page.parent, &page.slug)?;
    if taken.is_some_and(|other| other.id != page.id) {
        page.slug = slugs::unique_slug(pages, page.parent, &page.title, page.id)?;
    }
    Ok(page)
}

/// Restores single blocks of the text of a page from `snapshot`.
pub fn revert_blocks(
    writer: &mut ContentWriter<'_>,
    at: &str,
    id: PageId,
    snapshot: &Snapshot,
    keys: &[String],
) -> Result<(), ApplyError> {
    let objects = writer.pages.objects();
    let earlier = Pages::of(objects, *snapshot).page(id)?;
    let (Some(earlier), Some(present)) = (earlier, writer.pages.page(id)?) else {
        return Err(unknown(&format!("{at}/page"), "page").into());
    };
    let text = |page: &Page| page.document().map(|hash| objects.text(&hash)).transpose();
    let (before, now) = (text(&earlier), text(&present));
    let (before, now) = (before?.unwrap_or_default(), now?.unwrap_or_default());
    let reverted = rich_text::revert_blocks(&now, &before, keys).map_err(|refusal| {
        ApiError::invalid_member(format!("{at}/block{}", refusal.pointer), refusal.code, refusal.message)
    })?;
    let mut page = present.clone();
    let hash = writer.put_text(&reverted);
    if let PageContent::Document { document, .. } = &mut page.content {
        *document = hash;
    }
    writer.record(id, PageEffect::Edited);
    writer.replace(present, page)
}
