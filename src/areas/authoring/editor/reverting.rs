//! Bringing back what a page was.

use content::pages::{Page, PageContent, Pages, Snapshot};
use entity::ids::PageId;
use openapi::error::ApiError;

use super::{
    answer::Touch,
    prepare::unknown,
    slugs, structure,
    writer::{Stop, Writer},
};

/// Makes a page what it was, or deletes it if it was not there.
pub fn page(writer: &mut Writer<'_>, at: &str, id: PageId, snapshot: &Snapshot) -> Result<(), Stop> {
    let earlier = Pages::of(writer.pages.objects(), *snapshot).page(id)?;
    match (earlier, writer.pages.page(id)?) {
        (None, None) => Err(unknown(&format!("{at}/page"), "page").into()),
        (None, Some(present)) => writer.delete(&present),
        (Some(earlier), Some(present)) => {
            let restored = placed(writer, earlier, Some(&present))?;
            writer.touch(id, Touch::Edited);
            writer.replace(present, restored)
        }
        (Some(earlier), None) => {
            let restored = placed(writer, earlier, None)?;
            writer.touch(id, Touch::Inserted(None));
            Ok(writer.pages.put(restored)?)
        }
    }
}

/// The page where it was, if that is still possible, and otherwise where it is or at the top level.
fn placed(writer: &Writer<'_>, mut page: Page, present: Option<&Page>) -> Result<Page, Stop> {
    let pages = &writer.pages;
    let parent = page.parent.map(|parent| pages.page(parent)).transpose()?.flatten();
    let fits = match (&parent, page.parent) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(parent), Some(_)) => match structure::require_place(pages, "", &page, Some(parent)) {
            Ok(()) => true,
            Err(Stop::Refused(_)) => false,
            Err(Stop::Missing) => return Err(Stop::Missing),
        },
    };
    if !fits {
        page.parent = present.and_then(|present| present.parent);
    }
    let taken = pages.page_at(page.parent, &page.slug)?;
    if taken.is_some_and(|other| other.id != page.id) {
        page.slug = slugs::free(pages, page.parent, &page.title, page.id)?;
    }
    Ok(page)
}

/// Makes blocks of the text what they were.
pub fn blocks(writer: &mut Writer<'_>, at: &str, id: PageId, snapshot: &Snapshot, keys: &[String]) -> Result<(), Stop> {
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
    writer.touch(id, Touch::Edited);
    writer.replace(present, page)
}
