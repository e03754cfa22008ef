//! Servers with tools for assistants of a site.

use sea_orm::entity::prelude::*;

use crate::ids::{SiteId, SiteMcpServerId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_mcp_servers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: SiteMcpServerId,
    pub site_id: SiteId,
    #[sea_orm(column_type = "String(StringLen::N(100))")]
    pub name: String,
    #[sea_orm(column_type = "String(StringLen::N(2048))")]
    pub url: String,
    pub transport: McpServerTransport,
    /// A JSON object of texts, sealed with the secret key of the server.
    #[sea_orm(column_type = "Blob")]
    pub headers: Vec<u8>,
    #[sea_orm(column_type = "String(StringLen::N(1024))", nullable)]
    pub condition: Option<String>,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum McpServerTransport {
    #[sea_orm(string_value = "sse")]
    Sse,
    #[sea_orm(string_value = "http")]
    Http,
}
