//! Lists of backlinks.

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

use super::{list::location, locations::Locations, scope::LinkScope, store::BacklinkTarget};
use crate::app::lists::List;

/// The page of a list of backlinks.
pub struct BacklinkListParams {
    pub page: Option<String>,
    pub limit: u32,
}

/// Lists the locations of links to a page, without those on the page itself.
pub async fn of_page(
    scope: &LinkScope<'_>,
    page: PageId,
    params: BacklinkListParams,
) -> Result<ContentLocationList, ApiError> {
    let page = scope.page(page).await?;
    let target = BacklinkTarget {
        space: scope.space,
        id: *page.id.as_uuid(),
    };
    list(scope, target, Some(page.id), params).await
}

/// Lists the locations where a file is used.
pub async fn of_file(
    scope: &LinkScope<'_>,
    file: FileId,
    params: BacklinkListParams,
) -> Result<ContentLocationList, ApiError> {
    let found = scope.compute(scope.revision.snapshot, |pages| pages.file(file)).await?;
    let target = BacklinkTarget {
        space: scope.space,
        id: *found.ok_or_else(|| ApiError::not_found("file"))?.id.as_uuid(),
    };
    list(scope, target, None, params).await
}

/// The position of a link in the list.
type BacklinkKey = (NodeId, PageId, i32);

async fn list(
    scope: &LinkScope<'_>,
    target: BacklinkTarget,
    itself: Option<PageId>,
    params: BacklinkListParams,
) -> Result<ContentLocationList, ApiError> {
    let list = List::new(
        scope.app,
        ("backlinks", scope.list_key(), target.id),
        params.page,
        params.limit,
    );
    let after: Option<BacklinkKey> = list.after()?;
    let mut candidates = candidates(scope, target).await?;
    if let Some(itself) = itself {
        candidates.pages.retain(|page| *page != (scope.space, itself));
    }
    let mut found = current_links(scope, target, &candidates).await?;
    found.sort_unstable_by_key(|(key, _)| *key);
    let count = u64::try_from(found.len()).unwrap_or(u64::MAX);
    let page = page_after(found, after, list.limit);
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

fn page_after(
    mut found: Vec<(BacklinkKey, Option<String>)>,
    after: Option<BacklinkKey>,
    limit: u64,
) -> db::Page<(BacklinkKey, Option<String>), BacklinkKey> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let behind = found.partition_point(|(key, _)| after.is_some_and(|after| *key <= after));
    let mut items = found.split_off(behind);
    let more = limit > 0 && items.len() > limit;
    items.truncate(limit);
    let next = if more { items.last().map(|(key, _)| *key) } else { None };
    db::Page { items, next }
}

/// Pages that link to the target or did in the past, with the current revisions of their spaces.
struct BacklinkCandidates {
    pages: Vec<(NodeId, PageId)>,
    held: HashMap<NodeId, Arc<Revision>>,
}

/// In a change request only its own pages, in a space the pages of all spaces that the caller may see.
async fn candidates(scope: &LinkScope<'_>, target: BacklinkTarget) -> Result<BacklinkCandidates, ApiError> {
    let db = scope.app.db.read();
    let mut held = HashMap::from([(scope.space, Arc::clone(&scope.revision))]);
    if scope.request.is_some() {
        let pages = target.pages_beside(db).await?;
        let pages = pages.into_iter().map(|page| (scope.space, page)).collect();
        return Ok(BacklinkCandidates { pages, held });
    }
    let found = target.pages_seen(db, &scope.member).await?;
    let others = found.iter().filter(|(space, ..)| *space != scope.space);
    let others: BTreeSet<_> = others.map(|(_, revision, _)| *revision).collect();
    let others = scope
        .app
        .content
        .revisions(&scope.app.db, others.into_iter().collect())
        .await;
    held.extend(others?.into_iter().map(|revision| (revision.space, revision)));
    Ok(BacklinkCandidates {
        pages: found.into_iter().map(|(space, _, page)| (space, page)).collect(),
        held,
    })
}

/// The links that the pages currently have.
async fn current_links(
    scope: &LinkScope<'_>,
    target: BacklinkTarget,
    candidates: &BacklinkCandidates,
) -> Result<Vec<(BacklinkKey, Option<String>)>, ApiError> {
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
    let links = target.links_from(db, &all).await?;
    let links = links.into_iter().filter_map(|(space, place, node)| {
        let LinkPlace { page, seq, source } = place;
        held.contains(&(space, page, source))
            .then_some(((space, page, seq), node))
    });
    Ok(links.collect())
}
