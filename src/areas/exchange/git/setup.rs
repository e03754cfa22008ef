//! The settings of an installation, which are stored sealed.

use entity::{
    exchange::{
        git_operations::GitDirection,
        git_syncs::{self, GitProvider},
    },
    ids::NodeId,
};
use git::{Credentials, Protocol, Protocols, RefName, RemoteAddress};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{GitPriority, UpdateGitSyncInstallation},
};
use platform::secrets::Secrets;
use serde::{Deserialize, Serialize};

use super::request::{self, Request, Secret};

/// The branch, if none is named.
const BRANCH: &str = "refs/heads/main";

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Setup {
    /// The address of the repository, without credentials. `None`: nothing is set up yet.
    pub url: Option<String>,
    secret: Option<Secret>,
    pub branch: Option<String>,
    pub directory: String,
    pub template: Option<String>,
    pub previews: Option<bool>,
    pub priority: Option<GitPriority>,
}

impl Setup {
    pub fn of(secrets: &Secrets, row: &git_syncs::Model) -> Result<Self, ApiError> {
        let Some(sealed) = &row.setup else {
            return Ok(Self::default());
        };
        let opened = secrets
            .open(&purpose(row.space_id), sealed)
            .map_err(ApiError::internal)?;
        Ok(serde_json::from_slice(&opened)?)
    }

    pub fn seal(&self, secrets: &Secrets, space: NodeId) -> Result<Vec<u8>, ApiError> {
        let sealed = secrets.seal(&purpose(space), &serde_json::to_vec(self)?);
        sealed.map_err(ApiError::internal)
    }

    /// Returns the settings with those of a request.
    pub fn changed(mut self, body: UpdateGitSyncInstallation, protocols: Protocols) -> Result<Self, ApiError> {
        let (mut branch, mut token, mut key, mut url) = (None, None, None, None);
        if let Some(configuration) = body.provider_configuration {
            (branch, token) = (configuration.branch, configuration.access_token);
        }
        if let Some(repository) = body.repository {
            branch = repository.branch.or(branch);
            token = repository.token.or(token);
            (key, url) = (repository.ssh_key, repository.url);
        }
        if let Some(url) = url {
            let parsed = RemoteAddress::parse(&url, protocols);
            let (address, credentials) =
                parsed.map_err(|error| refused("url", format!("The address of the repository {error}.")))?;
            let address = address.as_str().to_owned();
            // Credentials are for the host that they were given for.
            if self.url.as_ref() != Some(&address) {
                self.secret = None;
            }
            self.secret = credentials.map(Into::into).or(self.secret);
            self.url = Some(address);
        }
        if let Some(branch) = branch {
            RefName::parse(&branch).map_err(|error| refused("branch", error.to_string()))?;
            self.branch = Some(branch);
        }
        if let Some(token) = token {
            self.require("token", protocols, |protocol| protocol != Protocol::Ssh)?;
            self.secret = Some(Credentials::token(token.into()).into());
        }
        if let Some(key) = key {
            self.require("sshKey", protocols, |protocol| protocol == Protocol::Ssh)?;
            self.secret = Some(Secret::SshKey(key));
        }
        if let Some(directory) = body.project_directory {
            self.directory = request::directory(Some(directory));
        }
        self.template = body.commit_message_template.or(self.template);
        self.previews = body.preview_external_branches.or(self.previews);
        self.priority = body.priority.or(self.priority);
        Ok(self)
    }

    /// Refuses credentials that the protocol of the address does not take.
    fn require(&self, member: &str, protocols: Protocols, fits: impl FnOnce(Protocol) -> bool) -> Result<(), ApiError> {
        let address = self
            .url
            .as_deref()
            .and_then(|url| RemoteAddress::parse(url, protocols).ok());
        match address {
            Some((address, _)) if fits(address.protocol()) => Ok(()),
            _ => Err(refused(member, git::GitError::CredentialsKind.to_string())),
        }
    }

    pub fn branch(&self) -> &str {
        self.branch.as_deref().unwrap_or(BRANCH)
    }

    /// Whether an operation of this direction may replace the other side.
    pub fn wins(&self, direction: GitDirection) -> bool {
        let winner = match direction {
            GitDirection::Import => GitPriority::Git,
            GitDirection::Export => GitPriority::Gitbook,
        };
        self.priority == Some(winner)
    }

    /// The addresses of the files and the commits at a known host, for people.
    fn pages(&self, provider: Option<GitProvider>) -> Option<(String, String)> {
        let url = self.url.as_deref().filter(|url| url.starts_with("http"))?;
        let repository = url.trim_end_matches('/').trim_end_matches(".git");
        let branch = self.branch().strip_prefix("refs/heads/")?;
        let root = match provider? {
            GitProvider::Github => repository.to_owned(),
            GitProvider::Gitlab => format!("{repository}/-"),
        };
        Some((format!("{root}/tree/{branch}"), format!("{root}/commit")))
    }

    /// What an operation is to do. `None`: nothing is set up.
    pub fn request(&self, provider: Option<GitProvider>) -> Option<Request> {
        let pages = self.pages(provider);
        Some(Request {
            url: self.url.clone()?,
            secret: self.secret.clone(),
            reference: self.branch().to_owned(),
            directory: self.directory.clone(),
            message: None,
            template: self.template.clone(),
            tree_url: pages.as_ref().map(|(tree, _)| tree.clone()),
            commit_url: pages.map(|(_, commit)| commit),
            provider: None,
            timestamp: None,
            force: false,
            standalone: false,
            reports_status: false,
        })
    }
}

fn purpose(space: NodeId) -> String {
    format!("Git installation of the space {space}")
}

fn refused(member: &str, message: String) -> ApiError {
    ApiError::invalid_member(format!("/body/repository/{member}"), ErrorRule::GitRepository, message)
}
