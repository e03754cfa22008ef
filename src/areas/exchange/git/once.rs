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
    if cache.ls_remote(&mut remote, &reference).await?.is_none() {
        return Err(SyncError::Refused(format!("The repository has no {reference}.")));
    }
    let tip = cache.fetch(&mut remote, &reference).await?;
    let tree = GitTree::of(&cache, Some(tip), &request.directory).await?;
    if tree.paths().next().is_none() {
        return Err(SyncError::Refused(
            "The branch has no files in this directory.".to_owned(),
        ));
    }
    Ok(ImportSource::Tree(tree.source()))
}
