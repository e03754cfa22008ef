//! The customization of sites: how readers see them.

mod check;
mod in_force;
mod store;

use entity::{
    ids::SiteSpaceId,
    publishing::sites::{Model as Site, customizations},
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{CustomizationFavicon, ErrorDetail, SiteCustomizationSettings, SiteSpaceCustomizationOverride},
    operations::site_customization::{
        GetSiteCustomizationByIdQuery, GetSiteSpaceCustomizationByIdQuery, SiteCustomizationApi,
    },
    values::Inner,
};
use platform::db::{Tx, rows};
use serde_json::{Value, json};

pub use self::in_force::{InForceCache, load as in_force};

use crate::{
    areas::publishing::{
        Publishing,
        guard::SiteAccess,
        page_actions, site_settings, sites,
        structure::site::{lock, target},
    },
    kernel::{audit::Changed, wire},
};

impl SiteCustomizationApi for Publishing {
    async fn get_site_customization_by_id(
        &self,
        access: SiteAccess,
        query: GetSiteCustomizationByIdQuery,
    ) -> Result<SiteCustomizationSettings, ApiError> {
        let stored = store::load_site(self.kernel.db.read(), access.row.id).await?;
        let title = (!query.unmasked).then_some(access.row.title.as_str());
        site_settings::view(site_settings::compose(&stored), title)
    }

    async fn update_site_customization_by_id(
        &self,
        access: SiteAccess,
        body: SiteCustomizationSettings,
    ) -> Result<SiteCustomizationSettings, ApiError> {
        check::settings(&body)?;
        check::languages(&body)?;
        let favicon = match &body.favicon {
            CustomizationFavicon::CustomizationFaviconDefault(_) => None,
            favicon => Some(serde_json::to_value(favicon)?),
        };
        let mut new = serde_json::to_value(&body)?;
        let (organization, site) = (access.member.organization, access.row.id);
        let now = wire::time(self.kernel.clock.now());
        let work = move |tx: Tx| async move {
            let site = lock(&tx, organization, site).await?;
            let old = store::load_site(&tx, site.id).await?;
            page_actions::set_switches(&mut new, site_settings::compose(&old));
            site_settings::set_updated_at(&mut new, old.as_ref().and_then(site_settings::updated_at));
            check::size(&new)?;
            let view = |settings: &Value| site_settings::view(site_settings::compose([settings]), Some(&site.title));
            if old.as_ref() == Some(&new) {
                return Ok(Changed::nothing(view(&new)?));
            }
            let payload = json!({ "customization": { "changed": changed_members(old.as_ref(), &new) } });
            site_settings::set_updated_at(&mut new, Some(now));
            let view = view(&new)?;
            let row = customizations::Model {
                site_id: site.id,
                settings: new,
            };
            rows::put(&tx, &row).await?;
            let site = sites::store::update(&tx, Site { favicon, ..site }).await?;
            Changed::of(target(&site), view).with(payload)
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn get_site_space_customization_by_id(
        &self,
        access: SiteAccess,
        site_space_id: SiteSpaceId,
        query: GetSiteSpaceCustomizationByIdQuery,
    ) -> Result<SiteCustomizationSettings, ApiError> {
        let (db, site) = (self.kernel.db.read(), &access.row);
        let stored = store::load_site_space(db, site.id, site_space_id).await?;
        let overrides = stored.ok_or_else(unknown)?;
        let of_site = store::load_site(db, site.id).await?;
        let title = (!query.unmasked).then_some(site.title.as_str());
        site_settings::view(site_settings::compose(of_site.iter().chain(&overrides)), title)
    }

    async fn override_site_space_customization_by_id(
        &self,
        access: SiteAccess,
        site_space_id: SiteSpaceId,
        body: SiteSpaceCustomizationOverride,
    ) -> Result<SiteCustomizationSettings, ApiError> {
        check::overrides(&body)?;
        check::languages(&body)?;
        let changes_announcement = body.announcement.inner().is_some();
        let change = serde_json::to_value(&body)?;
        let (organization, site) = (access.member.organization, access.row.id);
        let now = wire::time(self.kernel.clock.now());
        let work = move |tx: Tx| async move {
            let site = lock(&tx, organization, site).await?;
            let stored = store::load_site_space(&tx, site.id, site_space_id).await?;
            let old = stored.ok_or_else(unknown)?.unwrap_or_else(|| json!({}));
            let mut new = old.clone();
            site_settings::change(&mut new, &change);
            check::size(&new)?;
            let of_site = store::load_site(&tx, site.id).await?;
            let is_changed = old != new;
            let payload = json!({ "siteSpace": site_space_id, "customization": { "changed": changed_members(Some(&old), &new) } });
            if is_changed {
                site_settings::set_updated_at(&mut new, Some(now));
            }
            let composed = site_settings::compose(of_site.iter().chain([&new]));
            if changes_announcement {
                require_whole_announcement(&composed)?;
            }
            let view = site_settings::view(composed, Some(&site.title))?;
            if !is_changed {
                return Ok(Changed::nothing(view));
            }
            store::save_overrides(&tx, site_space_id, new).await?;
            let site = sites::store::update(&tx, site).await?;
            Changed::of(target(&site), view).with(payload)
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn delete_site_space_customization_by_id(
        &self,
        access: SiteAccess,
        site_space_id: SiteSpaceId,
    ) -> Result<(), ApiError> {
        let (organization, site) = (access.member.organization, access.row.id);
        let work = move |tx: Tx| async move {
            let site = lock(&tx, organization, site).await?;
            let stored = store::load_site_space(&tx, site.id, site_space_id).await?;
            if stored.flatten().is_none() {
                return Ok(Changed::nothing(()));
            }
            store::save_overrides(&tx, site_space_id, json!({})).await?;
            let site = sites::store::update(&tx, site).await?;
            Changed::of(target(&site), ()).with(json!({ "siteSpace": site_space_id }))
        };
        self.kernel.write(&access.caller, work).await
    }
}

/// The members at the top level that differ.
fn changed_members(old: Option<&Value>, new: &Value) -> Vec<String> {
    let names = |settings: &Value| {
        settings
            .as_object()
            .into_iter()
            .flat_map(|members| members.keys().cloned())
            .collect()
    };
    let mut members: Vec<String> = names(new);
    members.extend(old.map(names).unwrap_or_default());
    members.sort();
    members.dedup();
    members.retain(|name| old.and_then(|old| old.get(name)) != new.get(name));
    members
}

/// The members of an announcement that neither the site nor the site space has.
fn require_whole_announcement(settings: &Value) -> Result<(), ApiError> {
    let missing = site_settings::missing_in_announcement(settings).into_iter();
    let details = missing.map(|name| ErrorDetail {
        pointer: format!("/body/announcement/{name}"),
        code: ErrorRule::Required,
        message: "The site has no announcement with this member.".to_owned(),
    });
    ApiError::refuse(details.collect())
}

fn unknown() -> ApiError {
    ApiError::not_found("site space")
}
