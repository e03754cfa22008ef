//! What the first synchronization of a space meets.

use std::time::Duration;

use entity::exchange::{git_operations::GitDirection, git_syncs};
use git::RefName;
use openapi::error::{ApiError, ErrorType};
use tokio::time::timeout;

use super::{SyncError, git_tree::GitTree, pair, remote, request::Request, setup::Setup};
use crate::areas::exchange::{Exchange, import::names::is_markdown};

/// The time for it while somebody waits for the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the first direction. Refuses if both sides have content and nobody has said which one wins; where that takes too long, the
/// operation refuses.
pub async fn first_direction(
    exchange: &Exchange,
    row: &git_syncs::Model,
    setup: &Setup,
    request: &Request,
) -> Result<GitDirection, ApiError> {
    if setup.wins(GitDirection::Import) {
        return Ok(GitDirection::Import);
    }
    // An export imports before, if there is a common state.
    if setup.wins(GitDirection::Export) || pair::stored(row, request, &request.url).is_some() {
        return Ok(GitDirection::Export);
    }
    let Ok(Ok(found)) = timeout(PATIENCE, Sides::find(exchange, row, request)).await else {
        return Ok(GitDirection::Import);
    };
    match found {
        Sides {
            pages: Some(pages),
            files,
            markdown,
        } if files > 0 => {
            let message = format!(
                "The space has {pages} pages, and the branch {files} files, {markdown} of them Markdown. `priority` says which side replaces the \
                 other."
            );
            Err(ApiError::new(ErrorType::GitBothSides, message))
        }
        Sides { pages: None, files, .. } if files > 0 => Ok(GitDirection::Import),
        Sides { .. } => Ok(GitDirection::Export),
    }
}

/// What both sides have.
struct Sides {
    /// `None`: nobody has written in the space.
    pages: Option<usize>,
    files: usize,
    markdown: usize,
}

impl Sides {
    async fn find(exchange: &Exchange, row: &git_syncs::Model, request: &Request) -> Result<Self, SyncError> {
        let space = row.space_id;
        let mut remote = remote::connect(exchange, request, None).await?;
        let cache = remote::cache(exchange, space).await?;
        let reference = RefName::parse(&request.reference)?;
        let tip = match cache.ls_remote(&mut remote, &reference).await? {
            Some(_) => Some(cache.fetch(&mut remote, &reference).await?),
            None => None,
        };
        let tree = GitTree::of(&cache, tip, &request.directory).await?;
        let head = exchange.head(space).await?;
        Ok(Self {
            pages: exchange.written_pages(space, head.snapshot).await?,
            files: tree.paths().count(),
            markdown: tree.paths().filter(|path| is_markdown(path)).count(),
        })
    }
}
