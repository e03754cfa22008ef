//! Insertion of merged pages, with unique slugs among siblings.

use std::collections::{BTreeMap, HashMap};

use entity::ids::PageId;

use crate::{
    objects::Missing,
    pages::{Page, Pages},
};

/// Replaces pages by their merged versions. Of siblings with one slug, the page that had it in the base keeps it, otherwise
/// the oldest; the others get the next free slug.
pub(super) fn place(
    pages: &mut Pages<'_>,
    base: &Pages<'_>,
    wanted: BTreeMap<PageId, Option<Page>>,
) -> Result<(), Missing> {
    // All pages are removed first, so that none takes the slug of a page that is removed later.
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
