//! Contributors to change requests.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{ChangeRequestId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "contributors")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub change_request_id: ChangeRequestId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: UserId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub action: ContributorAction,
    /// How often.
    pub count: i32,
    /// When last.
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "change_request_id", to = "id", on_delete = "Cascade")]
    pub change_request: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(8))")]
pub enum ContributorAction {
    #[sea_orm(string_value = "edit")]
    Edit,
    #[sea_orm(string_value = "comment")]
    Comment,
}
