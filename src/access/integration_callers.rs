//! Integrations and installations that call: what their tokens may do now.

use entity::{
    ids::{IntegrationId, IntegrationInstallationId, OrganizationId, SiteId, TokenId, UserId},
    integrations::{
        self,
        installations::{self, InstallationSelection},
    },
    organizations,
    publishing::sites,
};
use openapi::{
    call::{Operation, Scope},
    error::{ApiError, ErrorType},
};
use platform::db::{
    ReadRows, count,
    positional::{self, Columns, FromColumns},
};
use sea_orm::{DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait};
use serde_json::Value;
use uuid::Uuid;

use super::{
    identity::{CallingIntegration, Identity, Installed},
    integration_tokens::TokenSubject,
};

/// The user in whose name an integration writes: nobody can sign in as this user, who is a member of no organization. Made and renamed
/// with the integration.
pub fn author(integration: IntegrationId) -> UserId {
    UserId::from_uuid(*integration.as_uuid())
}

/// An integration that calls, with the scopes that it has now.
pub struct ScopedIntegration {
    pub integration: CallingIntegration,
    scopes: Vec<String>,
}

impl ScopedIntegration {
    /// What a token names, as it is now. `None`: the integration is not published any more, or the installation is deleted.
    ///
    /// A pending installation keeps its tokens, because an integration may have to write the configuration that the installation waits for.
    /// Scopes that were not approved are not among those of its tokens.
    pub async fn find(db: &impl ReadRows, subject: TokenSubject) -> Result<Option<Self>, DbErr> {
        match subject {
            TokenSubject::Integration(id) => Self::of_integration(db, id).await,
            TokenSubject::Installation(id) => Self::of_installation(db, id).await,
        }
    }

    async fn of_integration(db: &impl ReadRows, id: IntegrationId) -> Result<Option<Self>, DbErr> {
        let query = integrations::Entity::find_by_id(id)
            .select_only()
            .columns([integrations::Column::Name, integrations::Column::Scopes]);
        let rows: Vec<(String, Value)> = positional::tuples(db, query.as_query()).await?;
        Ok(rows.into_iter().next().map(|(name, scopes)| Self {
            integration: CallingIntegration {
                id,
                name,
                installation: None,
            },
            scopes: texts(&scopes),
        }))
    }

    async fn of_installation(db: &impl ReadRows, id: IntegrationInstallationId) -> Result<Option<Self>, DbErr> {
        use installations::Column;
        let query = installations::Entity::find_by_id(id)
            .select_only()
            .columns([Column::IntegrationId, Column::OrganizationId])
            .columns([Column::SpaceSelection, Column::SiteSelection, Column::ApprovedScopes])
            .columns([integrations::Column::Name, integrations::Column::Scopes])
            .inner_join(integrations::Entity)
            .build(db.get_database_backend());
        let row: Option<InstallationRow> = positional::row(db, query).await?;
        Ok(row.map(|row| {
            let approved = texts(&row.approved_scopes);
            let mut scopes = texts(&row.scopes);
            scopes.retain(|scope| approved.contains(scope));
            Self {
                integration: CallingIntegration {
                    id: row.integration,
                    name: row.name,
                    installation: Some(Installed {
                        id,
                        organization: row.organization,
                        on_all_spaces: row.spaces == InstallationSelection::All,
                        on_all_sites: row.sites == InstallationSelection::All,
                    }),
                },
                scopes,
            }
        }))
    }

    /// Refuses operations that the contract does not open to integrations, or for which the caller lacks the scope.
    pub fn require(&self, operation: &Operation) -> Result<(), ApiError> {
        match (operation.scope, self.integration.installation) {
            (None, _) => Err(ApiError::new(
                ErrorType::Unauthorized,
                "This operation does not take tokens of integrations and of their installations.",
            )),
            (Some(Scope::Any), _) => Ok(()),
            (Some(Scope::Named(scope)), Some(_)) if self.scopes.iter().any(|own| own == scope) => Ok(()),
            (Some(Scope::Named(scope)), Some(_)) => {
                Err(missing(format!("The installation does not have the scope {scope}.")))
            }
            (Some(Scope::Named(scope)), None) => Err(missing(format!(
                "This operation needs the token of an installation with the scope {scope}."
            ))),
        }
    }

    pub fn into_identity(self) -> Identity {
        Identity {
            user_id: author(self.integration.id),
            token_id: TokenId::from_uuid(Uuid::nil()),
            of_session: false,
            email: String::new(),
            email_verified: false,
            saml_provider: None,
            signed_in_to: None,
            integration: Some(self.integration),
        }
    }
}

fn missing(message: String) -> ApiError {
    ApiError::new(ErrorType::MissingScope, message)
}

impl CallingIntegration {
    pub fn subject(&self) -> TokenSubject {
        match &self.installation {
            Some(installation) => TokenSubject::Installation(installation.id),
            None => TokenSubject::Integration(self.id),
        }
    }
}

/// A site on which an installation is.
pub async fn find_site(
    db: &impl ReadRows,
    installation: &Installed,
    site: SiteId,
) -> Result<Option<sites::Model>, DbErr> {
    let query = sites::Entity::find_by_id(site).filter(installation.is_on_site());
    positional::model(db, query).await
}

/// The number of members of the organization on which an installation is. `None`: it is on another one.
pub async fn count_members(
    db: &impl ReadRows,
    installation: &Installed,
    organization: OrganizationId,
) -> Result<Option<u64>, DbErr> {
    if installation.organization != organization {
        return Ok(None);
    }
    let query = organizations::Entity::find_by_id(organization)
        .select_only()
        .column(organizations::Column::MembersCount);
    let rows: Vec<(i32,)> = positional::tuples(db, query.as_query()).await?;
    Ok(rows.into_iter().next().map(|(members,)| count(members)))
}

/// The texts of a stored list.
fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

struct InstallationRow {
    integration: IntegrationId,
    organization: OrganizationId,
    spaces: InstallationSelection,
    sites: InstallationSelection,
    approved_scopes: Value,
    name: String,
    scopes: Value,
}

impl FromColumns for InstallationRow {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            integration: columns.read()?,
            organization: columns.read()?,
            spaces: columns.read()?,
            sites: columns.read()?,
            approved_scopes: columns.read()?,
            name: columns.read()?,
            scopes: columns.read()?,
        })
    }
}
