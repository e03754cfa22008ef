//! Templates in the database.

use entity::{
    ids::{NodeId, OrganizationId, RevisionId},
    nodes::{self, NodeKind},
    spaces,
    templates::{Column, Entity, Model},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, DerivePartialModel, EntityTrait, JoinType, QueryFilter, QuerySelect,
    RelationDef, Select,
};

use crate::{
    access::node_levels::{Member, visible},
    areas::library::tree,
};

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

/// The spaces that are templates which a member may use.
pub fn usable_by(member: &Member) -> Select<nodes::Entity> {
    let template: RelationDef = nodes::Entity::belongs_to(Entity)
        .from(nodes::Column::Id)
        .to(Column::SpaceId)
        .into();
    let spaces = tree::store::not_deleted(member.organization, NodeKind::Space)
        .join(JoinType::InnerJoin, template)
        .filter(Column::OrganizationId.eq(member.organization));
    visible(spaces, member)
}

/// Joins the table that a [`TemplateRow`] reads besides.
pub fn with_space(found: Select<nodes::Entity>) -> Select<nodes::Entity> {
    let space: RelationDef = nodes::Entity::belongs_to(spaces::Entity)
        .from(nodes::Column::Id)
        .to(spaces::Column::Id)
        .into();
    found.join(JoinType::InnerJoin, space)
}

/// Finds a template that a member may use.
pub async fn find_usable(db: &impl ConnectionTrait, member: &Member, space: NodeId) -> Result<Option<Model>, DbErr> {
    let found = with_space(usable_by(member)).filter(nodes::Column::Id.eq(space));
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
