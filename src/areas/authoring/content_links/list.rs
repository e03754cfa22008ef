//! Lists of the links of pages.

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
    anchors::PageAnchors,
    link_sets,
    locations::Locations,
    scope::LinkScope,
    store::{self, StoredLink},
};

use crate::{areas::library::link_targets::ExternalTargets, kernel::lists::List};

/// The maximum number of locations in one answer. It bounds the answer's length: a page may hold fewer links than
/// `limit`.
const MAX_PLACES: usize = 2000;

/// The filters and the page of a list of links.
pub struct LinkListParams {
    pub page: Option<String>,
    pub limit: u32,
    pub status: Option<Status>,
    pub broken: Option<BrokenContext>,
}

/// Lists the links of all pages.
pub async fn of_all(scope: &LinkScope<'_>, params: LinkListParams) -> Result<ContentReferenceUsageList, ApiError> {
    let links = link_sets::of_revision(scope).await?;
    list(scope, &links, None, params).await
}

/// Lists the links of one page.
pub async fn of_page(
    scope: &LinkScope<'_>,
    page: PageId,
    params: LinkListParams,
) -> Result<ContentReferenceUsageList, ApiError> {
    let page = scope.page(page).await?;
    let links = link_sets::of_pages(scope, link_sets::page_sources(std::iter::once(&page))).await?;
    list(scope, &links, Some(page.id), params).await
}

async fn list(
    scope: &LinkScope<'_>,
    links: &LinkSet,
    of: Option<PageId>,
    params: LinkListParams,
) -> Result<ContentReferenceUsageList, ApiError> {
    let LinkListParams {
        page,
        limit,
        status,
        broken,
    } = params;
    let list = List::new(
        &scope.authoring.kernel,
        ("links", scope.list_key(), of, status, broken),
        page,
        limit,
    );
    let after: Option<(PageId, i32)> = list.after()?;
    let links_with_status = with_statuses(scope, links).await?;
    let stats = stats(scope, &links_with_status);
    let found: Vec<LinkWithStatus<'_>> = links_with_status
        .into_iter()
        .filter(|link| status.is_none_or(|status| link.status == status))
        .filter(|link| broken.is_none_or(|context| link.broken == Some(context)))
        .collect();
    let page = page_after(&found, after, list.limit);
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

/// A link with the status that the caller sees.
#[derive(Clone, Copy)]
struct LinkWithStatus<'l> {
    entry: &'l LinkEntry,
    status: Status,
    /// In a change request: where the link was broken.
    broken: Option<BrokenContext>,
}

async fn with_statuses<'l>(scope: &LinkScope<'_>, links: &'l LinkSet) -> Result<Vec<LinkWithStatus<'l>>, ApiError> {
    let open = links.0.iter().filter(|entry| entry.status.is_none());
    let (own, others): (Vec<_>, Vec<_>) = open.partition(|entry| entry.target.content() == Some(scope.space));
    let own: HashSet<LinkTarget> = own.into_iter().map(|entry| entry.target).collect();
    let own = scope.existing_computed(&scope.revision, &own).await?;
    let others = others.into_iter().map(|entry| (entry.target, entry.name.as_deref()));
    let external = ExternalTargets::of(&scope.authoring.contents, &scope.member, others).await?;
    let status = |entry: &LinkEntry| match entry.status {
        Some(status) => status,
        None if own.contains(&entry.target) => Status::Ok,
        None if external.has(entry.target, entry.name.as_deref()) => Status::Ok,
        None => Status::Broken,
    };
    let links_with_status = links.0.iter().map(|entry| LinkWithStatus {
        entry,
        status: status(entry),
        broken: None,
    });
    let mut links_with_status: Vec<LinkWithStatus<'l>> = links_with_status.collect();
    let Some((_, current)) = &scope.request else {
        return Ok(links_with_status);
    };
    let broken = |link: &&mut LinkWithStatus<'l>| link.status == Status::Broken;
    let gone = links_with_status.iter().filter(|link| link.status == Status::Broken);
    let gone = gone.map(|link| link.entry.target);
    let gone: HashSet<LinkTarget> = gone.filter(|target| target.content() == Some(scope.space)).collect();
    // Targets that exist in the space but not in the change request.
    let computed = scope.existing_computed(current, &gone).await?;
    let mut there = scope.existing(current.snapshot, gone).await?;
    there.extend(computed);
    let gone = links_with_status.iter().filter(|link| link.status == Status::Broken);
    let anchors = PageAnchors::of(scope, current.snapshot, gone.map(|link| link.entry)).await?;
    for link in links_with_status.iter_mut().filter(broken) {
        link.broken = Some(if there.contains(&link.entry.target) && anchors.has(link.entry) {
            BrokenContext::ChangeRequest
        } else {
            BrokenContext::Space
        });
    }
    Ok(links_with_status)
}

fn stats(scope: &LinkScope<'_>, links: &[LinkWithStatus<'_>]) -> ContentReferencesStats {
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

/// The page of links after a key.
fn page_after<'l>(
    found: &[LinkWithStatus<'l>],
    after: Option<(PageId, i32)>,
    limit: u64,
) -> db::Page<LinkWithStatus<'l>, (PageId, i32)> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let behind = found.partition_point(|link| after.is_some_and(|after| link.entry.key() <= after));
    let rest = found.iter().skip(behind);
    let mut places = 0;
    let items: Vec<LinkWithStatus<'l>> = rest
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

/// Loads everything that an answer shows of the links.
async fn usages(scope: &LinkScope<'_>, links: &[LinkWithStatus<'_>]) -> Result<Vec<ContentReferenceUsage>, ApiError> {
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let places: Vec<LinkPlace> = links.iter().flat_map(|link| link.entry.places().copied()).collect();
    let rows = store::at_places(scope.authoring.kernel.db.read(), scope.space, &places).await;
    let rows: HashMap<LinkPlace, StoredLink> = rows?.into_iter().map(|link| (link.place, link)).collect();
    let pages = places.iter().map(|place| LinkTarget::Page(scope.space, place.page));
    let there = links.iter().filter(|link| link.status != Status::Broken);
    let targets = pages.chain(there.map(|link| link.entry.target)).collect();
    let locations = Locations::of(scope, &targets).await?;
    Ok(links.iter().map(|link| usage(scope, link, &rows, &locations)).collect())
}

fn usage(
    scope: &LinkScope<'_>,
    link: &LinkWithStatus<'_>,
    rows: &HashMap<LinkPlace, StoredLink>,
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

/// The location of a block of a page.
pub fn location(locations: &Locations, page: LinkTarget, node: Option<String>) -> Option<ContentLocation> {
    let place = node.map(|node| {
        PlaceInPage::PlaceAtNode(PlaceAtNode {
            r#type: Default::default(),
            node,
        })
    });
    locations.part(page, place)
}
