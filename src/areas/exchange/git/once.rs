//! A branch as it is now, without a synchronization.

use std::path::PathBuf;

use git::{Cache, RefName};

use super::{SyncError, git_tree::GitTree, remote, request::Request};
use crate::areas::exchange::{Exchange, import::ImportSource};

/// Fetches the files of a branch into a cache, which has to stay until they are read.
pub async fn source(exchange: &Exchange, request: &Request, cache: PathBuf) -> Result<ImportSource, SyncError> {
    let mut remote = remote::connect(exchange, request, None).await?;
    let reference = RefName::parse(&request.reference)?;
    let cache = Cache::open(exchange.git.clone(), cache).await?;
    remote::tip(&cache, &mut remote, &reference).await?;
    let (_, tree) = GitTree::fetch(&cache, &mut remote, &reference, &request.directory).await?;
    Ok(ImportSource::Tree(tree.source()))
}
