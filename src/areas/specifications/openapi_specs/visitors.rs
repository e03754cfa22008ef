//! What visitors of sites read: the specifications that pages of the site refer to.

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
    ids::{NodeId, OrganizationId, PageId, RevisionId},
    nodes,
    openapi_specs::Model,
    page_links::{Column, Entity, LinkRole},
    spaces,
};
use openapi::error::ApiError;
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, RelationTrait};

use crate::{access::ReadableSiteAccess, app::App, areas::publishing::structure::layout_for};

/// Pages that are looked at, the first ones that refer to a specification or did in the past.
const MAX_PAGES: u64 = 1_000;

/// The number of values in one statement.
const VALUES_PER_STATEMENT: usize = 500;

/// Returns whether pages of a site, as a visitor sees its structure, refer to a specification.
pub async fn is_shown(app: &App, site: &ReadableSiteAccess, specification: &Model) -> Result<bool, ApiError> {
    let layout = layout_for(app, site).await?;
    let shown: BTreeSet<NodeId> = layout.site_spaces.iter().map(|item| item.space_id).collect();
    let revisions = published(app, site.row.organization_id, shown).await?;
    let revisions = app.content.revisions(&app.db, revisions).await?;
    let is_computed = app.computes_from(&revisions, specification.id).await?;
    Ok(is_computed || has_block(app, &revisions, specification).await?)
}

/// The current revisions of spaces.
async fn published(app: &App, organization: OrganizationId, shown: BTreeSet<NodeId>) -> Result<Vec<RevisionId>, DbErr> {
    spaces::Entity::find()
        .select_only()
        .column(spaces::Column::RevisionId)
        .join(JoinType::InnerJoin, spaces::Relation::Nodes.def())
        .filter(nodes::Column::OrganizationId.eq(organization))
        .filter(nodes::Column::DeletedAt.is_null())
        .filter(spaces::Column::Id.is_in(shown))
        .into_tuple()
        .all(app.db.read())
        .await
}

/// Returns whether a page of these revisions has a block of a specification.
async fn has_block(app: &App, revisions: &[Arc<Revision>], specification: &Model) -> Result<bool, ApiError> {
    let by_space: HashMap<NodeId, &Arc<Revision>> = revisions.iter().map(|it| (it.space, it)).collect();
    let keys = [*specification.id.as_uuid(), specification_key(&specification.slug)];
    let links = Condition::all()
        .add(Column::TargetId.is_in(keys))
        .add(Column::Role.eq(LinkRole::Specification))
        .add(Column::SpaceId.is_in(by_space.keys().copied()));
    let candidates: Vec<(NodeId, PageId)> = Entity::find()
        .select_only()
        .columns([Column::SpaceId, Column::PageId])
        .distinct()
        .filter(links.clone())
        .limit(MAX_PAGES)
        .into_tuple()
        .all(app.db.read())
        .await?;
    if candidates.is_empty() {
        return Ok(false);
    }
    let held = current_sources(app, &by_space, &candidates).await?;
    let texts: BTreeSet<Hash> = held.iter().map(|(_, source)| *source).collect();
    let texts: Vec<Hash> = texts.into_iter().collect();
    for texts in texts.chunks(VALUES_PER_STATEMENT) {
        let found: Vec<(NodeId, Vec<u8>)> = Entity::find()
            .select_only()
            .columns([Column::SpaceId, Column::Source])
            .distinct()
            .filter(links.clone())
            .filter(Column::Source.is_in(texts.iter().map(|text| text.to_vec())))
            .into_tuple()
            .all(app.db.read())
            .await?;
        let is_held = |(space, source): &(NodeId, Vec<u8>)| {
            Hash::from_bytes(source).is_some_and(|source| held.contains(&(*space, source)))
        };
        if found.iter().any(is_held) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The sources of links that pages have now.
async fn current_sources(
    app: &App,
    revisions: &HashMap<NodeId, &Arc<Revision>>,
    pages: &[(NodeId, PageId)],
) -> Result<HashSet<(NodeId, Hash)>, DbErr> {
    let spaces = revisions.keys().copied().collect();
    let mut content = Content::of_spaces(app.db.read(), &app.content.objects, spaces);
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
