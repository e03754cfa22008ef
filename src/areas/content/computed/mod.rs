//! Computed content: pages that take the places of placeholders, and their texts.

mod dependency;
mod outlines;
mod pages;
mod search_job;
mod sources;
mod specifications;
mod store_computed;
mod stored;
mod text;
mod tree_cache;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use content::{
    objects::{Content, Missing},
    pages::{ComputedPages, Page, PageContent, Pages},
    revisions::Revision,
};
use entity::ids::{NodeId, OpenapiSpecId, OrganizationId, PageId};
use openapi::error::ApiError;
use platform::hash::Hash;
use sea_orm::DbErr;

use self::specifications::{in_organization, in_organization_of};
pub use self::{
    dependency::{Dependency, is_computed, page_id},
    outlines::{OutlineCache, StoredOutline},
    pages::{ComputedTree, Origin},
    search_job::{IndexComputedPages, IndexSpecification, SpecificationToIndex},
    sources::{integration_of, pages_of, unknown_content_source, unknown_source},
    specifications::{Specification, WantedSpecification},
    stored::{StoredPage, StoredPages, StoredPagesCache, source_hash},
    text::markdown,
    tree_cache::TreeCache,
};

use crate::areas::content::Contents;

/// The type of pages that are computed from OpenAPI specifications.
pub const OPENAPI: &str = "builtin:openapi";

/// The name of the dependency of pages that are computed from OpenAPI specifications.
pub const SPECIFICATION: &str = "spec";

/// Placeholders of a revision that readers see computed pages for; further ones are shown as they are stored.
const MAX_PLACEHOLDERS: usize = 100;

/// Computed pages that one request makes for several spaces.
const MAX_PAGES_AT_ONCE: usize = 50_000;

impl Contents {
    /// The specifications that computed content of spaces of one organization depends on, with their outlines, in the order of
    /// `wanted`.
    pub async fn dependencies(
        &self,
        spaces: &[NodeId],
        wanted: Vec<WantedSpecification>,
    ) -> Result<Vec<Dependency>, ApiError> {
        let found = specifications::load(self.kernel.db.read(), in_organization_of(spaces), &wanted).await?;
        let versions = found.iter().flatten().filter_map(|found| found.version).collect();
        let outlines = outlines::load(self, versions).await?;
        let dependencies = wanted.into_iter().zip(found).map(|(wanted, specification)| {
            let version = specification.as_ref().and_then(|found| found.version);
            let outline = version.and_then(|version| outlines.get(&version).cloned());
            Dependency {
                wanted,
                outline: outline.unwrap_or_default(),
                specification,
            }
        });
        Ok(dependencies.collect())
    }

    /// Returns a specification of an organization, in the version that `wanted` names or in the latest one.
    pub async fn specification(
        &self,
        organization: OrganizationId,
        wanted: WantedSpecification,
    ) -> Result<Option<Specification>, ApiError> {
        let found = specifications::load(self.kernel.db.read(), in_organization(organization), &[wanted]).await?;
        Ok(found.into_iter().next().flatten())
    }

    /// The placeholders for computed pages in revisions, with their spaces.
    pub async fn placeholders(&self, revisions: &[Arc<Revision>]) -> Result<Vec<(NodeId, Page)>, DbErr> {
        let with_placeholders = revisions.iter().filter(|it| !it.snapshot.placeholders.is_empty());
        let with_placeholders: Vec<&Arc<Revision>> = with_placeholders.collect();
        if with_placeholders.is_empty() {
            return Ok(Vec::new());
        }
        let spaces = with_placeholders.iter().map(|revision| revision.space).collect();
        let mut content = Content::of_spaces(self.kernel.db.read(), &self.state.objects, spaces);
        let found = content.run(|objects| {
            // All that is missing is asked for before it is loaded together.
            let mut outcome = Ok(Vec::new());
            for revision in &with_placeholders {
                match (
                    Pages::of(objects, revision.snapshot).placeholders(MAX_PLACEHOLDERS),
                    &mut outcome,
                ) {
                    (Ok(pages), Ok(all)) => all.extend(pages.into_iter().map(|page| (revision.space, page))),
                    (Ok(_), Err(Missing)) => {}
                    (Err(Missing), outcome) => *outcome = Err(Missing),
                }
            }
            outcome
        });
        found.await
    }

    /// The placeholders for computed pages of a specification in revisions of spaces of one organization, by their spaces.
    pub async fn placeholders_of(
        &self,
        revisions: &[Arc<Revision>],
        specification: OpenapiSpecId,
    ) -> Result<HashMap<NodeId, Vec<PageId>>, DbErr> {
        let placeholders = self.placeholders(revisions).await?;
        let sources = placeholders
            .iter()
            .filter_map(|(space, page)| Some((*space, page.id, specification_source(page)?)));
        let (pages, wanted): (Vec<_>, Vec<_>) = sources
            .map(|(space, page, source)| ((space, page), WantedSpecification::of(source)))
            .unzip();
        let spaces: Vec<NodeId> = revisions.iter().map(|revision| revision.space).collect();
        let found = specifications::load(self.kernel.db.read(), in_organization_of(&spaces), &wanted).await?;
        let mut of_spaces: HashMap<NodeId, Vec<PageId>> = HashMap::new();
        for ((space, page), found) in pages.into_iter().zip(found) {
            if found.is_some_and(|found| found.id == specification) {
                of_spaces.entry(space).or_default().push(page);
            }
        }
        Ok(of_spaces)
    }

    /// The computed pages of a revision. `None`: the revision has no placeholders.
    pub async fn computed_tree(&self, revision: &Arc<Revision>) -> Result<Option<Arc<ComputedTree>>, ApiError> {
        if revision.snapshot.placeholders.is_empty() {
            return Ok(None);
        }
        let revisions = std::slice::from_ref(revision);
        let placeholders = self.placeholders(revisions).await?;
        let mut of_spaces = self.with_dependencies(revisions, &placeholders).await?;
        let placeholders = of_spaces.remove(&revision.space);
        placeholders.map(|placeholders| self.tree(placeholders)).transpose()
    }

    /// Some computed pages, with those above them, of revisions of different spaces of one organization. Beyond
    /// [`MAX_PAGES_AT_ONCE`] the pages of further spaces are left out.
    pub async fn computed_parts(
        &self,
        revisions: &[Arc<Revision>],
        pages: &HashMap<NodeId, HashSet<PageId>>,
    ) -> Result<HashMap<NodeId, ComputedTree>, ApiError> {
        let placeholders = self.placeholders(revisions).await?;
        let of_spaces = self.with_dependencies(revisions, &placeholders).await?;
        let (mut parts, mut made) = (HashMap::with_capacity(of_spaces.len()), 0_usize);
        for (space, placeholders) in of_spaces {
            if let Some(wanted) = pages.get(&space)
                && made < MAX_PAGES_AT_ONCE
            {
                let tree = self.tree(placeholders)?;
                made = made.saturating_add(tree.page_count());
                parts.insert(space, tree.part(wanted));
            }
        }
        Ok(parts)
    }

    /// Returns which of these pages are computed in revisions of different spaces of one organization.
    pub async fn existing_computed_pages(
        &self,
        revisions: &[Arc<Revision>],
        pages: HashMap<NodeId, HashSet<PageId>>,
    ) -> Result<HashSet<(NodeId, PageId)>, ApiError> {
        let with_pages = revisions.iter().filter(|revision| pages.contains_key(&revision.space));
        let with_pages: Vec<Arc<Revision>> = with_pages.cloned().collect();
        let parts = self.computed_parts(&with_pages, &pages).await?;
        let all = pages
            .into_iter()
            .flat_map(|(space, pages)| pages.into_iter().map(move |page| (space, page)));
        let existing =
            all.filter(|(space, page)| parts.get(space).is_some_and(|tree| tree.overlay.get(*page).is_some()));
        Ok(existing.collect())
    }

    /// The placeholders of each space with what they depend on.
    async fn with_dependencies<'p>(
        &self,
        revisions: &[Arc<Revision>],
        placeholders: &'p [(NodeId, Page)],
    ) -> Result<HashMap<NodeId, Vec<Placeholder<'p>>>, ApiError> {
        let sources = placeholders.iter().filter_map(|(_, page)| specification_source(page));
        let wanted: Vec<WantedSpecification> = sources.map(WantedSpecification::of).collect();
        let dependencies = match wanted.is_empty() {
            true => Vec::new(),
            false => {
                let spaces: Vec<NodeId> = revisions.iter().map(|revision| revision.space).collect();
                self.dependencies(&spaces, wanted).await?
            }
        };
        let (mut dependencies, stored) = (dependencies.into_iter(), self.stored_pages(placeholders).await?);
        let mut of_spaces: HashMap<NodeId, Vec<Placeholder<'_>>> = HashMap::new();
        for (space, page) in placeholders {
            let found = if let Some(source) = specification_source(page) {
                dependencies.next().map(|it| (source, Origin::Specification(it)))
            } else if let Some(source) = integration_source(page) {
                // A placeholder stays until its pages are computed.
                let stored = stored.get(&(*space, source_hash(source)?)).cloned();
                stored.map(|it| (source, Origin::Integration(it)))
            } else {
                None
            };
            if let Some((source, origin)) = found {
                of_spaces.entry(*space).or_default().push((page, source, origin));
            }
        }
        Ok(of_spaces)
    }

    fn tree(&self, placeholders: Vec<Placeholder<'_>>) -> Result<Arc<ComputedTree>, ApiError> {
        let state = placeholders.iter().map(|(page, _, origin)| (page, origin.state()));
        let digest = Hash::of(&serde_json::to_vec(&state.collect::<Vec<_>>())?);
        let make = || ComputedTree::new(digest, &self.kernel.urls, placeholders.into_iter());
        Ok(self.trees.get_or_make(digest, make))
    }
}

/// A placeholder with its source, and what its pages are made from.
type Placeholder<'p> = (&'p Page, &'p ComputedPages, Origin);

fn specification_source(page: &Page) -> Option<&ComputedPages> {
    source(page).filter(|source| source.kind == OPENAPI)
}

/// The source of a placeholder for pages of an integration.
pub fn integration_source(page: &Page) -> Option<&ComputedPages> {
    source(page).filter(|source| integration_of(&source.kind).is_some())
}

fn source(page: &Page) -> Option<&ComputedPages> {
    match &page.content {
        PageContent::Computed { source } => Some(source),
        _ => None,
    }
}
