//! The environment of a script: what it is told beside an event.

use std::collections::BTreeMap;

use openapi::{
    error::ApiError,
    models::{
        InstalledSite, InstalledSpace, Integration, IntegrationInstallation, IntegrationSiteInstallation,
        IntegrationSpaceInstallation,
    },
};
use serde::Serialize;

use super::store::Target;

use crate::{
    access::integration_tokens::TokenSubject,
    areas::{
        integrations::{
            Integrations,
            integration_installations::view as views,
            integrations::{secrets, signing, view},
        },
        organizations::organizations,
        publishing::publishing_auth,
    },
};

/// The scope with which an integration signs the tokens of visitors.
const VISITOR_AUTH: &str = "site:visitor:auth";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Environment {
    integration: Integration,
    #[serde(skip_serializing_if = "Option::is_none")]
    installation: Option<IntegrationInstallation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    space_installation: Option<IntegrationSpaceInstallation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site_installation: Option<IntegrationSiteInstallation>,
    secrets: BTreeMap<String, String>,
    signing_secrets: SigningSecrets,
    api_endpoint: String,
    api_tokens: ApiTokens,
    network: Network,
    /// Former names of members above.
    auth_token: String,
    signing_secret: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SigningSecrets {
    integration: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    installation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    space_installation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site_installation: Option<String>,
}

#[derive(Serialize)]
struct ApiTokens {
    integration: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    installation: Option<String>,
}

#[derive(Serialize)]
struct Network {
    /// Whether requests of the script go through a proxy of its own.
    proxy: bool,
}

impl Environment {
    pub async fn load(integrations: &Integrations, target: &Target) -> Result<Self, ApiError> {
        let kernel = &integrations.kernel;
        let signing_secrets = signing_secrets(integrations, target).await?;
        let api_tokens = api_tokens(integrations, target);
        let name = &target.integration.name;
        let content = target.content.as_ref();
        let on_space = content.and_then(|row| Some((row, row.space_id?.to_string())));
        let on_site = content.and_then(|row| Some((row, row.site_id?.to_string())));
        let space = on_space.map(|(row, id)| views::space_installation(kernel, name, row, InstalledSpace::String(id)));
        let site = on_site.map(|(row, id)| views::site_installation(kernel, name, row, InstalledSite::String(id)));
        let installation = match &target.installation {
            Some(row) => Some(views::installation(kernel, name, row).await?),
            None => None,
        };
        Ok(Self {
            integration: integration(integrations, target).await?,
            installation,
            space_installation: space.transpose()?,
            site_installation: site.transpose()?,
            secrets: secrets::open(kernel, &target.integration)?,
            auth_token: api_tokens
                .installation
                .clone()
                .unwrap_or_else(|| api_tokens.integration.clone()),
            signing_secret: signing_secrets
                .installation
                .clone()
                .unwrap_or_else(|| signing_secrets.integration.clone()),
            signing_secrets,
            api_endpoint: kernel.urls.base().to_owned(),
            api_tokens,
            network: Network { proxy: false },
        })
    }
}

/// The integration, with its owner as strangers see it.
async fn integration(integrations: &Integrations, target: &Target) -> Result<Integration, ApiError> {
    let kernel = &integrations.kernel;
    let owner = organizations::shown_to_strangers(kernel, target.integration.organization_id).await?;
    let owner = owner.ok_or_else(|| ApiError::not_found("organization"))?;
    view::view(kernel, target.integration.clone(), owner)
}

async fn signing_secrets(integrations: &Integrations, target: &Target) -> Result<SigningSecrets, ApiError> {
    let kernel = &integrations.kernel;
    let of_content = |id| signing::content_installation_key(kernel, id);
    let content = target.content.as_ref();
    let space = content.filter(|content| content.space_id.is_some());
    let site = match content.and_then(|content| Some((content.id, content.site_id?))) {
        None => None,
        // The key that the site accepts.
        Some((_, site)) if signs_visitors(target) => {
            let auth = publishing_auth::load(kernel.db.read(), site).await?;
            Some(integrations.visits.keys().signing_key(site, auth.key_number))
        }
        Some((id, _)) => Some(of_content(id)),
    };
    let installation = target.installation.as_ref();
    Ok(SigningSecrets {
        integration: signing::integration_key(kernel, target.integration.id),
        installation: installation.map(|row| signing::installation_key(kernel, row.id)),
        space_installation: space.map(|content| of_content(content.id)),
        site_installation: site,
    })
}

/// Returns whether the organization has approved that the integration signs the tokens of visitors.
fn signs_visitors(target: &Target) -> bool {
    let lists = |scopes: &serde_json::Value| {
        let scopes = scopes.as_array();
        scopes.is_some_and(|scopes| scopes.iter().any(|scope| scope == VISITOR_AUTH))
    };
    let approved = target.installation.as_ref().map(|row| &row.approved_scopes);
    lists(&target.integration.scopes) && approved.is_some_and(lists)
}

fn api_tokens(integrations: &Integrations, target: &Target) -> ApiTokens {
    let now = integrations.kernel.clock.now();
    let sign = |subject| integrations.access.integration_tokens.sign(subject, now);
    let installation = target.installation.as_ref();
    ApiTokens {
        integration: sign(TokenSubject::Integration(target.integration.id)),
        installation: installation.map(|row| sign(TokenSubject::Installation(row.id))),
    }
}
