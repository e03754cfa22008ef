//! Custom hostnames of sites and organizations. Several organizations can claim a hostname; it is active for one at most.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, SiteId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "custom_hostnames")]
pub struct Model {
    /// Lower-case.
    #[sea_orm(primary_key, auto_increment = false, column_type = "String(StringLen::N(512))")]
    pub hostname: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    /// `None`: the hostname of the organization itself.
    pub site_id: Option<SiteId>,
    pub status: CustomHostnameStatus,
    /// The hostname while it is active.
    #[sea_orm(unique, column_type = "String(StringLen::N(512))", nullable)]
    pub active_hostname: Option<String>,
    /// The time of the first of the checks that have failed since the last one that passed, or since somebody asked for one.
    /// `None`: the last one passed.
    pub failing_since: Option<Timestamp>,
    /// The time of the next check. `None`: there is none.
    #[sea_orm(indexed)]
    pub next_check_at: Option<Timestamp>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    #[sea_orm(
        belongs_to,
        from = "(site_id, organization_id)",
        to = "(id, organization_id)",
        on_delete = "Cascade"
    )]
    pub site: BelongsTo<Option<super::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The outcome of the last check of the DNS records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(24))")]
pub enum CustomHostnameStatus {
    #[sea_orm(string_value = "dns_passed")]
    DnsPassed,
    #[sea_orm(string_value = "dns_wrong_cname")]
    DnsWrongCname,
    #[sea_orm(string_value = "dns_no_cname")]
    DnsNoCname,
    #[sea_orm(string_value = "dns_cloudflare_proxied")]
    DnsCloudflareProxied,
    #[sea_orm(string_value = "dns_wrong_caa")]
    DnsWrongCaa,
    #[sea_orm(string_value = "live")]
    Live,
    #[sea_orm(string_value = "ssl_unknown")]
    SslUnknown,
    #[sea_orm(string_value = "ssl_pending")]
    SslPending,
    #[sea_orm(string_value = "ssl_failed")]
    SslFailed,
    #[sea_orm(string_value = "ssl_retry_expired")]
    SslRetryExpired,
    #[sea_orm(string_value = "invalid_domain")]
    InvalidDomain,
    #[sea_orm(string_value = "internal_error")]
    InternalError,
}
