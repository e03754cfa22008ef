//! New organizations that start with a site.

use entity::organizations::{Model, members::MemberRole};
use openapi::{
    error::ApiError,
    models::{CreateOrganization, OnboardingInterest},
};

use super::{changes, default_content, store, target};

use crate::{
    access::{Caller, node_levels::Member},
    areas::{
        joins::address_names::retry_taken,
        organizations::{Organizations, default_site::WantedSite},
    },
    kernel::audit::Changed,
};

pub async fn create(
    organizations: &Organizations,
    caller: &Caller,
    openapi_url: Option<String>,
    body: CreateOrganization,
) -> Result<Model, ApiError> {
    let created = retry_taken(async || insert(organizations, caller, openapi_url.clone(), body.clone()).await).await?;
    organizations.kernel.jobs.wake();
    Ok(created)
}

async fn insert(
    organizations: &Organizations,
    caller: &Caller,
    openapi_url: Option<String>,
    body: CreateOrganization,
) -> Result<Model, ApiError> {
    let preferences = body.onboarding_preferences.clone();
    let (mut row, domains) = changes::new(organizations.kernel.ids.next(), organizations.kernel.clock.now(), body);
    row.ai = preferences
        .as_ref()
        .is_some_and(|preferences| preferences.interests.contains(&OnboardingInterest::ProactiveAgent));
    let owner = Member::new(row.id, caller.user_id, Some(MemberRole::Admin));
    let wanted = WantedSite {
        title: row.title.clone(),
        openapi_url,
        preferences,
    };
    let site = organizations.default_sites.prepare(owner, wanted).await?;
    let work = move |tx| async move {
        store::insert(&tx, &row, domains, owner.user).await?;
        let site = site.insert(&tx).await?;
        default_content::put(&tx, row.id, site.id).await?;
        let changed = Changed::of(target(&row), row);
        Ok(site.targets.into_iter().fold(changed, Changed::and))
    };
    organizations.kernel.write(caller, work).await
}
