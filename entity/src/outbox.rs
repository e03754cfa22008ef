//! Mails on their way out: written in the transaction of what they tell about, sent afterwards.

use sea_orm::entity::prelude::*;

use crate::{ids::MailId, timestamp::Timestamp};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "outbox")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: MailId,
    #[sea_orm(column_type = "String(StringLen::N(320))")]
    pub recipient: String,
    #[sea_orm(column_type = "Text")]
    pub subject: String,
    #[sea_orm(column_type = "Text")]
    pub body: String,
    pub created_at: Timestamp,
    /// When somebody may try to send it. Whoever tries moves it on first, so that others leave the mail alone, and it
    /// comes up again if they never finish. None is a mail that was sent or given up.
    pub next_attempt_at: Option<Timestamp>,
    /// How often sending was begun.
    pub attempts: i32,
    /// Why the last attempt failed.
    #[sea_orm(column_type = "Text", nullable)]
    pub last_error: Option<String>,
    pub sent_at: Option<Timestamp>,
}

impl ActiveModelBehavior for ActiveModel {}
