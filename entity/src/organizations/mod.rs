//! Organizations: the tenants.

pub mod agent_instructions;
pub mod audit_events;
pub mod email_domains;
pub mod members;
pub mod removed_members;
pub mod saml_providers;
pub mod sessions;
pub mod space_counts;
pub mod teams;

use sea_orm::entity::prelude::*;

use crate::{ids::OrganizationId, organizations::members::MemberRole, timestamp::Timestamp};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "organizations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: OrganizationId,
    #[sea_orm(column_type = "String(StringLen::N(255))")]
    pub title: String,
    #[sea_orm(unique, column_type = "String(StringLen::N(32))", nullable)]
    pub hostname: Option<String>,
    pub r#type: OrganizationType,
    pub use_case: Option<OrganizationUseCase>,
    pub community_type: Option<OrganizationCommunityType>,
    /// The role of people who join by their email domain. `None`: guest.
    pub default_role: Option<MemberRole>,
    pub sso: bool,
    pub ai: bool,
    pub invite_links: bool,
    pub plan: BillingProduct,
    #[sea_orm(column_type = "Json")]
    pub merge_rules: Json,
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub logo: Option<String>,
    /// The custom hostname that leads to the default content: a copy of the active one in `custom_hostnames`.
    #[sea_orm(unique, column_type = "String(StringLen::N(512))", nullable)]
    pub custom_hostname: Option<String>,
    /// Rows in `members`; changed in the transaction that changes them.
    pub members_count: i32,
    /// Rows in `sites`; changed in the transaction that changes them.
    pub sites_count: i32,
    pub created_at: Timestamp,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum OrganizationType {
    #[sea_orm(string_value = "business")]
    Business,
    #[sea_orm(string_value = "community")]
    Community,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(32))")]
pub enum OrganizationUseCase {
    #[sea_orm(string_value = "internalDocs")]
    InternalDocs,
    #[sea_orm(string_value = "docsSite")]
    DocsSite,
    #[sea_orm(string_value = "audienceControlledSite")]
    AudienceControlledSite,
    #[sea_orm(string_value = "productDocs")]
    ProductDocs,
    #[sea_orm(string_value = "teamKnowledgeBase")]
    TeamKnowledgeBase,
    #[sea_orm(string_value = "designSystem")]
    DesignSystem,
    #[sea_orm(string_value = "openSourceDocs")]
    OpenSourceDocs,
    #[sea_orm(string_value = "notes")]
    Notes,
    #[sea_orm(string_value = "other")]
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum OrganizationCommunityType {
    #[sea_orm(string_value = "nonProfit")]
    NonProfit,
    #[sea_orm(string_value = "openSource")]
    OpenSource,
    #[sea_orm(string_value = "education")]
    Education,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum BillingProduct {
    #[sea_orm(string_value = "free_2024")]
    Free2024,
    #[sea_orm(string_value = "plus_2024")]
    Plus2024,
    #[sea_orm(string_value = "pro_2024")]
    Pro2024,
    #[sea_orm(string_value = "enterprise_2024")]
    Enterprise2024,
    #[sea_orm(string_value = "community_2024")]
    Community2024,
    #[sea_orm(string_value = "free")]
    Free,
    #[sea_orm(string_value = "plus")]
    Plus,
    #[sea_orm(string_value = "pro")]
    Pro,
    #[sea_orm(string_value = "internal")]
    Internal,
}
