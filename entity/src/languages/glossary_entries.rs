//! Words of an organization in several languages.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{GlossaryEntryId, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "glossary_entries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: GlossaryEntryId,
    pub organization_id: OrganizationId,
    /// The word by language.
    #[sea_orm(column_type = "Json")]
    pub translations: Json,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
