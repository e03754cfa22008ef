//! Requested reviewers who have not reviewed the change request yet.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{ChangeRequestId, RevisionId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "requested_reviewers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub change_request_id: ChangeRequestId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: UserId,
    pub requested_by: UserId,
    /// The content of the change request then.
    pub revision_id: RevisionId,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "change_request_id", to = "id", on_delete = "Cascade")]
    pub change_request: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
