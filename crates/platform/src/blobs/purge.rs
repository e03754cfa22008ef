//! Removing what no space holds any more.
//!
//! Somebody may upload the same bytes at the same time, on another node even, and must not lose them. Two things see to
//! that:
//!
//! - An upload claims its bytes before it stores them, and a row that was claimed within the last day is not dropped.
//!   Both are write transactions, so one comes before the other: either dropping sees the new claim and leaves the blob
//!   alone, or the claim finds no row and makes a new one. A revision cannot hold a blob that was dropped after its
//!   upload took more than a day: the reference of `space_blobs` to `blobs` refuses it.
//! - A new row has a new id, and so its bytes have another name in the store. Removing dropped bytes from there, which
//!   happens after the commit and perhaps much later, touches only the old name.
//!
//! What was dropped stays listed until it is gone from the store, so a crash in between leaves nothing behind.

use chrono::TimeDelta;
use entity::{
    blobs::{Column, Entity, dropped, spaces},
    ids::BlobId,
    timestamp::Timestamp,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Set,
    sea_query::{Expr, ExprTrait, Query},
};

use super::{BlobName, BlobStore};
use crate::hash::Hash;

/// How long bytes wait for a space to hold them; much longer than a request takes.
const KEPT_FOR: TimeDelta = TimeDelta::days(1);

/// Blobs of one step.
const BATCH: u64 = 200;

impl BlobStore {
    /// Runs periodically, not in requests.
    pub async fn purge(&self) -> anyhow::Result<()> {
        drop_unused(self).await?;
        remove_dropped(self).await
    }
}

fn unused(horizon: Timestamp) -> Condition {
    let held = Query::select()
        .expr(Expr::value(1))
        .from(spaces::Entity)
        .and_where(Expr::col((spaces::Entity, spaces::Column::Hash)).eq(Expr::col((Entity, Column::Hash))))
        .take();
    Condition::all()
        .add(Column::ClaimedAt.lt(horizon))
        .add(Expr::exists(held).not())
}

async fn drop_unused(blobs: &BlobStore) -> Result<(), DbErr> {
    let horizon = blobs.clock.now().plus(-KEPT_FOR);
    loop {
        // Usually there is nothing to drop, and that takes no write to find out.
        let hashes: Vec<Vec<u8>> = Entity::find()
            .select_only()
            .column(Column::Hash)
            .filter(unused(horizon))
            .limit(BATCH)
            .into_tuple()
            .all(blobs.db.read())
            .await?;
        if hashes.is_empty() {
            return Ok(());
        }
        blobs
            .db
            .write(move |tx| async move { drop_rows(&tx, hashes, horizon).await })
            .await?;
    }
}

/// Looks again: a space may hold some of them by now.
async fn drop_rows(tx: &impl ConnectionTrait, hashes: Vec<Vec<u8>>, horizon: Timestamp) -> Result<(), DbErr> {
    let rows = Entity::find()
        .filter(Column::Hash.is_in(hashes))
        .filter(unused(horizon))
        .all(tx)
        .await?;
    if rows.is_empty() {
        return Ok(());
    }
    let hashes: Vec<_> = rows.iter().map(|row| row.hash.clone()).collect();
    let rows = rows.into_iter().map(|row| dropped::ActiveModel {
        id: Set(row.id),
        hash: Set(row.hash),
    });
    dropped::Entity::insert_many(rows).exec_without_returning(tx).await?;
    Entity::delete_many()
        .filter(Column::Hash.is_in(hashes))
        .exec(tx)
        .await?;
    Ok(())
}

/// One that cannot be removed now stays listed, and is in nobody's way.
async fn remove_dropped(blobs: &BlobStore) -> anyhow::Result<()> {
    use dropped::Column;
    let (mut after, mut failure) = (None::<BlobId>, None);
    loop {
        let beyond = after.map(|id| Column::Id.gt(id));
        let rows = dropped::Entity::find()
            .apply_if(beyond, QueryFilter::filter)
            .order_by_asc(Column::Id)
            .limit(BATCH)
            .all(blobs.db.read())
            .await?;
        let Some(last) = rows.last() else {
            return failure.map_or(Ok(()), Err);
        };
        after = Some(last.id);
        let mut gone = Vec::with_capacity(rows.len());
        for row in rows {
            let removed = match Hash::from_bytes(&row.hash) {
                Some(hash) => blobs.objects.delete(BlobName { hash, id: row.id }).await,
                None => Ok(()),
            };
            match removed {
                Ok(()) => gone.push(row.id),
                Err(error) => failure = Some(error),
            }
        }
        let removing = move |tx| async move {
            let gone = dropped::Entity::delete_many().filter(Column::Id.is_in(gone));
            gone.exec(&tx).await.map(drop)
        };
        blobs.db.write(removing).await?;
    }
}
