//! Providers on the wire.

use std::collections::HashMap;

use entity::{
    ids::TeamId,
    organizations::{saml_providers::Model, teams},
};
use openapi::{
    error::ApiError,
    models::{
        OrganizationSamlProvider, OrganizationSamlProviderService, OrganizationSamlProviderUrls,
        OrganizationSsoProviderLogin, SamlProviderStatus,
    },
    values::Nullable,
};

use super::store;
use crate::{
    access::node_levels::Member,
    areas::organizations::teams::{TeamDetailsById, view::team},
    kernel::{
        Kernel,
        urls::Urls,
        wire::{ToWire, time},
    },
};

/// The default teams of the providers of a page.
pub struct DefaultTeams {
    rows: HashMap<TeamId, teams::Model>,
    details: Option<TeamDetailsById>,
}

impl DefaultTeams {
    /// No query if no provider has a team.
    pub async fn of(kernel: &Kernel, caller: &Member, providers: &[Model]) -> Result<Self, ApiError> {
        let ids: Vec<TeamId> = providers.iter().filter_map(|row| row.default_team_id).collect();
        let rows = store::default_teams(kernel.db.read(), caller.organization, ids).await?;
        let ids: Vec<TeamId> = rows.iter().map(|row| row.id).collect();
        let details = if ids.is_empty() {
            None
        } else {
            Some(TeamDetailsById::of(kernel, caller, ids).await?)
        };
        Ok(Self {
            rows: rows.into_iter().map(|row| (row.id, row)).collect(),
            details,
        })
    }

    fn get(&self, id: Option<TeamId>) -> Option<openapi::models::Team> {
        let (row, details) = (self.rows.get(&id?)?, self.details.as_ref()?);
        Some(team(row, details.team(row.id)))
    }
}

pub fn provider(urls: &Urls, row: Model, teams: &DefaultTeams) -> OrganizationSamlProvider {
    OrganizationSamlProvider {
        object: Default::default(),
        id: row.id.to_string(),
        status: if row.is_active() {
            SamlProviderStatus::Active
        } else {
            SamlProviderStatus::Pending
        },
        default_team: teams.get(row.default_team_id),
        default_role: Nullable(row.default_role.map(ToWire::to_wire)),
        created_at: time(row.created_at),
        service: OrganizationSamlProviderService {
            acs_url: urls.saml_page(row.id, "acs"),
            start_url: urls.saml_page(row.id, "start"),
            entity_id: urls.saml_page(row.id, "metadata"),
            encryption_certificate: row.encryption_certificate.as_deref().map(pem),
        },
        encryption: row.encryption_key.is_some(),
        urls: OrganizationSamlProviderUrls {
            location: urls.saml_provider(row.organization_id, row.id),
        },
        label: row.label,
        sso_url: row.sso_url,
        entity_id: row.entity_id,
        certificate: row.certificate,
    }
}

/// The certificate of the service in PEM.
fn pem(base64: &str) -> String {
    match saml::parse_certificates(base64) {
        Ok(certificates) => saml::to_pem(&certificates),
        Err(_) => String::new(),
    }
}

pub fn login(urls: &Urls, row: Model) -> OrganizationSsoProviderLogin {
    OrganizationSsoProviderLogin {
        id: row.id.to_string(),
        start_url: urls.saml_page(row.id, "start"),
        label: row.label,
    }
}
