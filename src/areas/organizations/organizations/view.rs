//! Organizations on the wire.

use entity::{
    ids::SiteId,
    organizations::{self, Model, members::MemberRole},
};
use openapi::{
    error::ApiError,
    guard::OrganizationLevel,
    models::{
        self, Organization, OrganizationPermissions, OrganizationTrial, OrganizationTrialStatus, OrganizationUrls,
    },
    values::Maybe,
};

use super::default_content;
use crate::{
    access::levels,
    kernel::{
        urls::Urls,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    organizations::OrganizationType = models::OrganizationType { Business, Community }
    organizations::OrganizationUseCase = models::OrganizationUseCase {
        InternalDocs, DocsSite, AudienceControlledSite, ProductDocs, TeamKnowledgeBase, DesignSystem, OpenSourceDocs,
        Notes, Other
    }
    organizations::OrganizationCommunityType = models::OrganizationCommunityType { NonProfit, OpenSource, Education }
    organizations::BillingProduct = models::OrganizationPlan {
        Free2024, Plus2024, Pro2024, Enterprise2024, Community2024, Free, Plus, Pro, Internal
    }
}

/// The members of an answer that the row does not hold.
pub struct OrganizationDetails {
    pub domains: Vec<String>,
    pub default_site: Option<SiteId>,
    /// The role of the caller. `None`: not a member; `Some(None)`: a guest.
    pub role: Option<Option<MemberRole>>,
    pub owns_team: bool,
}

pub fn organization(urls: &Urls, row: Model, details: OrganizationDetails) -> Result<Organization, ApiError> {
    let OrganizationDetails {
        domains,
        default_site,
        role: membership,
        owns_team,
    } = details;
    Ok(Organization {
        object: Default::default(),
        id: row.id.to_string(),
        title: row.title,
        created_at: time(row.created_at),
        email_domains: domains,
        hostname: row.hostname,
        r#type: row.r#type.to_wire(),
        use_case: row.use_case.map(ToWire::to_wire),
        community_type: row.community_type.map(ToWire::to_wire),
        default_role: row.default_role.map(ToWire::to_wire).into(),
        default_content: default_site.map(default_content::view),
        sso: Some(row.sso),
        ai: Some(row.ai),
        invite_links: row.invite_links,
        plan: row.plan.to_wire(),
        billing: None,
        merge_rules: serde_json::from_value(row.merge_rules)?,
        urls: OrganizationUrls {
            location: urls.organization(row.id),
            app: urls.organization_page(row.id),
            logo: row.logo,
        },
        trial: OrganizationTrial {
            status: OrganizationTrialStatus::Notapplicable,
            count: 0,
            end_date: None,
            decision: None,
        },
        custom_hostname: row.custom_hostname,
        blocked: None,
        internal_billing_migration: None,
        permissions: permissions(membership, owns_team),
    })
}

/// Leaves out what only members see.
pub fn for_others(organization: Organization) -> Organization {
    Organization {
        email_domains: Vec::new(),
        use_case: None,
        community_type: None,
        default_role: Maybe::Absent,
        default_content: None,
        sso: None,
        ai: None,
        ..organization
    }
}

/// From the levels that guard the operations.
fn permissions(membership: Option<Option<MemberRole>>, owns_team: bool) -> OrganizationPermissions {
    let level = membership.map(levels::of_role);
    let at_least = |wanted: OrganizationLevel| level.is_some_and(|level| level >= wanted);
    let admin = at_least(OrganizationLevel::Admin);
    OrganizationPermissions {
        view: at_least(OrganizationLevel::Guest),
        access: at_least(OrganizationLevel::Guest),
        admin,
        own_team: admin || owns_team,
        create_content: at_least(OrganizationLevel::Create),
        create_open_api_spec: at_least(OrganizationLevel::Create),
        ingest_conversations: admin,
        view_billing: admin,
        list_members: at_least(OrganizationLevel::Read),
        list_teams: at_least(OrganizationLevel::Read),
        list_integrations: at_least(OrganizationLevel::Read),
        list_installations: admin,
        install_integration: admin,
    }
}
