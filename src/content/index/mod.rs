//! What is kept beside content so that it can be asked for: made from the texts that a write adds, and written with them.

pub mod links;
pub(super) mod search;

use std::{collections::HashMap, sync::Arc};

use entity::ids::NodeId;
use openapi::{error::ApiError, models::Document};
use sea_orm::{ConnectionTrait, DbErr};

use super::{
    draft::Draft,
    objects::{Content, Hash},
    pages::Changes,
};
use crate::{
    errors::database,
    rich_text::{self, Ids, Limits},
};

/// What a draft changes about it.
#[derive(Clone)]
pub struct Index {
    space: NodeId,
    changes: Arc<Changes>,
    texts: Arc<Texts>,
    /// Whether it becomes the content of the space: only that can be searched.
    published: bool,
}

/// The nodes of texts that pages have since the draft.
pub type Texts = HashMap<Hash, Document>;

impl Index {
    pub async fn of<C: ConnectionTrait>(
        content: &mut Content<'_, C>,
        space: NodeId,
        draft: &Draft,
        published: bool,
    ) -> Result<Self, ApiError> {
        let changes = Arc::clone(&draft.changes);
        let hashes = changes.new_texts();
        let loaded = content.run(|objects| hashes.iter().map(|hash| Ok((*hash, objects.text(hash)?))).collect());
        let loaded: Vec<(Hash, String)> = loaded.await.map_err(database)?;
        let parsed = tokio::task::spawn_blocking(move || parse(loaded)).await;
        Ok(Self {
            space,
            changes,
            texts: Arc::new(parsed.map_err(ApiError::internal)??),
            published,
        })
    }

    pub async fn store(&self, tx: &impl ConnectionTrait) -> Result<(), DbErr> {
        links::store(tx, self.space, &self.changes, &self.texts).await?;
        if self.published {
            search::store(tx, self.space, &self.changes, &self.texts).await?;
        }
        Ok(())
    }
}

fn parse(texts: Vec<(Hash, String)>) -> Result<Texts, ApiError> {
    let limits = Limits::default();
    let parsed = texts.into_iter().map(|(hash, text)| {
        let document = rich_text::parse_with(&text, &limits, &Ids);
        Ok((hash, document.map_err(ApiError::internal)?))
    });
    parsed.collect()
}
