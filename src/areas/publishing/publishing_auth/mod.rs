//! The authentication of the visitors of a site.

pub mod saml;

use entity::{
    ids::{OrganizationId, SiteId},
    publishing::sites::publishing_auth::{self, Model},
};
use openapi::{
    error::ApiError,
    models::{SitePublishingAuth, UpdateSitePublishingAuth, VisitorAuthBackend},
    operations::publishing_auth::PublishingAuthApi,
};
use platform::db::{QueryTemplate, ReadRows, Tx, positional, rows};
use sea_orm::DbErr;
use serde_json::{Value, json};

use crate::{
    areas::{
        joins::visitor_auth,
        publishing::{
            Publishing,
            guard::SiteAccess,
            sites,
            structure::site::{lock, target},
        },
    },
    kernel::{
        audit::Changed,
        wire::{ToStored, ToWire, wire_enums},
    },
};

wire_enums! {
    publishing_auth::VisitorAuthBackend = VisitorAuthBackend { Custom, Integration }
}

impl PublishingAuthApi for Publishing {
    async fn get_site_publishing_auth_by_id(&self, access: SiteAccess) -> Result<SitePublishingAuth, ApiError> {
        let row = load(self.kernel.db.read(), access.row.id).await?;
        view(self, access.member.organization, row).await
    }

    async fn update_site_publishing_auth_by_id(
        &self,
        access: SiteAccess,
        body: UpdateSitePublishingAuth,
    ) -> Result<SitePublishingAuth, ApiError> {
        let payload = serde_json::to_value(&body)?;
        let edit = move |row: Model| {
            let UpdateSitePublishingAuth {
                backend,
                fallback_url,
                logout_url,
                saml_provider,
            } = body;
            Model {
                backend: backend.to_stored(),
                fallback_url: fallback_url.into_change().unwrap_or(row.fallback_url),
                logout_url: logout_url.into_change().unwrap_or(row.logout_url),
                saml_provider_id: saml_provider.into_change().unwrap_or(row.saml_provider_id),
                ..row
            }
        };
        change(self, access, payload, edit).await
    }

    async fn regenerate_site_publishing_auth_by_id(&self, access: SiteAccess) -> Result<SitePublishingAuth, ApiError> {
        let edit = |row: Model| Model {
            key_number: row.key_number.saturating_add(1),
            ..row
        };
        change(self, access, json!({ "privateKey": "regenerated" }), edit).await
    }
}

async fn change(
    publishing: &Publishing,
    access: SiteAccess,
    payload: Value,
    edit: impl FnOnce(Model) -> Model + Clone + Send + 'static,
) -> Result<SitePublishingAuth, ApiError> {
    let (organization, site) = (access.member.organization, access.row.id);
    let work = move |tx: Tx| async move {
        let site = lock(&tx, organization, site).await?;
        let before = load(&tx, site.id).await?;
        let known = before.saml_provider_id;
        let row = edit(before);
        if row.saml_provider_id != known {
            saml::require_provider(&tx, organization, row.saml_provider_id).await?;
        }
        rows::put(&tx, &row).await?;
        let site = sites::store::update(&tx, site).await?;
        Changed::of(target(&site), row).with(payload)
    };
    let row = publishing.kernel.write(&access.caller, work).await?;
    view(publishing, organization, row).await
}

/// The stored settings, or those of a site that nobody has changed.
pub async fn load(db: &impl ReadRows, site: SiteId) -> Result<Model, DbErr> {
    static TEMPLATE: QueryTemplate<1> = QueryTemplate::new();
    let row = positional::by_id::<publishing_auth::Entity>(db, &TEMPLATE, *site.as_uuid()).await?;
    Ok(row.unwrap_or_else(|| first(site)))
}

fn first(site: SiteId) -> Model {
    Model {
        site_id: site,
        backend: publishing_auth::VisitorAuthBackend::Custom,
        key_number: 0,
        fallback_url: None,
        logout_url: None,
        saml_provider_id: None,
    }
}

async fn view(
    publishing: &Publishing,
    organization: OrganizationId,
    row: Model,
) -> Result<SitePublishingAuth, ApiError> {
    let found = match row.backend {
        publishing_auth::VisitorAuthBackend::Custom => None,
        publishing_auth::VisitorAuthBackend::Integration => {
            visitor_auth::find(publishing.kernel.db.read(), organization, row.site_id).await?
        }
    };
    Ok(SitePublishingAuth {
        object: Default::default(),
        backend: row.backend.to_wire(),
        private_key: publishing.visits.keys().signing_key(row.site_id, row.key_number),
        fallback_url: row.fallback_url,
        logout_url: row.logout_url,
        saml_provider: row.saml_provider_id.map(|provider| provider.to_string()),
        integration: found.map(|(name, _)| name),
    })
}
