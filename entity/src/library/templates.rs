//! Spaces that are templates.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{NodeId, OrganizationId, RevisionId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "templates")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: NodeId,
    pub organization_id: OrganizationId,
    /// The content of the template.
    pub revision_id: RevisionId,
    pub pages: i32,
    /// The parameters as on the wire.
    #[sea_orm(column_type = "Json")]
    pub parameters: Json,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
