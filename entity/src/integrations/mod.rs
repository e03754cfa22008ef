//! Integrations: the newest version of each.

pub mod blobs;
pub mod content_changes;
pub mod content_installations;
pub mod deliveries;
pub mod delivery_queues;
pub mod external_ids;
pub mod installations;
pub mod scripts;
pub mod visitor_batches;
pub mod webhooks;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{IntegrationId, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "integrations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: IntegrationId,
    /// On the wire and in addresses.
    #[sea_orm(unique, column_type = "String(StringLen::N(100))")]
    pub name: String,
    /// The name in lower case, unique on the server.
    #[sea_orm(unique, column_type = "String(StringLen::N(100))")]
    pub name_key: String,
    /// The owner.
    pub organization_id: OrganizationId,
    /// Counts the times that the integration was published.
    pub version: i32,
    pub runtime: IntegrationRuntime,
    pub visibility: IntegrationVisibility,
    pub target: IntegrationTarget,
    /// Set by the operator of the server.
    pub verified: bool,
    #[sea_orm(column_type = "String(StringLen::N(30))")]
    pub title: String,
    /// Name and title in lower case, for searches.
    #[sea_orm(column_type = "Text")]
    pub search_text: String,
    #[sea_orm(column_type = "String(StringLen::N(100))", nullable)]
    pub description: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub summary: Option<String>,
    /// Lists of texts, as on the wire.
    #[sea_orm(column_type = "Json")]
    pub scopes: Json,
    #[sea_orm(column_type = "Json")]
    pub categories: Json,
    pub has_blocks: bool,
    pub has_content_sources: bool,
    /// Whether the defaults of the configuration suffice, so that an installation on all spaces or sites is active on those that were never
    /// configured.
    pub works_unconfigured_on_spaces: bool,
    pub works_unconfigured_on_sites: bool,
    /// The hosts of `urlUnfurl` of all blocks in lower case, each between line feeds, for filters.
    #[sea_orm(column_type = "Text")]
    pub block_domains: String,
    /// `blocks`, `contentSources`, `configurations`, `externalLinks`, and `contentSecurityPolicy`, as on the wire.
    #[sea_orm(column_type = "Json")]
    pub manifest: Json,
    /// The name of the icon in its address: the hash of its bytes, and the extension of its kind.
    #[sea_orm(column_type = "String(StringLen::N(64))", nullable)]
    pub icon: Option<String>,
    /// A list of such names.
    #[sea_orm(column_type = "Json")]
    pub preview_images: Json,
    /// A JSON object of texts, sealed with the secret key of the server.
    #[sea_orm(column_type = "Blob")]
    pub secrets: Vec<u8>,
    /// Where events go in development mode. `None`: to the script.
    #[sea_orm(column_type = "String(StringLen::N(256))", nullable)]
    pub tunnel_url: Option<String>,
    /// Whether the tunnel gets the events of all installations, not only those of the owner.
    pub tunnel_all: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// How a script is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(8))")]
pub enum IntegrationRuntime {
    #[sea_orm(string_value = "v1")]
    V1,
    #[sea_orm(string_value = "v2")]
    V2,
}

/// Who may see and install an integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum IntegrationVisibility {
    #[sea_orm(string_value = "public")]
    Public,
    #[sea_orm(string_value = "private")]
    Private,
    #[sea_orm(string_value = "unlisted")]
    Unlisted,
}

/// What an integration may be installed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum IntegrationTarget {
    #[sea_orm(string_value = "all")]
    All,
    #[sea_orm(string_value = "site")]
    Site,
    #[sea_orm(string_value = "space")]
    Space,
    #[sea_orm(string_value = "organization")]
    Organization,
}
