//! Storing the pages that integrations have computed.

use entity::{
    content::computed_contents::{self, Column, Entity},
    ids::{JobId, NodeId},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::{
    db::{Tx, rows},
    hash::Hash,
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::{IndexComputedPages, StoredPage};

use crate::areas::content::Contents;

impl Contents {
    /// Stores the computed pages of the content sources in a space, and removes those of others. `None`: the pages of a source stay
    /// as they were.
    pub async fn store_computed(
        &self,
        space: NodeId,
        computed: Vec<(Hash, Option<Vec<StoredPage>>)>,
    ) -> Result<(), ApiError> {
        let now = self.kernel.clock.now();
        let kept: Vec<Vec<u8>> = computed.iter().map(|(source, _)| source.to_vec()).collect();
        let mut new_rows = Vec::new();
        for (source, pages) in computed {
            if let Some(pages) = pages {
                new_rows.push(row(space, source, &pages, now)?);
            }
        }
        let job: JobId = self.kernel.ids.next();
        let work = move |tx: Tx| {
            let (kept, new_rows) = (kept.clone(), new_rows.clone());
            async move {
                if replace(&tx, space, kept, new_rows).await? {
                    IndexComputedPages::enqueue(&tx, job, space, now).await?;
                }
                Ok::<_, DbErr>(())
            }
        };
        self.kernel.db.write(work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }
}

fn row(
    space: NodeId,
    source: Hash,
    pages: &[StoredPage],
    now: Timestamp,
) -> Result<computed_contents::Model, ApiError> {
    let pages = serde_json::to_vec(pages)?;
    Ok(computed_contents::Model {
        space_id: space,
        source: source.to_vec(),
        hash: Hash::of(&pages).to_vec(),
        pages,
        computed_at: now,
    })
}

/// Returns whether the pages of a source have changed.
async fn replace(
    db: &impl ConnectionTrait,
    space: NodeId,
    kept: Vec<Vec<u8>>,
    new_rows: Vec<computed_contents::Model>,
) -> Result<bool, DbErr> {
    let of_others = Entity::delete_many()
        .filter(Column::SpaceId.eq(space))
        .filter(Column::Source.is_not_in(kept));
    let mut has_changed = of_others.exec(db).await?.rows_affected > 0;
    let hashes: Vec<(Vec<u8>, Vec<u8>)> = Entity::find()
        .select_only()
        .columns([Column::Source, Column::Hash])
        .filter(Column::SpaceId.eq(space))
        .into_tuple()
        .all(db)
        .await?;
    for row in new_rows {
        let is_new = !hashes
            .iter()
            .any(|(source, hash)| *source == row.source && *hash == row.hash);
        if is_new {
            rows::put(db, &row).await?;
            has_changed = true;
        }
    }
    Ok(has_changed)
}
