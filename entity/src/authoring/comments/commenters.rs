//! The people who have commented on a content, kept as comments change.

use sea_orm::entity::prelude::*;

use crate::ids::{NodeId, UserId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "commenters")]
pub struct Model {
    /// The change request, else the space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub content_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: UserId,
    #[sea_orm(indexed)]
    pub space_id: NodeId,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<crate::identity::users::Entity>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
