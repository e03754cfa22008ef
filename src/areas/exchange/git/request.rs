//! What an operation was asked for.

use entity::{exchange::git_syncs::GitProvider, ids::GitOperationId, timestamp::Timestamp};
use git::{Credentials, RefName, RemoteAddress};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{ExportToGitRepository, ImportGitRepository, UpdateSpaceGitInfoProvider},
};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::{areas::exchange::Exchange, kernel::wire::wire_enums};

/// What proves to the host of a repository who connects.
#[derive(Clone, Serialize, Deserialize)]
pub enum Secret {
    Password { user: String, password: String },
    SshKey(String),
}

impl From<Secret> for Credentials {
    fn from(secret: Secret) -> Self {
        match secret {
            Secret::Password { user, password } => Self::Password {
                user,
                password: password.into(),
            },
            Secret::SshKey(key) => Self::SshKey(key.into()),
        }
    }
}

impl From<Credentials> for Secret {
    fn from(credentials: Credentials) -> Self {
        match credentials {
            Credentials::Password { user, password } => Self::Password {
                user,
                password: password.expose_secret().to_owned(),
            },
            Credentials::SshKey(key) => Self::SshKey(key.expose_secret().to_owned()),
        }
    }
}

/// Stored sealed, because the address may have credentials.
#[derive(Clone, Serialize, Deserialize)]
pub struct Request {
    /// Perhaps with credentials.
    pub url: String,
    /// The credentials of an installation.
    pub secret: Option<Secret>,
    pub reference: String,
    pub directory: String,
    /// The message of an export.
    pub message: Option<String>,
    /// The template for it, if there is none.
    pub template: Option<String>,
    pub tree_url: Option<String>,
    pub commit_url: Option<String>,
    pub provider: Option<UpdateSpaceGitInfoProvider>,
    pub timestamp: Option<Timestamp>,
    pub force: bool,
    pub standalone: bool,
    /// The import sets the status of the commit at the host of the repository.
    pub reports_status: bool,
}

wire_enums! {
    UpdateSpaceGitInfoProvider => GitProvider { Github, Gitlab }
}

impl Request {
    pub fn import(body: ImportGitRepository) -> Self {
        let (provider, info_url) = body.git_info.map(|info| (info.provider, info.url)).unwrap_or_default();
        Self {
            url: body.url,
            secret: None,
            template: None,
            reference: body.r#ref,
            directory: directory(body.repo_project_directory),
            message: None,
            tree_url: body.repo_tree_url.or(info_url),
            commit_url: body.repo_commit_url,
            provider,
            timestamp: body.timestamp.map(|time| Timestamp::from(time.0)),
            force: body.force.unwrap_or_default(),
            standalone: body.standalone.unwrap_or_default(),
            reports_status: false,
        }
    }

    pub fn export(body: ExportToGitRepository) -> Self {
        let (provider, info_url) = body.git_info.map(|info| (info.provider, info.url)).unwrap_or_default();
        Self {
            url: body.url,
            secret: None,
            template: None,
            reference: body.r#ref,
            directory: directory(body.repo_project_directory),
            message: Some(body.commit_message),
            tree_url: body.repo_tree_url.or(info_url),
            commit_url: body.repo_commit_url,
            provider,
            timestamp: body.timestamp.map(|time| Timestamp::from(time.0)),
            force: body.force.unwrap_or_default(),
            standalone: false,
            reports_status: false,
        }
    }

    /// A branch that is read once.
    pub fn once(url: String, reference: String, path: Option<String>) -> Self {
        Self {
            url,
            secret: None,
            template: None,
            reference,
            directory: directory(path),
            message: None,
            tree_url: None,
            commit_url: None,
            provider: None,
            timestamp: None,
            force: false,
            standalone: false,
            reports_status: false,
        }
    }

    /// With the token of somebody who may read the repository, or write to it.
    #[must_use]
    pub fn with_token(self, token: String) -> Self {
        let secret = Some(Credentials::token(token.into()).into());
        Self { secret, ..self }
    }

    pub fn url(&self) -> SecretString {
        self.url.clone().into()
    }

    /// Refuses what no operation could use.
    pub fn check(&self, exchange: &Exchange) -> Result<(), ApiError> {
        self.check_address(exchange, "/body/url")?;
        match (RefName::parse(&self.reference), &self.message) {
            (Ok(reference), Some(_)) if reference.as_branch().is_none() => {
                let message = "An export needs a branch: `refs/heads/…`.";
                Err(ApiError::invalid_member("/body/ref", ErrorRule::GitRepository, message))
            }
            (Ok(_), _) => Ok(()),
            (Err(error), _) => Err(ApiError::invalid_member(
                "/body/ref",
                ErrorRule::GitRepository,
                error.to_string(),
            )),
        }
    }

    /// Refuses an address that cannot be used, and returns one without credentials.
    pub fn check_address(&self, exchange: &Exchange, pointer: &'static str) -> Result<RemoteAddress, ApiError> {
        let address = RemoteAddress::parse(self.url().expose_secret(), exchange.git.protocols());
        let refused = |error| {
            let message = format!("The address of the repository {error}.");
            ApiError::invalid_member(pointer, ErrorRule::GitRepository, message)
        };
        Ok(address.map_err(refused)?.0)
    }

    pub fn seal(&self, exchange: &Exchange, id: GitOperationId) -> Result<Vec<u8>, ApiError> {
        let sealed = exchange.kernel.secrets.seal(&purpose(id), &serde_json::to_vec(self)?);
        sealed.map_err(ApiError::internal)
    }

    pub fn open(exchange: &Exchange, id: GitOperationId, sealed: &[u8]) -> Result<Self, ApiError> {
        let opened = exchange.kernel.secrets.open(&purpose(id), sealed);
        Ok(serde_json::from_slice(&opened.map_err(ApiError::internal)?)?)
    }
}

fn purpose(id: GitOperationId) -> String {
    format!("request of the Git operation {id}")
}

/// A path without empty components.
pub fn directory(path: Option<String>) -> String {
    let path = path.unwrap_or_default();
    let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    names.join("/")
}
