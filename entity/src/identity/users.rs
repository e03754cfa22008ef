//! People who can hold tokens and be members of organizations.

use sea_orm::entity::prelude::*;

use crate::{ids::UserId, timestamp::Timestamp};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: UserId,
    /// Lower-case, so that uniqueness ignores case.
    #[sea_orm(unique, column_type = "String(StringLen::N(320))")]
    pub email: String,
    pub email_verified: bool,
    #[sea_orm(column_type = "String(StringLen::N(64))")]
    pub display_name: String,
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub photo_url: Option<String>,
    /// Lower-cased display name and email, one a line: what searches for people look into. Kept by the server, because
    /// databases fold case differently, and SQLite only for ASCII.
    #[sea_orm(column_type = "Text")]
    pub search_text: String,
    pub created_at: Timestamp,
    /// Suspended users keep their data and are refused everywhere.
    pub suspended_at: Option<Timestamp>,
}

impl ActiveModelBehavior for ActiveModel {}
