//! Lists of links.

use std::collections::{HashMap, HashSet};

use content::link_set::{LinkEntry, LinkPlace, LinkSet, LinkTarget};
use entity::ids::PageId;
use openapi::{
    error::ApiError,
    models::{
        BrokenContext, ContentLocation, ContentReferenceStatus as Status, ContentReferenceUsage,
        ContentReferenceUsageList, ContentReferencesStats, ContentReferencesStatsBroken, NextPage, PlaceAtNode,
        PlaceInPage,
    },
};
use platform::db;

use super::{
    elsewhere::Elsewhere,
    locations::Locations,
    scope::Scope,
    set,
    store::{self, Link},
};
use crate::app::lists::List;

/// Places that one answer shows at most, so that its length is bounded: it may hold fewer links than it was asked for.
const MAX_PLACES: usize = 2000;

/// Which links are asked for, and which page of them.
pub struct Wanted {
    pub page: Option<String>,
    pub limit: u32,
    pub status: Option<Status>,
    pub broken: Option<BrokenContext>,
}

/// What pages of a space link to.
pub async fn of_all(scope: &Scope<'_>, wanted: Wanted) -> Result<ContentReferenceUsageList, ApiError> {
    let links = set::of_revision(scope).await?;
    list(scope, &links, None, wanted).await
}

/// What one page links to.
pub async fn of_page(scope: &Scope<'_>, page: &str, wanted: Wanted) -> Result<ContentReferenceUsageList, ApiError> {
    let page = scope.page(page).await?;
    let links = set::of_pages(scope, std::iter::once(&page)).await?;
    list(scope, &links, Some(page.id), wanted).await
}

async fn list(
    scope: &Scope<'_>,
    links: &LinkSet,
    of: Option<PageId>,
    wanted: Wanted,
) -> Result<ContentReferenceUsageList, ApiError> {
    let Wanted {
        page,
        limit,
        status,
        broken,
    } = wanted;
    let list = List::new(scope.app, ("links", scope.name(), of, status, broken), page, limit);
    let after: Option<(PageId, i32)> = list.after()?;
    let judged = judge(scope, links).await?;
    let stats = stats(scope, &judged);
    let found: Vec<Judged<'_>> = judged
        .into_iter()
        .filter(|link| status.is_none_or(|status| link.status == status))
        .filter(|link| broken.is_none_or(|context| link.broken == Some(context)))
        .collect();
    let page = shown(&found, after, list.limit);
    let usages = usages(scope, &page.items).await?;
    let page = db::Page {
        items: usages,
        next: page.next,
    };
    let page = list.answer(page, count(found.len()), |usage| usage)?;
    Ok(ContentReferenceUsageList {
        next: page.next.map(|page| NextPage { page }),
        count: page.count,
        items: page.items,
        stats,
    })
}

/// A link as it is for the caller.
#[derive(Clone, Copy)]
struct Judged<'l> {
    entry: &'l LinkEntry,
    status: Status,
    /// In a change request, where it came to be broken.
    broken: Option<BrokenContext>,
}

async fn judge<'l>(scope: &Scope<'_>, links: &'l LinkSet) -> Result<Vec<Judged<'l>>, ApiError> {
    let open = links.0.iter().filter(|entry| entry.status.is_none());
    let elsewhere = Elsewhere::of(scope, open.map(|entry| entry.target)).await?;
    let status = |entry: &LinkEntry| match entry.status {
        Some(status) => status,
        None if elsewhere.has(entry.target) => Status::Ok,
        None => Status::Broken,
    };
    let judged = links.0.iter().map(|entry| Judged {
        entry,
        status: status(entry),
        broken: None,
    });
    let mut judged: Vec<Judged<'l>> = judged.collect();
    let Some((_, current)) = &scope.request else {
        return Ok(judged);
    };
    let broken = |link: &&mut Judged<'l>| link.status == Status::Broken;
    let gone = judged.iter().filter(|link| link.status == Status::Broken);
    let gone = gone.map(|link| link.entry.target);
    let gone: HashSet<LinkTarget> = gone.filter(|target| target.content() == Some(scope.space)).collect();
    // What the space has and the change request has not.
    let there = scope.there(current.snapshot, gone).await?;
    for link in judged.iter_mut().filter(broken) {
        link.broken = Some(if there.contains(&link.entry.target) {
            BrokenContext::ChangeRequest
        } else {
            BrokenContext::Space
        });
    }
    Ok(judged)
}

fn stats(scope: &Scope<'_>, links: &[Judged<'_>]) -> ContentReferencesStats {
    let broken = links.iter().filter(|link| link.status == Status::Broken).count();
    let by_request = links
        .iter()
        .filter(|link| link.broken == Some(BrokenContext::ChangeRequest));
    ContentReferencesStats {
        total: count(links.len()),
        broken: ContentReferencesStatsBroken {
            total: count(broken),
            change_request: scope.request.is_some().then(|| count(by_request.count())),
        },
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// The links behind a key that one answer shows.
fn shown<'l>(found: &[Judged<'l>], after: Option<(PageId, i32)>, limit: u64) -> db::Page<Judged<'l>, (PageId, i32)> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let behind = found.partition_point(|link| after.is_some_and(|after| link.entry.key() <= after));
    let rest = found.iter().skip(behind);
    let mut places = 0;
    let items: Vec<Judged<'l>> = rest
        .clone()
        .take(limit)
        .take_while(|link| {
            let fits = places < MAX_PLACES;
            places += link.entry.others.len() + 1;
            fits
        })
        .copied()
        .collect();
    let more = limit > 0 && rest.count() > items.len();
    let next = if more {
        items.last().map(|link| link.entry.key())
    } else {
        None
    };
    db::Page { items, next }
}

/// The links with all that answers show of them.
async fn usages(scope: &Scope<'_>, links: &[Judged<'_>]) -> Result<Vec<ContentReferenceUsage>, ApiError> {
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let places: Vec<LinkPlace> = links.iter().flat_map(|link| link.entry.places().copied()).collect();
    let rows = store::at_places(scope.app.db.read(), scope.space, &places).await;
    let rows: HashMap<LinkPlace, Link> = rows?.into_iter().map(|link| (link.place, link)).collect();
    let pages = places.iter().map(|place| LinkTarget::Page(scope.space, place.page));
    let there = links.iter().filter(|link| link.status != Status::Broken);
    let targets = pages.chain(there.map(|link| link.entry.target)).collect();
    let locations = Locations::of(scope, &targets).await?;
    Ok(links.iter().map(|link| usage(scope, link, &rows, &locations)).collect())
}

fn usage(
    scope: &Scope<'_>,
    link: &Judged<'_>,
    rows: &HashMap<LinkPlace, Link>,
    locations: &Locations,
) -> ContentReferenceUsage {
    let reference = rows.get(&link.entry.first).map(|row| &row.reference);
    let there = reference.filter(|_| link.status != Status::Broken);
    let places = link.entry.places().filter_map(|place| {
        let node = rows.get(place).and_then(|row| row.node.clone());
        location(locations, LinkTarget::Page(scope.space, place.page), node)
    });
    ContentReferenceUsage {
        status: link.status,
        relation: link.entry.relation,
        target_reference: there.and_then(|reference| locations.target(link.entry.target, reference)),
        location_references: places.collect(),
    }
}

/// A block of a page.
pub fn location(locations: &Locations, page: LinkTarget, node: Option<String>) -> Option<ContentLocation> {
    let place = node.map(|node| {
        PlaceInPage::PlaceAtNode(PlaceAtNode {
            r#type: Default::default(),
            node,
        })
    });
    locations.part(page, place)
}
