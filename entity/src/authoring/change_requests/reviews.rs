//! Reviews of change requests.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{ChangeRequestId, ReviewId, RevisionId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "reviews")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ReviewId,
    pub change_request_id: ChangeRequestId,
    /// The content that was reviewed.
    pub revision_id: RevisionId,
    pub reviewer_id: UserId,
    /// The user who requested the review, if anybody did.
    pub requested_by: Option<UserId>,
    pub status: ReviewStatus,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "change_request_id", to = "id", on_delete = "Cascade")]
    pub change_request: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "reviewer_id", to = "id", on_delete = "Cascade")]
    pub reviewer: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(32))")]
pub enum ReviewStatus {
    #[sea_orm(string_value = "changes-requested")]
    ChangesRequested,
    #[sea_orm(string_value = "approved")]
    Approved,
}
