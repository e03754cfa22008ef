//! Ending a conflict.

use std::collections::{BTreeMap, HashSet};

use entity::ids::PageId;

use super::{Subject, page::alike, place::place};
use crate::{
    objects::{Missing, Objects},
    pages::{MAX_DEPTH, Page, Pages, Snapshot},
};

/// Which side is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Ours,
    Theirs,
}

/// Our content, with something as they have it if that is the choice.
///
/// A page takes its text, its metadata and its place from them. Pages above it that only they have come along. Where they
/// deleted it, it goes with what is below it, except for what we changed there, and so do pages above it that were kept
/// for its sake.
pub fn resolve(
    objects: &Objects,
    subject: Subject,
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
        Subject::Page(id) => match theirs.page(id)? {
            Some(page) => take(&mut pages, &base, &theirs, page)?,
            None => delete(&mut pages, &base, &theirs, id)?,
        },
        Subject::File(id) => match theirs.file(id)? {
            Some(file) => pages.put_file(file),
            None => pages.remove_file(id),
        },
        Subject::ReusableContent(id) => match theirs.reusable_content(id)? {
            Some(content) => pages.put_reusable_content(content),
            None => pages.remove_reusable_content(id),
        },
    }
    pages.finish()
}

/// Puts a page where they have it.
fn take(pages: &mut Pages<'_>, base: &Pages<'_>, theirs: &Pages<'_>, page: Page) -> Result<(), Missing> {
    let id = page.id;
    let ours = pages.page(id)?;
    let mut moves = Moves {
        pages,
        theirs,
        wanted: BTreeMap::from([(id, page.clone())]),
    };
    let fits = moves.bring_above(&page)? && moves.open_cycles(id)? && moves.is_high_enough(id)?;
    let wanted = if fits {
        moves.wanted
    } else {
        // There is no room where they have it: it stays where it is, or comes to the top.
        let parent = ours.as_ref().and_then(|ours| ours.parent);
        let order = ours.map_or(page.order.clone(), |ours| ours.order);
        BTreeMap::from([(id, Page { parent, order, ..page })])
    };
    let wanted = wanted.into_iter().map(|(id, page)| (id, Some(page)));
    place(pages, base, wanted.collect())
}

/// Pages that are to be as they have them, together with those that stay as we have them.
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

    /// Sees to it that a page as they have it stands below one that is there.
    fn bring_above(&mut self, page: &Page) -> Result<bool, Missing> {
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

    /// The pages from this one to the top, or once around a cycle.
    fn way(&self, id: PageId) -> Result<(Vec<Page>, bool), Missing> {
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

    /// Where the page would stand below itself, those that it is below go where they have them, too.
    fn open_cycles(&mut self, id: PageId) -> Result<bool, Missing> {
        loop {
            let (way, is_cycle) = self.way(id)?;
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
            if !self.bring_above(&page)? {
                return Ok(false);
            }
            self.wanted.insert(page.id, page);
        }
    }

    fn is_high_enough(&self, id: PageId) -> Result<bool, Missing> {
        let depth = self.way(id)?.0.len();
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
    // From the bottom to the top.
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

/// Whether a page is there for those below it alone: they deleted it, we did not change it, and there are none any more.
fn is_only_kept(pages: &Pages<'_>, base: &Pages<'_>, theirs: &Pages<'_>, page: &Page) -> Result<bool, Missing> {
    let untouched = base.page(page.id)?.is_some_and(|base| alike(&base, page));
    Ok(untouched && theirs.page(page.id)?.is_none() && pages.children(Some(page.id))?.is_empty())
}

/// A page that pages are below which we changed stays for their sake, but without what we did to it.
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
