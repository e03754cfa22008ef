//! Merges without conflicts: one side is favored where both changed the same.

use super::{
    ConflictObject, Merged,
    lines::{Versions, Winner, WorkBudget, merge_favoring},
    resolve::{Choice, resolve},
};
use crate::{
    objects::{Hash, Missing, Objects},
    pages::{Page, PageContent, Pages, Snapshot},
};

/// The contents of a merge with conflicts, once with our changes in their places and once with theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Favored {
    pub ours: Snapshot,
    pub theirs: Snapshot,
}

/// Makes a decision for the conflicts of a merge. In the texts of pages, only lines that both sides changed are decided.
pub fn favor(objects: &Objects, base: &Snapshot, merged: &Merged, theirs: &Snapshot) -> Result<Favored, Missing> {
    let mut favored = Favored {
        ours: merged.snapshot,
        theirs: merged.snapshot,
    };
    let budget = WorkBudget::default();
    for conflict in &merged.conflicts {
        let ours = favored.ours;
        favored.theirs = resolve(objects, conflict.subject, base, &favored.theirs, theirs, Choice::Theirs)?;
        if let ConflictObject::Page(id) = conflict.subject {
            let page = |snapshot: &Snapshot| Pages::of(objects, *snapshot).page(id);
            let (base_page, our_page, their_page) = (page(base)?, page(&ours)?, page(&favored.theirs)?);
            let (Some(our_page), Some(their_page)) = (our_page, their_page) else {
                continue;
            };
            let text = |page: Option<&Page>| match page.and_then(Page::document) {
                Some(hash) => objects.text(&hash),
                None => Ok(String::new()),
            };
            let (base_text, our_text) = (text(base_page.as_ref())?, text(Some(&our_page))?);
            let their_text = text(Some(&their_page))?;
            let versions = Versions {
                base: &base_text,
                ours: &our_text,
                theirs: &their_text,
            };
            let decided = |winner| merge_favoring(&budget, versions, Some(winner)).map(|text| objects.put_text(&text));
            if let Some(document) = decided(Winner::Ours) {
                favored.ours = with_text(objects, &favored.ours, our_page, document)?;
            }
            if let Some(document) = decided(Winner::Theirs) {
                favored.theirs = with_text(objects, &favored.theirs, their_page, document)?;
            }
        }
    }
    Ok(favored)
}

fn with_text(objects: &Objects, snapshot: &Snapshot, mut page: Page, text: Hash) -> Result<Snapshot, Missing> {
    match &mut page.content {
        PageContent::Document { document, .. } if document.is_some() => *document = Some(text),
        _ => return Ok(*snapshot),
    }
    let mut pages = Pages::of(objects, *snapshot);
    pages.put(page)?;
    pages.finish()
}
