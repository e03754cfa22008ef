//! Request bodies as rows of organizations.

use std::collections::HashSet;

use entity::{
    ids::OrganizationId,
    organizations::{BillingProduct, Model},
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorType},
    models::{CreateOrganization, UpdateOrganization},
};
use sea_orm::{ActiveValue::Set, ConnectionTrait, IntoActiveModel};

use super::{default_content, domain_store, store};
use crate::{
    access::Caller,
    areas::{
        joins::address_names::is_of_other_site,
        organizations::{members, merge_rules},
    },
    kernel::wire::ToStored,
};

/// A new organization and its email domains. A self-hosted service has no smaller plan than everything.
pub fn new(id: OrganizationId, now: Timestamp, body: CreateOrganization) -> (Model, Vec<String>) {
    let CreateOrganization {
        title,
        email_domains,
        r#type,
        use_case,
        community_type,
        // For its site, which is not created here.
        onboarding_preferences: _,
    } = body;
    let row = Model {
        id,
        title,
        hostname: None,
        r#type: r#type.to_stored(),
        use_case: use_case.map(ToStored::to_stored),
        community_type: community_type.map(ToStored::to_stored),
        default_role: None,
        sso: false,
        ai: false,
        invite_links: true,
        plan: BillingProduct::Enterprise2024,
        merge_rules: serde_json::json!({ "type": "none" }),
        logo: None,
        custom_hostname: None,
        members_count: 1,
        sites_count: 0,
        created_at: now,
    };
    (row, normal_domains(email_domains.unwrap_or_default()))
}

/// Domains in lower case, each once.
fn normal_domains(domains: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let domains = domains.into_iter().map(|domain| domain.to_lowercase());
    domains.filter(|domain| seen.insert(domain.clone())).collect()
}

/// Applies a change to the stored organization.
pub async fn apply(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    by: &Caller,
    change: UpdateOrganization,
    now: Timestamp,
) -> Result<Model, ApiError> {
    let UpdateOrganization {
        title,
        email_domains,
        hostname,
        default_role,
        default_content,
        logo,
        sso,
        ai,
        invite_links,
        merge_rules,
    } = change;
    let stored = store::lock(db, organization).await?;
    let stored = stored.ok_or_else(|| ApiError::not_found("organization"))?;
    if sso == Some(true) && !stored.sso {
        require_way_in(db, by, organization).await?;
    }
    let mut row = stored.into_active_model();
    if let Some(rules) = merge_rules {
        merge_rules::require_members(db, organization, &rules).await?;
        row.merge_rules = Set(serde_json::to_value(rules)?);
    }
    if let Some(domains) = email_domains {
        domain_store::replace(db, organization, by.user_id, normal_domains(domains), now).await?;
    }
    if let Some(content) = default_content.into_change() {
        default_content::set(db, organization, content).await?;
    }
    if let Some(hostname) = &hostname {
        refuse_reserved(hostname)?;
        if is_of_other_site(db, organization, hostname).await? {
            return Err(ApiError::new(
                ErrorType::HostnameTaken,
                "A site of another organization has the name `hostname`.",
            ));
        }
    }
    set(&mut row.title, title);
    set(&mut row.hostname, hostname.map(Some));
    set(
        &mut row.default_role,
        default_role.into_change().map(|role| role.map(ToStored::to_stored)),
    );
    set(&mut row.logo, logo.into_change());
    set(&mut row.sso, sso);
    set(&mut row.ai, ai);
    set(&mut row.invite_links, invite_links);
    store::update(db, row).await
}

/// Before single sign-on is required: it has to work, which whoever requires it shows by having come that way.
async fn require_way_in(db: &impl ConnectionTrait, by: &Caller, organization: OrganizationId) -> Result<(), ApiError> {
    if !store::has_way_in(db, organization).await? {
        return Err(ApiError::new(
            ErrorType::NoSamlProvider,
            "The organization has no active SAML identity provider.",
        ));
    }
    let exempt = members::store::find(db, organization, by.user_id).await?;
    if by.identity.signed_in_to != Some(organization) && !exempt.is_some_and(|member| member.sso_exempt) {
        return Err(ApiError::new(
            ErrorType::SsoUnproven,
            "Sign in through the identity provider first, and use a token made on the account page.",
        ));
    }
    Ok(())
}

fn set<T: Into<sea_orm::Value>>(column: &mut sea_orm::ActiveValue<T>, value: Option<T>) {
    if let Some(value) = value {
        *column = Set(value);
    }
}

/// Names that addresses of services often begin with, and that would pass for the server itself.
const RESERVED_HOSTNAMES: [&str; 16] = [
    "admin", "api", "app", "assets", "auth", "bindery", "blog", "cdn", "docs", "help", "mail", "sites", "static",
    "status", "support", "www",
];

fn refuse_reserved(hostname: &str) -> Result<(), ApiError> {
    if RESERVED_HOSTNAMES.contains(&hostname) {
        return Err(ApiError::new(ErrorType::HostnameTaken, "`hostname` is reserved."));
    }
    Ok(())
}
