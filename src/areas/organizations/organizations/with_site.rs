//! New organizations that start with a site.

use entity::{members::MemberRole, organizations::Model};
use openapi::{
    error::ApiError,
    models::{CreateOrganization, OnboardingInterest},
};

use super::{changes, default_content, store, target};
use crate::{
    access::{Caller, node_levels::Member},
    app::{
        App,
        address_names::retry_taken,
        audit::Changed,
        default_site::{DefaultSite, WantedSite},
    },
};

pub async fn create(
    app: &App,
    caller: &Caller,
    openapi_url: Option<String>,
    body: CreateOrganization,
) -> Result<Model, ApiError> {
    let created = retry_taken(async || insert(app, caller, openapi_url.clone(), body.clone()).await).await?;
    app.jobs.wake();
    Ok(created)
}

async fn insert(
    app: &App,
    caller: &Caller,
    openapi_url: Option<String>,
    body: CreateOrganization,
) -> Result<Model, ApiError> {
    let preferences = body.onboarding_preferences.clone();
    let (mut row, domains) = changes::new(app.ids.next(), app.clock.now(), body);
    row.ai = preferences
        .as_ref()
        .is_some_and(|preferences| preferences.interests.contains(&OnboardingInterest::ProactiveAgent));
    let owner = Member {
        organization: row.id,
        user: caller.user_id,
        role: Some(MemberRole::Admin),
    };
    let wanted = WantedSite {
        title: row.title.clone(),
        openapi_url,
        preferences,
    };
    let site = app.prepare_site(owner, wanted).await?;
    let work = move |tx| async move {
        store::insert(&tx, &row, domains, owner.user).await?;
        let site = App::insert_site(&tx, &site).await?;
        default_content::put(&tx, row.id, site.id).await?;
        let changed = Changed::of(target(&row), row);
        Ok(site.targets.into_iter().fold(changed, Changed::and))
    };
    app.write(caller, work).await
}
