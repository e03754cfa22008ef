//! The row of a site in transactions that change the site, and the spaces that it publishes.

use entity::{
    ids::{NodeId, OrganizationId, SiteId},
    library::{
        nodes::{self, NodeKind},
        spaces,
    },
    organizations::members::MemberRole,
    publishing::sites::{self, Column, Entity, Model, site_spaces},
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::ErrorDetail,
};
use platform::db::{Tx, rows};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter,
    QuerySelect, QueryTrait, Select, sea_query::SelectStatement,
};

use crate::{
    access::node_levels::{self, Member},
    areas::library::tree,
    kernel::audit::AuditTarget,
};

pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

/// The site as it is inside the write transaction, in which no other one changes it or its structure.
pub async fn lock(db: &impl ConnectionTrait, organization: OrganizationId, site: SiteId) -> Result<Model, ApiError> {
    let found = rows::find(db, of(organization).lock_exclusive(), site).await?;
    found.ok_or_else(unknown)
}

pub fn unknown() -> ApiError {
    ApiError::not_found("site")
}

/// The ids of the spaces of a site, and of another one.
pub fn spaces_of(site: SiteId, other: Option<NodeId>) -> SelectStatement {
    let shown = site_spaces::Entity::find()
        .select_only()
        .column(site_spaces::Column::SpaceId)
        .filter(site_spaces::Column::SiteId.eq(site));
    let is_one = Condition::any()
        .add(spaces::Column::Id.in_subquery(shown.into_query()))
        .add_option(other.map(|space| spaces::Column::Id.eq(space)));
    let ids = spaces::Entity::find().select_only().column(spaces::Column::Id);
    ids.filter(is_one).into_query()
}

/// Notes that the structure of a site has changed, and how many spaces are in it.
pub async fn note_change(db: &impl ConnectionTrait, site: &Model, site_spaces: usize) -> Result<(), DbErr> {
    let mut row = sites::ActiveModel {
        id: Set(site.id),
        ..Default::default()
    };
    row.version = Set(site.version.saturating_add(1));
    row.site_spaces_count = Set(i32::try_from(site_spaces).unwrap_or(i32::MAX));
    row.update(db).await?;
    Ok(())
}

/// A space that a request publishes, and the member that names it.
#[derive(Clone)]
pub struct Publication {
    space: NodeId,
    pointer: String,
}

impl Publication {
    pub fn of(space: NodeId) -> Self {
        Self {
            space,
            pointer: "/body/spaceId".to_owned(),
        }
    }

    /// The space at this place in the list of spaces.
    pub fn listed((index, space): (usize, NodeId)) -> Self {
        Self {
            space,
            pointer: format!("/body/spaces/{index}"),
        }
    }
}

/// The spaces, if the member administers them: whoever adds a space to a site decides who reads it. Two queries.
pub async fn check_publications(
    tx: &Tx,
    member: &Member,
    publications: &[Publication],
) -> Result<Vec<nodes::Model>, ApiError> {
    let named = publications.iter().map(|publication| publication.space);
    let found = tree::store::not_deleted(member.organization, NodeKind::Space)
        .filter(nodes::Column::Id.is_in(named))
        .all(tx)
        .await?;
    let levels = node_levels::levels(tx, member, found.iter().map(|space| space.id).collect()).await?;
    let administered = |publication: &Publication| {
        let space = found.iter().find(|space| space.id == publication.space);
        let space = space.filter(|space| levels.on(space) == Some(MemberRole::Admin));
        space.cloned().ok_or_else(|| ErrorDetail {
            pointer: publication.pointer.clone(),
            code: ErrorRule::SpaceLevel,
            message: "This needs the level admin on a space of the organization.".to_owned(),
        })
    };
    let (mut spaces, mut refused) = (Vec::new(), Vec::new());
    for publication in publications {
        match administered(publication) {
            Ok(space) => spaces.push(space),
            Err(detail) => refused.push(detail),
        }
    }
    ApiError::refuse(refused)?;
    Ok(spaces)
}

pub fn target(row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "site", row.id).labelled(&row.title)
}
