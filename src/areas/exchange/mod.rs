//! Content that comes in and goes out as files.

pub mod export;
pub mod import;

use std::sync::Arc;

use entity::{
    ids::{NodeId, RevisionId},
    library::spaces,
};
use openapi::error::ApiError;
use sea_orm::{EntityTrait, QuerySelect};

use crate::{areas::content::Contents, kernel::Kernel};

/// The service of this context.
#[derive(Clone)]
pub struct Exchange {
    pub kernel: Kernel,
    pub contents: Arc<Contents>,
}

impl Exchange {
    pub fn new(kernel: &Kernel, contents: &Arc<Contents>) -> Self {
        Self {
            kernel: kernel.clone(),
            contents: Arc::clone(contents),
        }
    }

    /// The revision that is the content of a space.
    pub async fn current_revision(&self, space: NodeId) -> Result<RevisionId, ApiError> {
        let found = spaces::Entity::find_by_id(space)
            .select_only()
            .column(spaces::Column::RevisionId)
            .into_tuple()
            .one(self.kernel.db.read());
        found.await?.ok_or_else(|| ApiError::not_found("space"))
    }
}
