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
    let (page, count) = page_and_count(scope, (target, itself), after, list.limit).await?;
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

type Backlink = (BacklinkKey, Option<String>);

/// The page after a key, and the number of all links if few enough pages have or had one.
async fn page_and_count(
    scope: &LinkScope<'_>,
    (target, itself): (BacklinkTarget, Option<PageId>),
    after: Option<BacklinkKey>,
    limit: u64,
) -> Result<(db::Page<Backlink, BacklinkKey>, Option<u64>), ApiError> {
    let all = load_candidates(scope, (target, itself), None).await?;
    if all.next.is_none() {
        let found = current_links(scope, target, &all).await?;
        let count = u64::try_from(found.len()).unwrap_or(u64::MAX);
        return Ok((page_after(found, after, limit), Some(count)));
    }
    let mut candidates = match after {
        Some((space, page, _)) => load_candidates(scope, (target, itself), Some((space, page))).await?,
        None => all,
    };
    // Many candidates may have had their links in the past only, so one step may be too little for a page.
    let mut found = Vec::new();
    loop {
        found.extend(current_links(scope, target, &candidates).await?);
        let page = page_after(found.clone(), after, limit);
        match candidates.next {
            Some(next) if page.next.is_none() && limit > 0 => {
                candidates = load_candidates(scope, (target, itself), Some(next)).await?;
            }
            _ => return Ok((page, None)),
        }
    }
}

fn page_after(mut found: Vec<Backlink>, after: Option<BacklinkKey>, limit: u64) -> db::Page<Backlink, BacklinkKey> {
    found.sort_unstable_by_key(|(key, _)| *key);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let behind = found.partition_point(|(key, _)| after.is_some_and(|after| *key <= after));
    let mut items = found.split_off(behind);
    let more = limit > 0 && items.len() > limit;
    items.truncate(limit);
    let next = if more { items.last().map(|(key, _)| *key) } else { None };
    db::Page { items, next }
}

/// The pages that one step looks at.
const CANDIDATES: usize = 1_000;

/// Pages that link to the target or did in the past, in the order of the list, with the current revisions of their spaces.
struct BacklinkCandidates {
    pages: Vec<(NodeId, PageId)>,
    held: HashMap<NodeId, Arc<Revision>>,
    /// The page that the next step begins with.
    next: Option<(NodeId, PageId)>,
}

/// Up to [`CANDIDATES`] pages from a page on, without the target itself. In a change request only its own pages, in a space
/// the pages of all spaces that the caller may see.
async fn load_candidates(
    scope: &LinkScope<'_>,
    (target, itself): (BacklinkTarget, Option<PageId>),
    from: Option<(NodeId, PageId)>,
) -> Result<BacklinkCandidates, ApiError> {
    let db = scope.app.db.read();
    let limit = u64::try_from(CANDIDATES).unwrap_or(u64::MAX).saturating_add(1);
    let mut found: BTreeSet<(NodeId, PageId)> = BTreeSet::new();
    if from.is_none_or(|(space, _)| space <= scope.space) {
        let from = from.filter(|(space, _)| *space == scope.space).map(|(_, page)| page);
        let pages = target.pages_beside(db, from, limit).await?;
        found.extend(pages.into_iter().map(|page| (scope.space, page)));
    }
    let mut revisions = HashMap::new();
    if scope.request.is_none() {
        for (space, revision, page) in target.pages_elsewhere(db, &scope.member, from, limit).await? {
            found.insert((space, page));
            revisions.insert(space, revision);
        }
    }
    let next = found.iter().nth(CANDIDATES).copied();
    let pages = found.into_iter().take(CANDIDATES);
    let pages = pages.filter(|(space, page)| (*space, Some(*page)) != (scope.space, itself));
    let mut held = HashMap::from([(scope.space, Arc::clone(&scope.revision))]);
    let others = scope
        .app
        .content
        .revisions(&scope.app.db, revisions.into_values().collect());
    held.extend(others.await?.into_iter().map(|revision| (revision.space, revision)));
    Ok(BacklinkCandidates {
        pages: pages.collect(),
        held,
        next,
    })
}

/// The links that the pages currently have.
async fn current_links(
    scope: &LinkScope<'_>,
    target: BacklinkTarget,
    candidates: &BacklinkCandidates,
) -> Result<Vec<Backlink>, ApiError> {
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
