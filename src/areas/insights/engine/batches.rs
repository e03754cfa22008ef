//! Batches of the inbox, as engines take them.

use entity::{
    ids::InsightChunkId,
    insights::batches::{Column, Entity},
};
use insights::{Encoded, Event, decode};
use platform::db::Tx;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::EngineError;

/// The events of a batch.
pub fn read(data: &[u8]) -> Result<Vec<Event>, EngineError> {
    Ok(decode(&Encoded::columns_from_bytes(data)?)?)
}

/// Deletes the batches of a chunk that has been stored. Fails if another process has done so, or the site was deleted.
pub async fn remove_chunk(tx: &Tx, chunk: InsightChunkId, batches: u64) -> Result<(), EngineError> {
    let of_chunk = Entity::delete_many().filter(Column::ChunkId.eq(chunk));
    let removed = of_chunk.exec(tx).await?;
    match removed.rows_affected == batches {
        true => Ok(()),
        false => Err(EngineError::Stale),
    }
}
