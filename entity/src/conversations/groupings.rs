//! What the processing of all conversations of an organization shares.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "conversation_groupings")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    /// The number of all issues.
    pub issues: i64,
    /// Whether a job that clusters the latest issues anew is queued.
    pub upkeep_queued: bool,
    /// The day, counted from the Unix epoch, of `model_tokens`.
    pub model_day: i32,
    /// The tokens of the language model that were used on that day.
    pub model_tokens: i64,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
