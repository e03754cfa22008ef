//! Lists of backlinks.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use content::{
    index::links::sources,
    link_set::LinkTarget,
    objects::{Content, Missing},
    pages::Pages,
    revisions::Revision,
};
use entity::ids::{FileId, NodeId, PageId};
use openapi::{
    error::ApiError,
    models::{COUNTED_TO, ContentLocation, ContentLocationList},
};
use platform::db;
use uuid::Uuid;

use super::{
    list::location,
    locations::Locations,
    scope::LinkScope,
    store::{BacklinkKey, BacklinkTarget, LinkingText, visible_revisions},
};

use crate::kernel::lists::List;

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

async fn list(
    scope: &LinkScope<'_>,
    target: BacklinkTarget,
    itself: Option<PageId>,
    params: BacklinkListParams,
) -> Result<ContentLocationList, ApiError> {
    let list = List::new(
        &scope.authoring.kernel,
        ("backlinks", scope.list_key(), target.id),
        params.page,
        params.limit,
    );
    let after: Option<BacklinkKey> = list.after()?;
    let (page, count) = page_and_count(scope, target, itself, after, list.limit).await?;
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

/// The page after a key, and the number of all links if few enough pages have or had one. A page looks at [`CANDIDATES`] pages at
/// most: links of the past may leave it short, or empty, and then the next one goes on.
async fn page_and_count(
    scope: &LinkScope<'_>,
    target: BacklinkTarget,
    itself: Option<PageId>,
    after: Option<BacklinkKey>,
    limit: u64,
) -> Result<(db::Page<Backlink, BacklinkKey>, Option<u64>), ApiError> {
    let all = load_candidates(scope, target, itself, None).await?;
    if all.next.is_none() {
        // One link more than are counted shows whether there are more.
        let found = current_links(scope, target, &all, None, COUNTED_TO.saturating_add(1)).await?;
        let count = u64::try_from(found.len()).unwrap_or(u64::MAX);
        if count <= COUNTED_TO {
            return Ok((page_after(found, after, limit), Some(count)));
        }
    }
    let candidates = match after {
        Some((space, page, _)) => load_candidates(scope, target, itself, Some((space, page))).await?,
        None => all,
    };
    let found = current_links(scope, target, &candidates, after, limit.saturating_add(1)).await?;
    let mut page = page_after(found, after, limit);
    if page.next.is_none() && limit > 0 {
        page.next = candidates.next.map(|(space, page)| (space, page, BEFORE_LINKS));
    }
    Ok((page, None))
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

/// The pages that a page of the list looks at.
const CANDIDATES: usize = 1_000;

/// The texts whose links one statement reads: each is a part of the statement, of which SQLite takes 500 at most.
const TEXTS_PER_STATEMENT: usize = 100;

/// A number before those of all links of a page.
const BEFORE_LINKS: i32 = i32::MIN;

/// Pages that link to the target or did in the past, in the order of the list, with the current revisions of their spaces.
struct BacklinkCandidates {
    pages: Vec<(NodeId, PageId)>,
    /// Without those of spaces that the caller does not see.
    held: HashMap<NodeId, Arc<Revision>>,
    /// The first page that is not looked at.
    next: Option<(NodeId, PageId)>,
}

/// Up to [`CANDIDATES`] pages from a page on, without the target itself. In a change request only its own pages, in a space
/// those of all spaces.
async fn load_candidates(
    scope: &LinkScope<'_>,
    target: BacklinkTarget,
    itself: Option<PageId>,
    from: Option<(NodeId, PageId)>,
) -> Result<BacklinkCandidates, ApiError> {
    let db = scope.authoring.kernel.db.read();
    let within = scope.request.is_some().then_some(scope.space);
    let first = || {
        let space = within.unwrap_or_else(|| NodeId::from_uuid(Uuid::nil()));
        (space, PageId::from_uuid(Uuid::nil()))
    };
    // One page more shows whether there are pages that are not looked at.
    let limit = CANDIDATES.saturating_add(1);
    let mut pages = target.pages(db, from.unwrap_or_else(first), within, limit).await?;
    pages.sort_unstable();
    let next = pages.get(CANDIDATES).copied();
    pages.truncate(CANDIDATES);
    pages.retain(|(space, page)| (*space, Some(*page)) != (scope.space, itself));
    let spaces = pages.iter().map(|(space, _)| *space);
    let others: BTreeSet<NodeId> = spaces.filter(|space| *space != scope.space).collect();
    let mut held = HashMap::from([(scope.space, Arc::clone(&scope.revision))]);
    if !others.is_empty() {
        let others = visible_revisions(db, &scope.member, others).await?;
        let others = scope
            .authoring
            .contents
            .state
            .revisions(&scope.authoring.kernel.db, others)
            .await?;
        held.extend(others.into_iter().map(|revision| (revision.space, revision)));
    }
    Ok(BacklinkCandidates { pages, held, next })
}

/// The first links, after a key, that the pages currently have.
async fn current_links(
    scope: &LinkScope<'_>,
    target: BacklinkTarget,
    candidates: &BacklinkCandidates,
    after: Option<BacklinkKey>,
    limit: u64,
) -> Result<Vec<Backlink>, ApiError> {
    let mut texts = current_texts(scope, candidates).await?;
    if let Some((space, page, seq)) = after {
        texts.retain(|text| (text.space, text.page) >= (space, page));
        for text in &mut texts {
            if (text.space, text.page) == (space, page) {
                text.from = seq.saturating_add(1);
            }
        }
    }
    let mut found = Vec::new();
    for texts in texts.chunks(TEXTS_PER_STATEMENT) {
        let missing = limit.saturating_sub(u64::try_from(found.len()).unwrap_or(u64::MAX));
        if missing == 0 {
            break;
        }
        found.extend(target.links(scope.authoring.kernel.db.read(), texts, missing).await?);
    }
    Ok(found)
}

/// The texts that the pages currently have, in the order of the list.
async fn current_texts(scope: &LinkScope<'_>, candidates: &BacklinkCandidates) -> Result<Vec<LinkingText>, ApiError> {
    let spaces = candidates.held.keys().copied().collect();
    let mut content = Content::of_spaces(
        scope.authoring.kernel.db.read(),
        &scope.authoring.contents.state.objects,
        spaces,
    );
    let texts = content.run(|objects| {
        let mut outcome = Ok(Vec::new());
        for (space, id) in &candidates.pages {
            let Some(revision) = candidates.held.get(space) else {
                continue;
            };
            let text = |source| LinkingText {
                space: *space,
                page: *id,
                source,
                from: BEFORE_LINKS,
            };
            match (Pages::of(objects, revision.snapshot).page(*id), &mut outcome) {
                // The references outside of the text come before its links.
                (Ok(Some(page)), Ok(texts)) => texts.extend(sources(&page).into_iter().rev().map(text)),
                (Ok(_), _) => {}
                (Err(Missing), outcome) => *outcome = Err(Missing),
            }
        }
        outcome
    });
    Ok(texts.await?)
}
