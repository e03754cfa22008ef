//! Optimistic writes of content: an attempt reads the content, prepares the change, and writes it only if the content
//! is still what it read.

use std::sync::Arc;

use content::revisions::Revision;
use entity::{
    ids::{NodeId, RevisionId},
    library::spaces,
};
use openapi::{
    error::{ApiError, ErrorType},
    work::acquire_large,
};
use sea_orm::{DbErr, EntityTrait, QuerySelect};

use crate::areas::content::Contents;

const MAX_ATTEMPTS: usize = 20;

impl Contents {
    /// The present content of a space. `None`: there is no such space.
    pub async fn current_revision(&self, space: NodeId) -> Result<Option<Arc<Revision>>, DbErr> {
        let current = spaces::Entity::find_by_id(space)
            .select_only()
            .column(spaces::Column::RevisionId)
            .into_tuple::<RevisionId>()
            .one(self.kernel.db.read())
            .await?;
        match current {
            Some(current) => self.state.revision(&self.kernel.db, space, current).await,
            None => Ok(None),
        }
    }

    /// Like [`retry_stale`], and one writer after the other in this process: most attempts then succeed at once.
    pub async fn write_content<T, F>(&self, space: NodeId, attempt: impl FnMut() -> F) -> Result<T, ApiError>
    where
        F: Future<Output = Result<Option<T>, ApiError>>,
    {
        // A writer that asked for the permit within its turn would wait for requests that have one and wait for the turn.
        let current = self.current_revision(space).await?;
        if current.is_some_and(|current| current.snapshot.is_large()) {
            acquire_large().await?;
        }
        let _turn = self.state.turn(space).await;
        retry_stale(attempt).await
    }
}

/// Repeats an attempt until it answers a result. `None`: somebody else has changed the content that the attempt read.
/// Answers `busy` after the last attempt.
pub async fn retry_stale<T, E, F>(mut attempt: impl FnMut() -> F) -> Result<T, E>
where
    E: From<ApiError>,
    F: Future<Output = Result<Option<T>, E>>,
{
    for _ in 0..MAX_ATTEMPTS {
        if let Some(result) = attempt().await? {
            return Ok(result);
        }
    }
    let message = "The content keeps changing because of other requests. Try again.";
    Err(ApiError::new(ErrorType::Busy, message).into())
}
