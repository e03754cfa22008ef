//! The links of the pages of a revision, grouped by target.

use std::{
    collections::{HashMap, HashSet, hash_map},
    sync::Arc,
};

use content::{
    index::links::sources,
    link_set::{LinkEntry, LinkSet, LinkTarget},
    objects::Hash,
    pages::{Page, Snapshot},
    revisions::Revision,
};
use entity::ids::{NodeId, PageId};
use openapi::{
    error::ApiError,
    models::{ContentRef, ContentReferenceRelation as Relation, ContentReferenceStatus as Status},
    work::acquire_large,
};

use super::{
    anchors::PageAnchors,
    references::{name, relation},
    scope::LinkScope,
    store::{self, StoredLink},
};

use crate::areas::library::link_targets::{computed_page, existing, existing_computed, resolve};

/// The maximum number of locations that are kept per target.
const MAX_PLACES: usize = 100;

/// A request that groups more links is large.
const FEW_LINKS: u64 = 500;

/// The key by which links are grouped: links with equal keys are one entry.
#[derive(PartialEq, Eq, Hash)]
struct LinkKey {
    relation: Relation,
    target: LinkTarget,
    /// The name in the reference, or the parts of it that the target does not hold.
    text: Option<String>,
}

/// The links of all pages. Revisions are immutable, so their links are cached.
pub async fn of_revision(scope: &LinkScope<'_>) -> Result<Arc<LinkSet>, ApiError> {
    let (cache, revision) = (&scope.authoring.contents.state.links, &scope.revision);
    if let Some(cached) = cache.get(&revision.id) {
        return Ok(cached);
    }
    let sources = {
        let forest = scope.compute(revision.snapshot, |pages| pages.forest()).await?;
        page_sources(forest.pages())
    };
    let links = Arc::new(of_pages(scope, sources).await?);
    cache.insert(revision.id, Arc::clone(&links));
    Ok(links)
}

/// The sources of the links of each page.
pub fn page_sources<'p>(pages: impl Iterator<Item = &'p Page>) -> HashMap<PageId, Vec<Hash>> {
    pages.map(|page| (page.id, sources(page))).collect()
}

pub async fn of_pages(scope: &LinkScope<'_>, page_sources: HashMap<PageId, Vec<Hash>>) -> Result<LinkSet, ApiError> {
    let all: HashSet<Hash> = page_sources.values().flatten().copied().collect();
    let all: Vec<Hash> = all.into_iter().collect();
    let db = scope.authoring.kernel.db.read();
    if store::count_of_sources(db, scope.space, &all).await? > FEW_LINKS {
        acquire_large().await?;
    }
    let mut links = store::of_sources(db, scope.space, &all).await?;
    // Other pages may have, or have had, the same text.
    links.retain(|link| {
        let held = page_sources.get(&link.place.page);
        held.is_some_and(|held| held.contains(&link.place.source))
    });
    links.sort_unstable_by_key(|link| (link.place.page, link.place.seq));
    let mut links = LinkSet(grouped(scope, links));
    set_statuses(scope, &mut links).await?;
    Ok(links)
}

/// Sets the statuses that do not depend on the caller.
async fn set_statuses(scope: &LinkScope<'_>, links: &mut LinkSet) -> Result<(), ApiError> {
    let own = links.0.iter().map(|entry| entry.target);
    let own: HashSet<LinkTarget> = own.filter(|target| target.content() == Some(scope.space)).collect();
    let there = scope.existing(scope.revision.snapshot, own).await?;
    let anchors = PageAnchors::of(scope, scope.revision.snapshot, links.0.iter()).await?;
    for entry in &mut links.0 {
        entry.status = match known(scope.space, entry.target, &there) {
            Some(Status::Ok) if !anchors.has(entry) => Some(Status::Broken),
            status => status,
        };
    }
    Ok(())
}

fn known(space: NodeId, target: LinkTarget, there: &HashSet<LinkTarget>) -> Option<Status> {
    match target {
        LinkTarget::Url => Some(Status::Ok),
        LinkTarget::InApp => Some(Status::InApp),
        LinkTarget::Nothing => Some(Status::Broken),
        target if there.contains(&target) => Some(Status::Ok),
        // Computed pages come and go without a revision.
        target if computed_page(target).is_some() => None,
        target if target.content() == Some(space) => Some(Status::Broken),
        _ => None,
    }
}

impl LinkScope<'_> {
    /// The targets that exist in a snapshot of the space.
    pub async fn existing(
        &self,
        snapshot: Snapshot,
        targets: HashSet<LinkTarget>,
    ) -> Result<HashSet<LinkTarget>, ApiError> {
        let found = self
            .content()
            .run(|objects| existing(objects, &targets, |_| Some(snapshot)))
            .await;
        Ok(found?)
    }

    /// The targets that are computed pages of a revision of the space.
    pub async fn existing_computed(
        &self,
        revision: &Arc<Revision>,
        targets: &HashSet<LinkTarget>,
    ) -> Result<HashSet<LinkTarget>, ApiError> {
        existing_computed(&self.authoring.contents, std::slice::from_ref(revision), targets.iter()).await
    }
}

/// Groups links that are sorted by location.
fn grouped(scope: &LinkScope<'_>, links: Vec<StoredLink>) -> Vec<LinkEntry> {
    let mut entries: Vec<LinkEntry> = Vec::new();
    let mut known: HashMap<LinkKey, usize> = HashMap::new();
    for link in links {
        let target = resolve(
            &scope.authoring.kernel.urls,
            &link.reference,
            (scope.space, link.place.page),
        );
        let relation = relation(link.role);
        let text = text(target, &link.reference);
        match known.entry(LinkKey { relation, target, text }) {
            hash_map::Entry::Occupied(at) => {
                if let Some(entry) = entries.get_mut(*at.get())
                    && entry.others.len() < MAX_PLACES - 1
                {
                    entry.others.push(link.place);
                }
            }
            hash_map::Entry::Vacant(free) => {
                free.insert(entries.len());
                entries.push(LinkEntry {
                    relation,
                    target,
                    name: name(&link.reference).map(Into::into),
                    status: None,
                    first: link.place,
                    others: Vec::new(),
                });
            }
        }
    }
    entries
}

fn text(target: LinkTarget, reference: &ContentRef) -> Option<String> {
    match (target, reference) {
        (_, ContentRef::ContentRefUrl(it)) => Some(it.url.clone()),
        // References that cannot be resolved are grouped by their whole text.
        (LinkTarget::Nothing, reference) => serde_json::to_string(reference).ok(),
        (_, reference) => name(reference).map(str::to_owned),
    }
}
