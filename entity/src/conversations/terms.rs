//! How many issues of an organization have a term.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "conversation_terms")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    /// The hash of the term.
    #[sea_orm(primary_key, auto_increment = false)]
    pub term: i64,
    pub issues: i32,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
