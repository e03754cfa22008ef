//! The number of invitations that each organization and each user has mailed today.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "invitation_mails")]
pub struct Model {
    /// The organization or the user, which may be gone.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sender_id: Uuid,
    /// Days since the Unix epoch, UTC.
    pub day: i64,
    /// Mails of that day.
    pub sent: i32,
}

impl ActiveModelBehavior for ActiveModel {}
