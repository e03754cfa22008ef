//! All that pages of a revision link to, each thing once.

use std::{
    collections::{HashMap, HashSet, hash_map},
    sync::Arc,
};

use entity::ids::{NodeId, PageId, RevisionId};
use moka::sync::Cache;
use openapi::{
    error::ApiError,
    models::{ContentRef, ContentReferenceRelation as Relation, ContentReferenceStatus as Status},
};

use super::{
    elsewhere::there,
    scope::Scope,
    store::{self, Link, Place},
    target::{Target, anchor, relation},
};
use crate::{
    content::{
        index::links::sources,
        objects::Hash,
        pages::{Page, Snapshot},
    },
    errors::database,
};

/// How much memory the links of revisions may take.
const CACHE_BYTES: u64 = 32 * 1024 * 1024;
/// Places of one target that answers show.
const MAX_PLACES: usize = 100;

/// The links of whole revisions that were asked for last.
#[derive(Clone)]
pub struct LinkCache(Cache<RevisionId, Arc<Links>>);

impl LinkCache {
    pub fn new() -> Self {
        let weigh = |_: &RevisionId, links: &Arc<Links>| u32::try_from(links.weight()).unwrap_or(u32::MAX);
        Self(Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES).build())
    }
}

impl Default for LinkCache {
    fn default() -> Self {
        Self::new()
    }
}

/// In the order of their first places.
pub struct Links(pub Vec<Entry>);

/// Something that is linked to.
pub struct Entry {
    pub relation: Relation,
    pub target: Target,
    /// What holds for everybody who sees the revision; none is that it depends on what else somebody sees.
    pub status: Option<Status>,
    pub first: Place,
    /// The places after the first.
    pub others: Vec<Place>,
}

impl Entry {
    /// Where the list of links goes on behind it.
    pub fn key(&self) -> (PageId, i32) {
        (self.first.page, self.first.seq)
    }

    pub fn places(&self) -> impl Iterator<Item = &Place> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

/// What two links have in common that lead to the same.
#[derive(PartialEq, Eq, Hash)]
struct Same {
    relation: Relation,
    target: Target,
    /// The place in a page, or what the target does not say.
    text: Option<String>,
}

impl Links {
    /// Those of all pages. A revision never changes, so this is found out once.
    pub async fn of_all(scope: &Scope<'_>) -> Result<Arc<Self>, ApiError> {
        let (cache, revision) = (&scope.app.content.links.0, &scope.revision);
        if let Some(known) = cache.get(&revision.id) {
            return Ok(known);
        }
        let forest = scope.compute(revision.snapshot, |pages| pages.forest()).await?;
        let found = Arc::new(Self::of(scope, forest.pages()).await?);
        cache.insert(revision.id, Arc::clone(&found));
        Ok(found)
    }

    pub async fn of(scope: &Scope<'_>, pages: impl Iterator<Item = &Page>) -> Result<Self, ApiError> {
        let of_pages: HashMap<PageId, Vec<Hash>> = pages.map(|page| (page.id, sources(page))).collect();
        let all: HashSet<Hash> = of_pages.values().flatten().copied().collect();
        let all: Vec<Hash> = all.into_iter().collect();
        let found = store::of_sources(scope.app.db.read(), scope.space, &all).await;
        let mut found = found.map_err(database)?;
        // The same text may be, or have been, that of other pages.
        found.retain(|link| {
            let held = of_pages.get(&link.place.page);
            held.is_some_and(|held| held.contains(&link.place.source))
        });
        found.sort_unstable_by_key(|link| (link.place.page, link.place.seq));
        let mut links = Self(grouped(scope, found));
        links.judge(scope).await?;
        Ok(links)
    }

    /// Finds out what holds for everybody.
    async fn judge(&mut self, scope: &Scope<'_>) -> Result<(), ApiError> {
        let own = self.0.iter().map(|entry| entry.target);
        let own: HashSet<Target> = own.filter(|target| target.content() == Some(scope.space)).collect();
        let there = scope.there(scope.revision.snapshot, own).await?;
        for entry in &mut self.0 {
            entry.status = known(scope.space, entry.target, &there);
        }
        Ok(())
    }

    fn weight(&self) -> usize {
        let places: usize = self.0.iter().map(|entry| entry.others.capacity()).sum();
        self.0.len() * size_of::<Entry>() + places * size_of::<Place>()
    }
}

fn known(space: NodeId, target: Target, there: &HashSet<Target>) -> Option<Status> {
    match target {
        Target::Url => Some(Status::Ok),
        Target::InApp => Some(Status::InApp),
        Target::Nothing => Some(Status::Broken),
        target if there.contains(&target) => Some(Status::Ok),
        target if target.content() == Some(space) => Some(Status::Broken),
        _ => None,
    }
}

impl Scope<'_> {
    /// Those of the targets that a state of the space holds.
    pub async fn there(&self, snapshot: Snapshot, targets: HashSet<Target>) -> Result<HashSet<Target>, ApiError> {
        let found = self
            .content()
            .run(|objects| there(objects, &targets, |_| Some(snapshot)))
            .await;
        found.map_err(database)
    }
}

/// From links in the order of their places.
fn grouped(scope: &Scope<'_>, links: Vec<Link>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut known: HashMap<Same, usize> = HashMap::new();
    for link in links {
        let target = Target::of(&scope.app.urls, &link.reference, (scope.space, link.place.page));
        let relation = relation(link.role);
        let text = text(target, &link.reference);
        match known.entry(Same { relation, target, text }) {
            hash_map::Entry::Occupied(at) => {
                if let Some(entry) = entries.get_mut(*at.get())
                    && entry.others.len() < MAX_PLACES - 1
                {
                    entry.others.push(link.place);
                }
            }
            hash_map::Entry::Vacant(free) => {
                free.insert(entries.len());
                entries.push(Entry {
                    relation,
                    target,
                    status: None,
                    first: link.place,
                    others: Vec::new(),
                });
            }
        }
    }
    entries
}

fn text(target: Target, reference: &ContentRef) -> Option<String> {
    match (target, reference) {
        (_, ContentRef::ContentRefUrl(it)) => Some(it.url.clone()),
        // What is not understood is told apart by all that it says.
        (Target::Nothing, reference) => serde_json::to_string(reference).ok(),
        (_, reference) => anchor(reference).map(str::to_owned),
    }
}
