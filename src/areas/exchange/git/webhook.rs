//! Webhooks of the hosts of repositories, which say that there is something to look at.

use data_encoding::HEXLOWER;
use entity::{
    exchange::{
        git_operations::GitDirection,
        git_syncs::{self, Column, Entity},
    },
    ids::GitInstallationId,
};
use openapi::error::ApiError;
use platform::{
    db::Tx,
    secrets::{Secrets, signature_of_bytes},
};
use poem::http::{HeaderMap, HeaderValue};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use subtle::ConstantTimeEq;

use super::{
    automatic,
    job::enqueue_operation,
    pull_requests::{self, PullRequest},
    request::Request,
    setup::Setup,
    store::NewOperation,
};
use crate::{areas::exchange::Exchange, kernel::signatures::sign};

/// The beginning of their paths; the rest is the id of the installation.
pub const PREFIX: &str = "/git-webhooks/";

/// The longest body that is read. It says only where to look.
pub const MAX_BODY: usize = 1024 * 1024;

/// The secret of an installation.
pub fn secret(secrets: &Secrets, installation: GitInstallationId) -> String {
    sign(secrets.derive("webhooks of Git hosts"), &installation.to_string())
}

/// The installation that a path names. Those that do not exist have secrets as well, so the answer does not tell.
pub fn installation(path: &str) -> Option<GitInstallationId> {
    path.strip_prefix(PREFIX)?.parse().ok()
}

/// Whether the sender knows the secret: GitHub and Gitea sign the body, GitLab sends it.
fn is_right(secret: &str, headers: &HeaderMap, body: &[u8]) -> bool {
    let header = |name: &str| headers.get(name).map(HeaderValue::as_bytes);
    if let Some(token) = header("x-gitlab-token") {
        return token.ct_eq(secret.as_bytes()).into();
    }
    let of_github = header("x-hub-signature-256").and_then(|signed| signed.strip_prefix(b"sha256="));
    let Some(signed) = of_github.or_else(|| header("x-gitea-signature")) else {
        return false;
    };
    let Ok(key) = <[u8; 32]>::try_from(secret.as_bytes()) else {
        return false;
    };
    HEXLOWER
        .encode(&signature_of_bytes(key, body))
        .as_bytes()
        .ct_eq(signed)
        .into()
}

impl Exchange {
    /// Looks at the branch of an installation now, or at the pull request that the host tells of.
    pub async fn receive_webhook(
        &self,
        installation: GitInstallationId,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<(), ApiError> {
        let kernel = &self.kernel;
        if !is_right(&secret(&kernel.secrets, installation), headers, body) {
            return Err(ApiError::unauthorized());
        }
        let (ids, now) = (kernel.ids.clone(), kernel.clock.now());
        let found = Entity::find()
            .filter(Column::InstallationId.eq(installation))
            .filter(Column::NextPollAt.is_not_null());
        let row = found.one(kernel.db.read()).await?;
        let row = row.ok_or_else(|| ApiError::not_found("Git installation"))?;
        if let Some(pull_request) = pull_requests::read(headers, body) {
            return self.preview(row, pull_request).await;
        }
        let work =
            move |tx: Tx| async move { automatic::enqueue(&tx, &ids, vec![automatic::next(row)], now, now).await };
        kernel.db.write(work).await?;
        kernel.jobs.wake();
        Ok(())
    }

    /// Imports a pull request beside the content of the space. Those of forks only if the installation allows it.
    async fn preview(&self, row: git_syncs::Model, pull_request: PullRequest) -> Result<(), ApiError> {
        let kernel = &self.kernel;
        let setup = Setup::of(&kernel.secrets, &row)?;
        let is_allowed = !pull_request.is_of_fork || setup.previews == Some(true);
        let Some((request, by)) = setup.request(row.provider).zip(row.installed_by).filter(|_| is_allowed) else {
            return Ok(());
        };
        let request = Request {
            reference: pull_request.reference,
            standalone: true,
            reports_status: true,
            ..request
        };
        let (id, now) = (kernel.ids.next(), kernel.clock.now());
        let new = NewOperation {
            id,
            space: row.space_id,
            organization: row.organization_id,
            direction: GitDirection::Import,
            request: request.seal(self, id)?,
            by,
        };
        let ids = kernel.ids.clone();
        let work = move |tx: Tx| async move { enqueue_operation(&tx, &ids, new, now).await };
        kernel.db.write(work).await?;
        kernel.jobs.wake();
        Ok(())
    }
}
