//! SAML identity providers of an organization. How people sign in by them is not part of the contract: see `sign_in`.

pub mod encryption;
mod fields;
mod metadata;
pub mod store;
mod view;

use entity::{
    ids::{OrganizationId, SamlProviderId, TeamId},
    organizations::saml_providers::Model,
};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorType},
    models::{
        CreateOrganizationSamlProvider, OrganizationSamlProvider, OrganizationSamlProviderList,
        OrganizationSamlProviderMetadata, OrganizationSsoProviderLogins, UpdateOrganizationSamlProvider,
    },
    operations::saml_providers::{ListSamlProvidersInOrganizationByIdQuery, SamlProvidersApi},
};
use platform::{db::rows, outbound::OnBehalf};
use sea_orm::{ActiveModelTrait, IntoActiveModel};
use serde_json::json;

use crate::{
    access::OrganizationAccess,
    areas::organizations::{Organizations, organizations},
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed},
        lists::List,
        wire::ToStored,
    },
};
use encryption::KeyChange;
use view::DefaultTeams;

/// Providers of an organization: the ways to sign in are a list without pages.
const MAX_PROVIDERS: u64 = 200;

impl SamlProvidersApi for Organizations {
    async fn list_saml_providers_in_organization_by_id(
        &self,
        access: OrganizationAccess,
        query: ListSamlProvidersInOrganizationByIdQuery,
    ) -> Result<OrganizationSamlProviderList, ApiError> {
        let organization = access.organization;
        let list = List::new(&self.kernel, ("saml-providers", organization), query.page, query.limit);
        let db = self.kernel.db.read();
        let page = store::page(db, organization, list.after()?, list.limit).await?;
        let count = list.count(store::of(organization), &page).await?;
        let teams = DefaultTeams::of(&self.kernel, &access.member(), &page.items).await?;
        let view = |row: Model| view::provider(&self.kernel.urls, row, &teams);
        Ok(list.answer(page, count, view)?.into())
    }

    async fn create_organization_saml_provider(
        &self,
        access: OrganizationAccess,
        body: CreateOrganizationSamlProvider,
    ) -> Result<Created<OrganizationSamlProvider>, ApiError> {
        let CreateOrganizationSamlProvider {
            label,
            entity_id,
            certificate,
            sso_url,
            default_team,
            default_role,
            encryption,
        } = body;
        let now = self.kernel.clock.now();
        let row = Model {
            id: self.kernel.ids.next(),
            organization_id: access.organization,
            label,
            entity_id: entity_id.unwrap_or_default(),
            certificate: fields::certificate(certificate.as_deref().unwrap_or_default(), now)?,
            sso_url: sso_url.unwrap_or_default(),
            default_team_id: default_team,
            default_role: default_role.into_change().flatten().map(ToStored::to_stored),
            created_at: now,
            encryption_key: None,
            encryption_certificate: None,
        };
        let row = KeyChange::of(self, &row, Some(encryption)).await?.apply(row);
        let work = move |tx| async move {
            store::lock(&tx, row.organization_id).await?;
            if store::count(&tx, row.organization_id).await? >= MAX_PROVIDERS {
                return Err(ApiError::new(
                    ErrorType::TooManySamlProviders,
                    format!("An organization has at most {MAX_PROVIDERS} SAML identity providers."),
                ));
            }
            require_team(&tx, row.organization_id, row.default_team_id).await?;
            rows::insert(&tx, &row).await?;
            let details = details(&row, 0);
            Changed::of(target(&row), row).with(details)
        };
        let row = self.kernel.write(&access.caller, work).await?;
        Ok(Created {
            location: self.kernel.urls.saml_provider(row.organization_id, row.id),
            body: answer(&self.kernel, &access, row).await?,
        })
    }

    async fn get_organization_saml_provider_by_id(
        &self,
        access: OrganizationAccess,
        saml_provider_id: SamlProviderId,
    ) -> Result<OrganizationSamlProvider, ApiError> {
        let row = rows::find(self.kernel.db.read(), store::of(access.organization), saml_provider_id).await?;
        answer(&self.kernel, &access, row.ok_or_else(unknown)?).await
    }

    async fn update_organization_saml_provider(
        &self,
        access: OrganizationAccess,
        saml_provider_id: SamlProviderId,
        body: UpdateOrganizationSamlProvider,
    ) -> Result<OrganizationSamlProvider, ApiError> {
        let UpdateOrganizationSamlProvider {
            label,
            entity_id,
            certificate,
            sso_url,
            default_team,
            default_role,
            encryption,
        } = body;
        let known = rows::find(self.kernel.db.read(), store::of(access.organization), saml_provider_id).await?;
        let key = KeyChange::of(self, &known.ok_or_else(unknown)?, encryption).await?;
        let certificate = certificate
            .map(|text| fields::certificate(&text, self.kernel.clock.now()))
            .transpose()?;
        let team = default_team.into_change();
        let role = default_role.into_change().map(|role| role.map(ToStored::to_stored));
        let change = move |row: Model| {
            let row = key.clone().apply(row);
            Model {
                label: label.clone().unwrap_or(row.label),
                entity_id: entity_id.clone().unwrap_or(row.entity_id),
                certificate: certificate.clone().unwrap_or(row.certificate),
                sso_url: sso_url.clone().unwrap_or(row.sso_url),
                default_team_id: team.unwrap_or(row.default_team_id),
                default_role: role.unwrap_or(row.default_role),
                ..row
            }
        };
        update(&self.kernel, &access, saml_provider_id, (team.flatten(), 0), change).await
    }

    async fn delete_organization_saml_provider(
        &self,
        access: OrganizationAccess,
        saml_provider_id: SamlProviderId,
    ) -> Result<(), ApiError> {
        let organization = access.organization;
        let work = move |tx| async move {
            let removed = rows::remove(&tx, store::of(organization), saml_provider_id).await?;
            if removed.as_ref().is_some_and(Model::is_active) {
                require_way_in(&tx, organization).await?;
            }
            Ok(Changed::if_some(removed.as_ref().map(target)))
        };
        self.kernel.write(&access.caller, work).await?;
        self.access.forget_tokens();
        Ok(())
    }

    async fn set_organization_saml_provider_metadata(
        &self,
        access: OrganizationAccess,
        saml_provider_id: SamlProviderId,
        body: OrganizationSamlProviderMetadata,
    ) -> Result<OrganizationSamlProvider, ApiError> {
        let organization = access.organization;
        // Nothing is fetched for a provider that is none.
        let known = rows::find(self.kernel.db.read(), store::of(organization), saml_provider_id).await?;
        known.ok_or_else(unknown)?;
        let on_behalf = OnBehalf {
            tenant: *organization.as_uuid(),
            user: Some(*access.caller.user_id.as_uuid()),
        };
        let known = metadata::read(self, on_behalf, body).await?;
        let ignored = known.ignored_certificates;
        let change = move |row: Model| Model {
            entity_id: known.entity_id.clone(),
            certificate: known.certificate.clone(),
            sso_url: known.sso_url.clone(),
            ..row
        };
        update(&self.kernel, &access, saml_provider_id, (None, ignored), change).await
    }

    async fn list_sso_provider_logins_in_organization(
        &self,
        access: OrganizationAccess,
    ) -> Result<OrganizationSsoProviderLogins, ApiError> {
        let rows = store::all(self.kernel.db.read(), access.organization, MAX_PROVIDERS).await?;
        let active = rows.into_iter().filter(Model::is_active);
        Ok(OrganizationSsoProviderLogins {
            items: active.map(|row| view::login(&self.kernel.urls, row)).collect(),
        })
    }
}

/// Changes a provider. `team` is the new default team, if there is one; `ignored` counts the certificates that were left out.
async fn update(
    kernel: &Kernel,
    access: &OrganizationAccess,
    provider: SamlProviderId,
    (team, ignored): (Option<TeamId>, usize),
    change: impl Fn(Model) -> Model + Clone + Send + Sync + 'static,
) -> Result<OrganizationSamlProvider, ApiError> {
    let organization = access.organization;
    let work = move |tx| async move {
        require_team(&tx, organization, team).await?;
        let before = rows::find(&tx, store::of(organization), provider).await?;
        let before = before.ok_or_else(unknown)?;
        let (was_active, trusted) = (before.is_active(), before.certificate.clone());
        let row = change(before).into_active_model().reset_all().update(&tx).await?;
        if row.certificate != trusted {
            store::forget_answers(&tx, row.id).await?;
        }
        if was_active && !row.is_active() {
            require_way_in(&tx, organization).await?;
        }
        let details = details(&row, ignored);
        Changed::of(target(&row), row).with(details)
    };
    let row = kernel.write(&access.caller, work).await?;
    answer(kernel, access, row).await
}

async fn answer(
    kernel: &Kernel,
    access: &OrganizationAccess,
    row: Model,
) -> Result<OrganizationSamlProvider, ApiError> {
    let teams = DefaultTeams::of(kernel, &access.member(), std::slice::from_ref(&row)).await?;
    Ok(view::provider(&kernel.urls, row, &teams))
}

/// Refuses to leave an organization that requires single sign-on without a provider.
async fn require_way_in(db: &impl sea_orm::ConnectionTrait, organization: OrganizationId) -> Result<(), ApiError> {
    let row = organizations::store::lock(db, organization).await?;
    if row.is_some_and(|row| row.sso) && !organizations::store::has_way_in(db, organization).await? {
        return Err(ApiError::new(
            ErrorType::SamlProviderNeeded,
            "The organization requires single sign-on, and this is its only active provider.",
        ));
    }
    Ok(())
}

async fn require_team(
    db: &impl sea_orm::ConnectionTrait,
    organization: OrganizationId,
    team: Option<TeamId>,
) -> Result<(), ApiError> {
    match team {
        Some(team) if !store::has_team(db, organization, team).await? => Err(fields::unknown_team()),
        _ => Ok(()),
    }
}

/// What the audit log says of a provider: all that decides who gets in.
fn details(row: &Model, ignored_certificates: usize) -> serde_json::Value {
    json!({
        "entityID": row.entity_id,
        "ssoURL": row.sso_url,
        "certificate": row.certificate,
        "ignoredCertificates": (ignored_certificates > 0).then_some(ignored_certificates),
        "defaultTeam": row.default_team_id,
        "defaultRole": row.default_role.map(crate::kernel::wire::ToWire::to_wire),
        "encryption": row.encryption_key.is_some(),
    })
}

pub fn target(row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "saml-provider", row.id).labelled(&row.label)
}

fn unknown() -> ApiError {
    ApiError::not_found("SAML provider")
}
