//! Webhooks of the hosts of repositories, which say that there is something to look at.

use data_encoding::HEXLOWER;
use entity::{
    exchange::git_syncs::{Column, Entity},
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

use super::automatic;
use crate::{areas::exchange::Exchange, kernel::signatures::sign};

/// The beginning of their paths; the rest is the id of the installation.
pub const PREFIX: &str = "/git-webhooks/";

/// The longest body that is read to check its signature. Nothing else is made of it.
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
    /// Looks at the branch of an installation now.
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
        let work = move |tx: Tx| async move {
            let found = Entity::find()
                .filter(Column::InstallationId.eq(installation))
                .filter(Column::NextPollAt.is_not_null());
            let row = found.one(&tx).await?;
            let row = row.ok_or_else(|| ApiError::not_found("Git installation"))?;
            Ok::<_, ApiError>(automatic::enqueue(&tx, &ids, vec![automatic::next(row)], now, now).await?)
        };
        kernel.db.write(work).await?;
        kernel.jobs.wake();
        Ok(())
    }
}
