//! Resolution of a conflict.

use std::collections::{BTreeMap, HashSet};

use entity::ids::PageId;

use super::{ConflictObject, page::is_same_apart_from_order, place::place};
use crate::{
    objects::{Missing, Objects},
    pages::{MAX_DEPTH, Page, Pages, Snapshot},
};

/// The side to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Ours,
    Theirs,
}

/// Returns our content, with their version of one object if that is the choice.
///
/// A page takes its text, metadata and position from their version, together with ancestors that only they have. If they
/// deleted the page, it is deleted with its descendants, except for descendants that we changed, and with ancestors that
/// were kept only for its sake.
pub fn resolve(
    objects: &Objects,
    subject: ConflictObject,
    base: &Snapshot,
    ours: &Snapshot,
    theirs: &Snapshot,
    choice: Choice,
) -> Result<Snapshot, Missing> {
    if choice == Choice::Ours {
        return Ok(*ours);
    }
    let base = Pages::of(objects, *base);
    let theirs = Pages::of(objects, *theirs);
    let mut pages = Pages::of(objects, *ours);
    match subject {
        ConflictObject::Page(id) => match theirs.page(id)? {
            Some(page) => take(&mut pages, &base, &theirs, page)?,
            None => delete(&mut pages, &base, &theirs, id)?,
        },
        ConflictObject::File(id) => match theirs.file(id)? {
            Some(file) => pages.put_file(file),
            None => pages.remove_file(id),
        },
        ConflictObject::ReusableContent(id) => match theirs.reusable_content(id)? {
            Some(content) => pages.put_reusable_content(content),
            None => pages.remove_reusable_content(id),
        },
    }
    pages.finish()
}

/// Takes their version of a page.
fn take(pages: &mut Pages<'_>, base: &Pages<'_>, theirs: &Pages<'_>, page: Page) -> Result<(), Missing> {
    let id = page.id;
    let ours = pages.page(id)?;
    let mut moves = Moves {
        pages,
        theirs,
        wanted: BTreeMap::from([(id, page.clone())]),
    };
    let fits = moves.add_ancestors(&page)? && moves.break_cycles(id)? && moves.is_within_depth_limit(id)?;
    let wanted = if fits {
        moves.wanted
    } else {
        // Their position is not possible: the page keeps ours, or becomes a top-level page.
        let parent = ours.as_ref().and_then(|ours| ours.parent);
        let order = ours.map_or(page.order.clone(), |ours| ours.order);
        BTreeMap::from([(id, Page { parent, order, ..page })])
    };
    let wanted = wanted.into_iter().map(|(id, page)| (id, Some(page)));
    place(pages, base, wanted.collect())
}

/// Pages that take their version, over pages that keep ours.
struct Moves<'p, 'o> {
    pages: &'p Pages<'o>,
    theirs: &'p Pages<'o>,
    wanted: BTreeMap<PageId, Page>,
}

impl Moves<'_, '_> {
    fn page(&self, id: PageId) -> Result<Option<Page>, Missing> {
        match self.wanted.get(&id) {
            Some(page) => Ok(Some(page.clone())),
            None => self.pages.page(id),
        }
    }

    /// Adds their ancestors of a page until its parent exists. Returns false if that is impossible.
    fn add_ancestors(&mut self, page: &Page) -> Result<bool, Missing> {
        let mut next = page.parent;
        while let Some(id) = next {
            if self.page(id)?.is_some() {
                break;
            }
            let Some(above) = self.theirs.page(id)? else {
                return Ok(false);
            };
            next = above.parent;
            self.wanted.insert(id, above);
        }
        Ok(true)
    }

    /// Returns the pages from this one to the top, or once around a cycle.
    fn path_to_top(&self, id: PageId) -> Result<(Vec<Page>, bool), Missing> {
        let mut way = Vec::new();
        let mut seen = HashSet::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let Some(page) = self.page(id)? else { break };
            if !seen.insert(id) {
                return Ok((way, true));
            }
            next = page.parent;
            way.push(page);
        }
        Ok((way, false))
    }

    /// Breaks cycles: ancestors of the page take their positions too. Returns false if that is impossible.
    fn break_cycles(&mut self, id: PageId) -> Result<bool, Missing> {
        loop {
            let (way, is_cycle) = self.path_to_top(id)?;
            if !is_cycle {
                return Ok(true);
            }
            let mut freed = None;
            for page in way.into_iter().filter(|page| !self.wanted.contains_key(&page.id)) {
                let elsewhere = self.theirs.page(page.id)?.filter(|it| it.parent != page.parent);
                freed = freed.or_else(|| elsewhere.map(|it| (page, it)));
            }
            let Some((page, there)) = freed else {
                return Ok(false);
            };
            let page = Page {
                parent: there.parent,
                order: there.order,
                ..page
            };
            if !self.add_ancestors(&page)? {
                return Ok(false);
            }
            self.wanted.insert(page.id, page);
        }
    }

    fn is_within_depth_limit(&self, id: PageId) -> Result<bool, Missing> {
        let depth = self.path_to_top(id)?.0.len();
        let before = self.pages.page(id)?;
        let before = before.map(|page| self.pages.ancestors(&page)).transpose()?;
        if before.is_some_and(|above| above.len() >= depth) {
            return Ok(true);
        }
        let mut level = vec![id];
        for _ in depth..=MAX_DEPTH {
            let mut next = Vec::new();
            for id in level {
                next.extend(self.pages.children(Some(id))?.iter().map(|child| child.id));
            }
            level = next;
        }
        Ok(depth <= MAX_DEPTH && level.is_empty())
    }
}

fn delete(pages: &mut Pages<'_>, base: &Pages<'_>, theirs: &Pages<'_>, id: PageId) -> Result<(), Missing> {
    let Some(page) = pages.page(id)? else {
        return Ok(());
    };
    let mut below = Vec::new();
    let mut next = vec![page.clone()];
    while let Some(page) = next.pop() {
        next.extend(pages.children(Some(page.id))?);
        below.push(page);
    }
    // Children before their parents.
    for below in below.iter().skip(1).rev() {
        if is_only_kept(pages, base, theirs, below)? {
            pages.remove(below);
        }
    }
    if !pages.children(Some(id))?.is_empty() {
        return keep(pages, base, page);
    }
    pages.remove(&page);
    let mut next = page.parent;
    while let Some(id) = next {
        let above = pages.page(id)?;
        let Some(above) = above else { break };
        if !is_only_kept(pages, base, theirs, &above)? {
            break;
        }
        pages.remove(&above);
        next = above.parent;
    }
    Ok(())
}

/// Returns whether a page was kept only for its descendants: they deleted it, we did not change it, and it has no children.
fn is_only_kept(pages: &Pages<'_>, base: &Pages<'_>, theirs: &Pages<'_>, page: &Page) -> Result<bool, Missing> {
    let untouched = base
        .page(page.id)?
        .is_some_and(|base| is_same_apart_from_order(&base, page));
    Ok(untouched && theirs.page(page.id)?.is_none() && pages.children(Some(page.id))?.is_empty())
}

/// Keeps a page for descendants that we changed, but reverts our changes of the page itself.
fn keep(pages: &mut Pages<'_>, base: &Pages<'_>, page: Page) -> Result<(), Missing> {
    let Some(before) = base.page(page.id)? else {
        return Ok(());
    };
    pages.put(Page {
        parent: page.parent,
        order: page.order,
        slug: page.slug,
        ..before
    })
}
