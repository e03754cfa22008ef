//! Specifications that visitors of sites read: those that pages refer to which the visitor sees.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use content::{
    index::links::{sources, specification_key},
    objects::{Content, Hash, Missing},
    pages::Pages,
    revisions::Revision,
};
use entity::{
    content::page_links::{Column, Entity, LinkRole},
    ids::{NodeId, OrganizationId, PageId, RevisionId},
    library::{nodes, spaces},
    specifications::openapi_specs::Model,
};
use openapi::error::ApiError;
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, RelationTrait};
use uuid::Uuid;

use crate::{
    areas::{
        authoring::reader::RevisionReader, content::Contents, publishing::visits::OpenVisit,
        specifications::Specifications,
    },
    kernel::Kernel,
};

/// Pages that are looked at, the first ones that refer to a specification or did in the past.
const MAX_PAGES: u64 = 1_000;

/// The number of values in one statement.
const VALUES_PER_STATEMENT: usize = 500;

/// Returns whether pages of a site that a visitor sees refer to a specification.
pub async fn is_shown(
    specifications: &Specifications,
    site: &Arc<OpenVisit>,
    specification: &Model,
) -> Result<bool, ApiError> {
    let layout = site.layout().await?;
    let shown: BTreeSet<NodeId> = layout.site_spaces.iter().map(|item| item.space_id).collect();
    let revisions = published(&specifications.kernel, site.site.organization_id, shown).await?;
    let revisions = specifications
        .contents
        .state
        .revisions(&specifications.kernel.db, revisions)
        .await?;
    let reader = SpecificationReader {
        specifications,
        site,
        keys: [*specification.id.as_uuid(), specification_key(&specification.slug)],
        revisions: revisions.iter().map(|it| (it.space, it)).collect(),
    };
    let placeholders = specifications
        .contents
        .placeholders_of(&revisions, specification.id)
        .await?;
    Ok(reader.sees_placeholder(&placeholders).await?
        || reader.sees_block().await?
        || reader.sees_block_of_content().await?)
}

/// The current revisions of spaces.
async fn published(
    kernel: &Kernel,
    organization: OrganizationId,
    shown: BTreeSet<NodeId>,
) -> Result<Vec<RevisionId>, DbErr> {
    spaces::Entity::find()
        .select_only()
        .column(spaces::Column::RevisionId)
        .join(JoinType::InnerJoin, spaces::Relation::Nodes.def())
        .filter(nodes::Column::OrganizationId.eq(organization))
        .filter(nodes::Column::DeletedAt.is_null())
        .filter(spaces::Column::Id.is_in(shown))
        .into_tuple()
        .all(kernel.db.read())
        .await
}

/// A visitor of a site who asks for a specification.
struct SpecificationReader<'a> {
    specifications: &'a Specifications,
    site: &'a Arc<OpenVisit>,
    /// The keys of links to the specification.
    keys: [Uuid; 2],
    /// The revisions of the spaces that the visitor sees.
    revisions: HashMap<NodeId, &'a Arc<Revision>>,
}

impl SpecificationReader<'_> {
    /// Returns whether the visitor sees one of these placeholders for computed pages.
    async fn sees_placeholder(&self, placeholders: &HashMap<NodeId, Vec<PageId>>) -> Result<bool, ApiError> {
        for (space, pages) in placeholders {
            if let Some(revision) = self.revisions.get(space)
                && self.open(revision).sees_placeholder(pages).await?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the visitor sees a block of the specification in the text of a page.
    async fn sees_block(&self) -> Result<bool, ApiError> {
        let links = self.links();
        let candidates: Vec<(NodeId, PageId)> = Entity::find()
            .select_only()
            .columns([Column::SpaceId, Column::PageId])
            .distinct()
            .filter(links.clone())
            .limit(MAX_PAGES)
            .into_tuple()
            .all(self.specifications.kernel.db.read())
            .await?;
        if candidates.is_empty() {
            return Ok(false);
        }
        let held = current_sources(&self.specifications.contents, &self.revisions, &candidates).await?;
        let texts: BTreeSet<Hash> = held.iter().map(|(_, source)| *source).collect();
        let texts: Vec<Hash> = texts.into_iter().collect();
        let mut looked_at = HashSet::new();
        for texts in texts.chunks(VALUES_PER_STATEMENT) {
            let found: Vec<(NodeId, Vec<u8>)> = Entity::find()
                .select_only()
                .columns([Column::SpaceId, Column::Source])
                .distinct()
                .filter(links.clone())
                .filter(Column::Source.is_in(texts.iter().map(|text| text.to_vec())))
                .into_tuple()
                .all(self.specifications.kernel.db.read())
                .await?;
            for (space, source) in found {
                let is_held = Hash::from_bytes(&source).is_some_and(|source| held.contains(&(space, source)));
                if is_held && looked_at.insert(space) && self.sees_block_in(space).await? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns whether the visitor sees a block of the specification in a space that has one.
    async fn sees_block_in(&self, space: NodeId) -> Result<bool, ApiError> {
        match self.revisions.get(&space) {
            Some(revision) => self.open(revision).sees_specification(&self.keys, true).await,
            None => Ok(false),
        }
    }

    /// Returns whether the visitor sees a block of the specification in a reusable content.
    async fn sees_block_of_content(&self) -> Result<bool, ApiError> {
        let revisions = self.revisions.values();
        let revisions = revisions.filter(|it| !it.snapshot.reusable_contents.is_empty());
        for revision in revisions {
            if self.open(revision).sees_specification(&self.keys, false).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn open(&self, revision: &Arc<Revision>) -> RevisionReader<'_> {
        RevisionReader::of_site(&self.specifications.authoring, revision, Arc::clone(self.site) as _)
    }

    /// The links of pages to the specification, those of the present and of the past.
    fn links(&self) -> Condition {
        Condition::all()
            .add(Column::TargetId.is_in(self.keys))
            .add(Column::Role.eq(LinkRole::Specification))
            .add(Column::SpaceId.is_in(self.revisions.keys().copied()))
    }
}

/// The sources of links that pages have now.
async fn current_sources(
    contents: &Contents,
    revisions: &HashMap<NodeId, &Arc<Revision>>,
    pages: &[(NodeId, PageId)],
) -> Result<HashSet<(NodeId, Hash)>, DbErr> {
    let spaces = revisions.keys().copied().collect();
    let mut content = Content::of_spaces(contents.kernel.db.read(), &contents.state.objects, spaces);
    content
        .run(|objects| {
            // All that is missing is asked for before it is loaded together.
            let mut outcome = Ok(HashSet::new());
            for (space, page) in pages {
                let Some(revision) = revisions.get(space) else { continue };
                match (Pages::of(objects, revision.snapshot).page(*page), &mut outcome) {
                    (Ok(Some(page)), Ok(held)) => held.extend(sources(&page).into_iter().map(|it| (*space, it))),
                    (Ok(_), _) => {}
                    (Err(Missing), outcome) => *outcome = Err(Missing),
                }
            }
            outcome
        })
        .await
}
