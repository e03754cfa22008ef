//! Connections to repositories, within the rules for outgoing requests.

use git::{Cache, Credentials, Oid, RefName, Remote, RemoteAddress};
use secrecy::ExposeSecret;

use super::{SyncError, request::Request};
use crate::areas::exchange::Exchange;
use entity::ids::NodeId;

/// The directory in the data directory with one cache for each space.
pub const CACHES: &str = "git";

/// Resolves the host of a repository to the addresses that the server may reach.
pub async fn connect(exchange: &Exchange, request: &Request, known_hosts: Option<String>) -> Result<Remote, SyncError> {
    let url = request.url();
    let parsed = RemoteAddress::parse(url.expose_secret(), exchange.git.protocols());
    let (address, credentials): (RemoteAddress, Option<Credentials>) = parsed.map_err(git::GitError::Address)?;
    let pinned = match address.host() {
        Some((host, port)) => exchange
            .kernel
            .outbound
            .resolve(host, port)
            .await
            .map_err(|_| git::GitError::NotPinned)?,
        None => Vec::new(),
    };
    Ok(Remote {
        address,
        credentials: request.secret.clone().map(Into::into).or(credentials),
        pinned,
        known_hosts,
    })
}

/// The newest commit of a branch, which has to be there.
pub async fn tip(cache: &Cache, remote: &mut Remote, reference: &RefName) -> Result<Oid, SyncError> {
    let tip = cache.ls_remote(remote, reference).await?;
    tip.ok_or_else(|| SyncError::Refused(format!("The repository has no {reference}.")))
}

/// Opens the cache of a space.
pub async fn cache(exchange: &Exchange, space: NodeId) -> Result<Cache, SyncError> {
    let directory = exchange.caches.join(space.to_string());
    Ok(Cache::open(exchange.git.clone(), directory).await?)
}
