//! Request bodies as rows of organizations.

use std::collections::HashSet;

use entity::{
    ids::OrganizationId,
    organizations::{BillingProduct, Model},
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{CreateOrganization, OrganizationDefaultContent, UpdateOrganization},
    values::Maybe,
};
use sea_orm::{ActiveValue::Set, ConnectionTrait, IntoActiveModel};

use crate::{app::wire::ToStored, areas::organizations::merge_rules};

use super::{domain_store, store};

/// A new organization and its email domains. A self-hosted service has no smaller plan than everything.
pub fn new(id: OrganizationId, now: Timestamp, body: CreateOrganization) -> (Model, Vec<String>) {
    let CreateOrganization {
        title,
        email_domains,
        r#type,
        use_case,
        community_type,
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
        members_count: 1,
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
    refuse_unknown_content(default_content)?;
    let stored = store::lock(db, organization).await?;
    let mut row = stored
        .ok_or_else(|| ApiError::not_found("organization"))?
        .into_active_model();
    if let Some(rules) = merge_rules {
        merge_rules::require_members(db, organization, &rules).await?;
        row.merge_rules = Set(serde_json::to_value(rules)?);
    }
    if let Some(domains) = email_domains {
        domain_store::replace(db, organization, normal_domains(domains), now).await?;
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

fn set<T: Into<sea_orm::Value>>(column: &mut sea_orm::ActiveValue<T>, value: Option<T>) {
    if let Some(value) = value {
        *column = Set(value);
    }
}

/// The default content is a site of the organization; organizations have no sites yet, so that every id is unknown.
fn refuse_unknown_content(content: Maybe<OrganizationDefaultContent>) -> Result<(), ApiError> {
    match content {
        Maybe::Value(OrganizationDefaultContent { .. }) => Err(ApiError::invalid_member(
            "/body/defaultContent/site",
            ErrorRule::UnknownSite,
            "`defaultContent.site` is not a site of the organization.",
        )),
        Maybe::Absent | Maybe::Null => Ok(()),
    }
}
