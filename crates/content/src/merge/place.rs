//! Putting pages where they belong, each with a slug of its own.

use std::collections::{BTreeMap, HashMap};

use entity::ids::PageId;

use crate::{
    objects::Missing,
    pages::{Page, Pages},
};

/// Makes pages what they are to be. Of pages beside each other with one slug, that which always had it there keeps it, or
/// else the one that was made first; the others get the next free one.
pub(super) fn place(
    pages: &mut Pages<'_>,
    base: &Pages<'_>,
    wanted: BTreeMap<PageId, Option<Page>>,
) -> Result<(), Missing> {
    // All of them leave first, so that none takes the place of one that leaves it later.
    let mut put = Vec::new();
    for (id, page) in wanted {
        let current = pages.page(id)?;
        if current == page {
            continue;
        }
        if let Some(current) = current {
            pages.remove(&current);
        }
        put.extend(page);
    }
    let mut late = Vec::new();
    for page in put {
        match pages.page_at(page.parent, &page.slug)? {
            Some(other) if rank(base, &other)? < rank(base, &page)? => late.push(page),
            Some(other) => {
                pages.remove(&other);
                pages.put(page)?;
                late.push(other);
            }
            None => pages.put(page)?,
        }
    }
    late.sort_by_key(|page| page.id);
    let mut numbers: HashMap<(Option<PageId>, String), usize> = HashMap::new();
    for mut page in late {
        let number = numbers.entry((page.parent, page.slug.clone())).or_insert(2);
        (page.slug, *number) = pages.free_slug(page.parent, &page.slug, *number)?;
        pages.put(page)?;
    }
    Ok(())
}

fn rank(base: &Pages<'_>, page: &Page) -> Result<(bool, PageId), Missing> {
    let before = base.page(page.id)?;
    let is_new = before.is_none_or(|before| before.parent != page.parent || before.slug != page.slug);
    Ok((is_new, page.id))
}
