//! Sites, which publish spaces of their organization.

pub mod adaptive_schemas;
pub mod custom_hostnames;
pub mod customizations;
pub mod default_content;
pub mod external_links;
pub mod mcp_servers;
pub mod permissions;
pub mod publishing_auth;
pub mod redirects;
pub mod section_groups;
pub mod sections;
pub mod share_links;
pub mod site_space_customizations;
pub mod site_spaces;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, SiteId},
    library::nodes::DefaultLevel,
    organizations::members::MemberRole,
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sites")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, unique_key = "site_organization")]
    pub id: SiteId,
    #[sea_orm(unique_key = "site_organization")]
    pub organization_id: OrganizationId,
    pub plan: SiteType,
    #[sea_orm(column_type = "String(StringLen::N(128))")]
    pub title: String,
    /// The title in lower case, for searches.
    #[sea_orm(column_type = "Text")]
    pub title_folded: String,
    pub visibility: SiteVisibility,
    /// The name of the site in its address.
    #[sea_orm(unique, column_type = "String(StringLen::N(100))")]
    pub basename: String,
    /// The address under another domain that shows the site, its host in lower case.
    #[sea_orm(column_type = "String(StringLen::N(512))", nullable)]
    pub proxy: Option<String>,
    /// The proxy while the DNS records of its host name the organization.
    #[sea_orm(unique, column_type = "String(StringLen::N(512))", nullable)]
    pub active_proxy: Option<String>,
    /// As in `custom_hostnames`.
    pub proxy_failing_since: Option<Timestamp>,
    #[sea_orm(indexed)]
    pub proxy_next_check_at: Option<Timestamp>,
    /// The custom hostname that leads to the site: a copy of the active one in `custom_hostnames`.
    #[sea_orm(unique, column_type = "String(StringLen::N(512))", nullable)]
    pub hostname: Option<String>,
    pub published: bool,
    pub adaptive_content: bool,
    pub in_agents_context: bool,
    /// Rows in `site_spaces`; changed in the transaction that changes them.
    pub site_spaces_count: i32,
    /// Counts the changes of the site and its structure.
    pub version: i64,
    pub created_at: Timestamp,
    /// The time of the last publication.
    pub published_at: Option<Timestamp>,
    /// The icon in the customization. `None`: that of the renderer.
    #[sea_orm(column_type = "Json", nullable)]
    pub favicon: Option<Json>,
    /// The least level of members with a role in the organization. `None`, or inherited: that of their role.
    pub default_level: Option<DefaultLevel>,
    /// The id of a space, as it was sent.
    #[sea_orm(column_type = "String(StringLen::N(320))", nullable)]
    pub styleguide: Option<String>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

crate::stored_row! {
    id,
    organization_id,
    plan,
    title,
    title_folded,
    visibility,
    basename,
    proxy,
    active_proxy,
    proxy_failing_since,
    proxy_next_check_at,
    hostname,
    published,
    adaptive_content,
    in_agents_context,
    site_spaces_count,
    version,
    created_at,
    published_at,
    favicon,
    default_level,
    styleguide,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// The level that the site gives to members with this role in the organization. `None`: guests.
    pub fn level_by_default(&self, role: Option<MemberRole>) -> Option<MemberRole> {
        let default = self.default_level.and_then(|default| default.for_member(role));
        role.and(Ord::max(role, default))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum SiteType {
    #[sea_orm(string_value = "basic")]
    Basic,
    #[sea_orm(string_value = "premium")]
    Premium,
    #[sea_orm(string_value = "ultimate")]
    Ultimate,
    #[sea_orm(string_value = "sponsored")]
    Sponsored,
    #[sea_orm(string_value = "legacy-basic")]
    LegacyBasic,
    #[sea_orm(string_value = "legacy-premium")]
    LegacyPremium,
}

/// The audience of a published site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum SiteVisibility {
    #[sea_orm(string_value = "public")]
    Public,
    #[sea_orm(string_value = "unlisted")]
    Unlisted,
    #[sea_orm(string_value = "share-link")]
    ShareLink,
    #[sea_orm(string_value = "visitor-auth")]
    VisitorAuth,
}
