//! Templates in the database.

use entity::{
    ids::{NodeId, OrganizationId, RevisionId},
    library::{
        nodes, spaces,
        templates::{Column, Entity, Model},
    },
};
use openapi::models::SCANNED_TO;
use platform::db::{Keyset, Scan};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, DerivePartialModel, EntityTrait, JoinType, QueryFilter, QuerySelect,
    RelationDef, Select,
};

use crate::access::node_levels::{Member, is_visible_space};

/// A template with the names of its space.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct TemplateRow {
    #[sea_orm(nested)]
    pub template: Model,
    #[sea_orm(from_expr = "nodes::Column::Title")]
    pub title: String,
    #[sea_orm(from_expr = "spaces::Column::Emoji")]
    pub emoji: Option<String>,
}

pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

/// The templates that a member may use, the newest spaces first. No index tells which.
pub fn usable_by(member: &Member) -> Scan<Entity, impl Fn(Select<Entity>) -> Select<Entity>> {
    let order = Keyset::descending([(Entity, Column::SpaceId)]);
    let filter = move |templates| usable(member, templates);
    Scan::new(of(member.organization), order, filter, SCANNED_TO)
}

/// Narrows a query over templates down to those that a member may use.
fn usable(member: &Member, templates: Select<Entity>) -> Select<Entity> {
    with_space(templates.filter(is_visible_space(member, (Entity, Column::SpaceId))))
}

/// Joins the tables that a [`TemplateRow`] reads besides.
fn with_space(found: Select<Entity>) -> Select<Entity> {
    let node: RelationDef = Entity::belongs_to(nodes::Entity)
        .from(Column::SpaceId)
        .to(nodes::Column::Id)
        .into();
    found.inner_join(spaces::Entity).join(JoinType::InnerJoin, node)
}

/// Finds a template that a member may use.
pub async fn find_usable(db: &impl ConnectionTrait, member: &Member, space: NodeId) -> Result<Option<Model>, DbErr> {
    let found = usable(member, of(member.organization)).filter(Column::SpaceId.eq(space));
    let row = found.into_partial_model::<TemplateRow>().one(db).await?;
    Ok(row.map(|row| row.template))
}

/// The current revision of a space.
pub async fn current_revision(db: &impl ConnectionTrait, space: NodeId) -> Result<Option<RevisionId>, DbErr> {
    spaces::Entity::find_by_id(space)
        .select_only()
        .column(spaces::Column::RevisionId)
        .into_tuple()
        .one(db)
        .await
}
