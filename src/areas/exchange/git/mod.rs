//! Spaces that are synchronized with branches of Git repositories.
//!
//! After an import or export, a commit and a revision have the same content: a pair. What a commit has changed since the pair is applied
//! to the space, as a merge of pages; what the space has changed since is applied to the files, line by line. So a page that nobody touched
//! is never written, whatever the Markdown of it looks like.

pub mod automatic;
mod changes;
pub mod commit_status;
mod export;
mod git_tree;
mod import;
mod installation;
pub mod job;
mod messages;
pub mod once;
mod pair;
mod plan;
mod prepared;
pub mod pull_requests;
mod remote;
pub mod request;
mod run;
mod setup;
pub mod store;
mod sync;
mod view;
pub mod webhook;

use anyhow::Context;
use entity::{
    exchange::git_operations::GitDirection,
    ids::{GitOperationId, RevisionId, UserId},
    library::nodes,
};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        ExportToGitRepository, GitSyncInstallation, GitSyncState, ImportGitRepository, InstallGitSyncProvider,
        SiteGitSyncInstallations, UpdateGitSyncInstallation,
    },
    operations::git_sync::GitSyncApi,
};
use platform::{db::Tx, jobs::JobError};
use sea_orm::DbErr;
use wire::work::WorkError;

pub use self::remote::CACHES;
use self::{pair::Pair, request::Request, setup::Setup, store::NewOperation};
use crate::{
    access::SpaceAccess,
    areas::{
        exchange::{
            Exchange,
            guard::{GitInstallationAccess, GitInstallationTargetAccess},
            import::ImportTarget,
        },
        library::tree,
        publishing::guard::SiteAccess,
    },
    kernel::audit::{Actor, Changed, SystemAction},
};

/// How an operation ended.
#[derive(Clone, Default)]
pub struct Ended {
    /// Why it failed.
    pub problem: Option<String>,
    /// The host did not accept the credentials.
    pub is_unauthenticated: bool,
    /// There was nothing to do.
    pub is_idle: bool,
    pub revision: Option<RevisionId>,
    /// What has the same content now, if that has changed.
    pub pair: Option<Pair>,
}

/// Why an operation cannot go on.
pub enum SyncError {
    /// For people.
    Refused(String),
    /// The same, of a host that did not accept the credentials.
    Unauthenticated(String),
    /// Perhaps later.
    Server(ApiError),
}

impl SyncError {
    /// Of an import: failures of the server are its own, everything else is the fault of the source.
    pub fn of_import(error: anyhow::Error) -> Self {
        let error = match error.downcast::<ApiError>() {
            Ok(error) => return error.into(),
            Err(error) => error,
        };
        match error.downcast::<DbErr>() {
            Ok(error) => error.into(),
            Err(error) => Self::Refused(format!("{error:#}.")),
        }
    }

    /// Returns the message for people. `Err`: another attempt may succeed.
    pub fn problem(self) -> Result<String, JobError> {
        match self {
            Self::Refused(problem) | Self::Unauthenticated(problem) => Ok(problem),
            Self::Server(error) if error.status().is_client_error() => Ok(error.to_string()),
            Self::Server(error) => Err(JobError::Retryable(error.to_string())),
        }
    }
}

impl From<git::GitError> for SyncError {
    fn from(error: git::GitError) -> Self {
        match error {
            git::GitError::Server(error) => Self::Server(ApiError::internal(error)),
            git::GitError::Authentication => Self::Unauthenticated(error.to_string()),
            error => Self::Refused(error.to_string()),
        }
    }
}

impl From<ApiError> for SyncError {
    fn from(error: ApiError) -> Self {
        Self::Server(error)
    }
}

impl From<anyhow::Error> for SyncError {
    fn from(error: anyhow::Error) -> Self {
        Self::Server(ApiError::internal(format!("{error:#}")))
    }
}

impl From<DbErr> for SyncError {
    fn from(error: DbErr) -> Self {
        Self::Server(error.into())
    }
}

impl From<WorkError> for SyncError {
    fn from(error: WorkError) -> Self {
        Self::Server(error.into())
    }
}

impl GitSyncApi for Exchange {
    async fn import_git_repository(&self, access: SpaceAccess, body: ImportGitRepository) -> Result<(), ApiError> {
        start(self, &access, GitDirection::Import, Request::import(body)).await
    }

    async fn export_to_git_repository(&self, access: SpaceAccess, body: ExportToGitRepository) -> Result<(), ApiError> {
        start(self, &access, GitDirection::Export, Request::export(body)).await
    }

    async fn get_space_git_info(&self, access: SpaceAccess) -> Result<GitSyncState, ApiError> {
        let (db, space) = (self.kernel.db.read(), access.row.node.id);
        let not_synchronized = || ApiError::not_found("synchronization with Git");
        let sync = store::find(db, space).await?.ok_or_else(not_synchronized)?;
        let latest = store::latest(db, space).await?;
        Ok(view::state(sync, latest))
    }

    async fn retry_git_sync(&self, access: SpaceAccess) -> Result<(), ApiError> {
        let node = access.row.node;
        let ids = self.kernel.ids.clone();
        let now = self.kernel.clock.now();
        let work = move |tx: Tx| async move {
            tree::reload(&tx, &node).await?;
            let row = store::find(&tx, node.id)
                .await?
                .filter(|row| row.next_poll_at.is_some());
            let row = row.ok_or_else(|| ApiError::not_found("Git installation that is set up"))?;
            automatic::enqueue(&tx, &ids, vec![automatic::next(row)], now, now).await?;
            Ok(Changed::of(tree::target(&node), ()))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }

    async fn delete_legacy_git_installation(&self, _: SpaceAccess) -> Result<(), ApiError> {
        Ok(())
    }

    async fn install_git_sync_provider_on_target(
        &self,
        access: GitInstallationTargetAccess,
        body: InstallGitSyncProvider,
    ) -> Result<Created<GitSyncInstallation>, ApiError> {
        installation::install(self, access, body).await
    }

    async fn get_git_sync_installation_by_id(
        &self,
        access: GitInstallationAccess,
    ) -> Result<GitSyncInstallation, ApiError> {
        let setup = Setup::of(&self.kernel.secrets, &access.row)?;
        Ok(view::installation(&self.kernel, access.row, setup, true))
    }

    async fn update_git_sync_installation_by_id(
        &self,
        access: GitInstallationAccess,
        body: UpdateGitSyncInstallation,
    ) -> Result<GitSyncInstallation, ApiError> {
        installation::update(self, access, body).await
    }

    async fn uninstall_git_sync_installation(&self, access: GitInstallationAccess) -> Result<(), ApiError> {
        installation::uninstall(self, access).await
    }

    async fn list_site_git_sync_installations(&self, access: SiteAccess) -> Result<SiteGitSyncInstallations, ApiError> {
        installation::of_site(self, &access).await
    }
}

/// Lets an export that an operator asks for wait for its turn.
pub async fn start_export(
    exchange: &Exchange,
    target: &ImportTarget,
    request: Request,
) -> anyhow::Result<GitOperationId> {
    let node = target.node().cloned().context("there is no such space")?;
    let by = target.member.user;
    let actor = SystemAction::ExportGit.into();
    Ok(enqueue_operation(exchange, actor, (node, by), GitDirection::Export, request).await?)
}

/// Lets an operation wait for its turn.
async fn start(
    exchange: &Exchange,
    access: &SpaceAccess,
    direction: GitDirection,
    request: Request,
) -> Result<(), ApiError> {
    let of = (access.row.node.clone(), access.caller.user_id);
    enqueue_operation(exchange, (&access.caller).into(), of, direction, request).await?;
    Ok(())
}

async fn enqueue_operation(
    exchange: &Exchange,
    actor: Actor,
    (node, by): (nodes::Model, UserId),
    direction: GitDirection,
    request: Request,
) -> Result<GitOperationId, ApiError> {
    request.check(exchange)?;
    exchange.require_git().await?;
    let kernel = &exchange.kernel;
    let id = kernel.ids.next();
    let new = NewOperation {
        id,
        space: node.id,
        organization: node.organization_id,
        direction,
        request: request.seal(exchange, id)?,
        by,
    };
    let now = kernel.clock.now();
    let ids = kernel.ids.clone();
    let work = move |tx: Tx| async move {
        tree::reload(&tx, &node).await?;
        job::enqueue_operation(&tx, &ids, new, now).await?;
        Ok(Changed::of(tree::target(&node), ()))
    };
    kernel.write(actor, work).await?;
    kernel.jobs.wake();
    Ok(id)
}
