//! From where links lead to something.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use content::{
    index::links::sources,
    link_set::{LinkPlace, LinkTarget},
    objects::{Content, Hash, Missing},
    pages::Pages,
    revisions::Revision,
};
use entity::ids::{FileId, NodeId, PageId};
use openapi::{
    error::ApiError,
    models::{ContentLocation, ContentLocationList},
};
use platform::db;

use super::{list::location, locations::Locations, scope::Scope, store::Linked};
use crate::app::lists::List;

/// Which page of the list is asked for.
pub struct Wanted {
    pub page: Option<String>,
    pub limit: u32,
}

/// Where links to a page stand. Those on the page itself do not count.
pub async fn of_page(scope: &Scope<'_>, page: &str, wanted: Wanted) -> Result<ContentLocationList, ApiError> {
    let page = scope.page(page).await?;
    let linked = Linked {
        space: scope.space,
        id: *page.id.as_uuid(),
    };
    list(scope, linked, Some(page.id), wanted).await
}

/// Where a file is used.
pub async fn of_file(scope: &Scope<'_>, file: &str, wanted: Wanted) -> Result<ContentLocationList, ApiError> {
    let unknown = || ApiError::not_found("file");
    let id: FileId = file.parse().map_err(|_| unknown())?;
    let found = scope.compute(scope.revision.snapshot, |pages| pages.file(id)).await?;
    let linked = Linked {
        space: scope.space,
        id: *found.ok_or_else(unknown)?.id.as_uuid(),
    };
    list(scope, linked, None, wanted).await
}

/// Where a link stands, in the order of the list.
type Key = (NodeId, PageId, i32);

async fn list(
    scope: &Scope<'_>,
    linked: Linked,
    itself: Option<PageId>,
    wanted: Wanted,
) -> Result<ContentLocationList, ApiError> {
    let list = List::new(
        scope.app,
        ("backlinks", scope.name(), linked.id),
        wanted.page,
        wanted.limit,
    );
    let after: Option<Key> = list.after()?;
    let mut candidates = candidates(scope, linked).await?;
    if let Some(itself) = itself {
        candidates.pages.retain(|page| *page != (scope.space, itself));
    }
    let mut found = present(scope, linked, &candidates).await?;
    found.sort_unstable_by_key(|(key, _)| *key);
    let count = u64::try_from(found.len()).unwrap_or(u64::MAX);
    let page = shown(found, after, list.limit);
    let pages = page
        .items
        .iter()
        .map(|((space, page, _), _)| LinkTarget::Page(*space, *page));
    let targets: HashSet<LinkTarget> = pages.collect();
    let items: Vec<ContentLocation> = if targets.is_empty() {
        Vec::new()
    } else {
        let locations = Locations::of(scope, &targets).await?;
        let places = page.items.into_iter();
        let places =
            places.filter_map(|((space, page, _), node)| location(&locations, LinkTarget::Page(space, page), node));
        places.collect()
    };
    let page = db::Page { items, next: page.next };
    Ok(list.answer(page, count, |place| place)?.into())
}

fn shown(
    mut found: Vec<(Key, Option<String>)>,
    after: Option<Key>,
    limit: u64,
) -> db::Page<(Key, Option<String>), Key> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let behind = found.partition_point(|(key, _)| after.is_some_and(|after| *key <= after));
    let mut items = found.split_off(behind);
    let more = limit > 0 && items.len() > limit;
    items.truncate(limit);
    let next = if more { items.last().map(|(key, _)| *key) } else { None };
    db::Page { items, next }
}

/// Pages that link to something, now or once, with the content of their spaces.
struct Candidates {
    pages: Vec<(NodeId, PageId)>,
    held: HashMap<NodeId, Arc<Revision>>,
}

/// For a change request only its own pages; for a space those of all spaces that the caller sees.
async fn candidates(scope: &Scope<'_>, linked: Linked) -> Result<Candidates, ApiError> {
    let db = scope.app.db.read();
    let mut held = HashMap::from([(scope.space, Arc::clone(&scope.revision))]);
    if scope.request.is_some() {
        let pages = linked.pages_beside(db).await?;
        let pages = pages.into_iter().map(|page| (scope.space, page)).collect();
        return Ok(Candidates { pages, held });
    }
    let found = linked.pages_seen(db, &scope.member).await?;
    let others = found.iter().filter(|(space, ..)| *space != scope.space);
    let others: BTreeSet<_> = others.map(|(_, revision, _)| *revision).collect();
    let others = scope
        .app
        .content
        .revisions(&scope.app.db, others.into_iter().collect())
        .await;
    held.extend(others?.into_iter().map(|revision| (revision.space, revision)));
    Ok(Candidates {
        pages: found.into_iter().map(|(space, _, page)| (space, page)).collect(),
        held,
    })
}

/// The links that the pages have now.
async fn present(
    scope: &Scope<'_>,
    linked: Linked,
    candidates: &Candidates,
) -> Result<Vec<(Key, Option<String>)>, ApiError> {
    let spaces = candidates.held.keys().copied().collect();
    let db = scope.app.db.read();
    let mut content = Content::of_spaces(db, &scope.app.content.objects, spaces);
    let held = content.run(|objects| {
        let mut outcome = Ok(HashSet::new());
        for (space, id) in &candidates.pages {
            let Some(revision) = candidates.held.get(space) else {
                continue;
            };
            match (Pages::of(objects, revision.snapshot).page(*id), &mut outcome) {
                (Ok(Some(page)), Ok(held)) => {
                    held.extend(sources(&page).into_iter().map(|source| (*space, *id, source)))
                }
                (Ok(_), _) => {}
                (Err(Missing), outcome) => *outcome = Err(Missing),
            }
        }
        outcome
    });
    let held: HashSet<(NodeId, PageId, Hash)> = held.await?;
    let all: BTreeSet<(NodeId, Hash)> = held.iter().map(|(space, _, source)| (*space, *source)).collect();
    let all: Vec<(NodeId, Hash)> = all.into_iter().collect();
    let links = linked.links_from(db, &all).await?;
    let links = links.into_iter().filter_map(|(space, place, node)| {
        let LinkPlace { page, seq, source } = place;
        held.contains(&(space, page, source))
            .then_some(((space, page, seq), node))
    });
    Ok(links.collect())
}
