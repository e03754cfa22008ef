//! Purging of blobs that no space, OpenAPI specification, PDF export, integration or font holds any more.
//!
//! An upload of the same bytes at the same time, perhaps on another node, must not lose them. Two rules ensure that:
//!
//! - An upload claims its bytes before it stores them, and a row that was claimed within the last day is not dropped.
//!   Both are write transactions, so one comes before the other: either the purge sees the new claim and keeps the blob,
//!   or the claim finds no row and inserts a new one. A revision cannot hold a blob that was dropped because its upload
//!   took more than a day: the foreign key from `space_blobs` to `blobs` refuses it.
//! - A new row has a new id, so its bytes have another name in the store. The removal of dropped bytes, which happens
//!   after the commit and perhaps much later, affects the old name only.
//!
//! Nothing is dropped while a backup runs: it copies the blobs that its rows name after them.
//!
//! A dropped blob stays listed until it is deleted from the store, so a crash in between leaves nothing behind.

use chrono::TimeDelta;
use entity::{
    authoring::pdf_exports,
    ids::BlobId,
    integrations,
    platform::blobs::{Column, Entity, dropped, spaces},
    publishing::{custom_fonts::faces, uploads},
    specifications::openapi_specs::{self, versions},
    timestamp::Timestamp,
};
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Set,
    sea_query::{Expr, ExprTrait, Query},
};

use super::{BlobName, BlobStore};
use crate::{backups, db::Tx, hash::Hash};

/// The time that unreferenced blobs, and uploads that hold others, are kept; much longer than a request takes.
const RETENTION: TimeDelta = TimeDelta::days(1);

/// Blobs in one transaction.
const BATCH_SIZE: u64 = 200;

impl BlobStore {
    /// Drops unreferenced blobs and deletes their bytes. Runs in a periodic job, not in requests.
    pub async fn purge(&self) -> anyhow::Result<()> {
        drop_uploads(self).await?;
        drop_unused(self).await?;
        remove_dropped(self).await
    }
}

/// Drops uploads, whether or not something was made of them: fonts and spaces hold blobs of their own.
async fn drop_uploads(blobs: &BlobStore) -> Result<(), DbErr> {
    let horizon = blobs.clock.now().plus(-RETENTION);
    let old = uploads::Entity::delete_many().filter(uploads::Column::CreatedAt.lt(horizon));
    blobs
        .db
        .write(move |tx| async move { old.exec(&tx).await.map(|_| ()) })
        .await
}

fn unused(now: Timestamp) -> Condition {
    Condition::all()
        .add(Column::ClaimedAt.lt(now.plus(-RETENTION)))
        .add(backups::none_runs(now))
        .add(is_held(spaces::Entity, spaces::Column::Hash).not())
        .add(is_held(versions::Entity, versions::Column::Hash).not())
        .add(is_held(versions::Entity, versions::Column::ContentHash).not())
        .add(is_held(versions::Entity, versions::Column::SourceHash).not())
        .add(is_held(openapi_specs::Entity, openapi_specs::Column::SourceHash).not())
        .add(is_held(pdf_exports::Entity, pdf_exports::Column::Hash).not())
        .add(is_held(integrations::blobs::Entity, integrations::blobs::Column::Hash).not())
        .add(is_held(faces::Entity, faces::Column::Hash).not())
        .add(is_held(uploads::Entity, uploads::Column::Hash).not())
}

/// The condition that a row of a table refers to the blob.
fn is_held<E: EntityTrait>(holders: E, hash: E::Column) -> Expr {
    let held = Query::select()
        .expr(Expr::value(1))
        .from(holders)
        .and_where(Expr::col((holders, hash)).eq(Expr::col((Entity, Column::Hash))))
        .take();
    Expr::exists(held)
}

async fn drop_unused(blobs: &BlobStore) -> Result<(), DbErr> {
    let mut after = None;
    loop {
        let now = blobs.clock.now();
        let beyond = after.map(|hash: Vec<u8>| Column::Hash.gt(hash));
        // Usually there is nothing to drop, and a read is enough to know.
        let hashes: Vec<Vec<u8>> = Entity::find()
            .select_only()
            .column(Column::Hash)
            .apply_if(beyond, QueryFilter::filter)
            .filter(unused(now))
            .order_by_asc(Column::Hash)
            .limit(BATCH_SIZE)
            .into_tuple()
            .all(blobs.db.read())
            .await?;
        let Some(last) = hashes.last() else {
            return Ok(());
        };
        after = Some(last.clone());
        blobs
            .db
            .write(move |tx| async move { drop_rows(&tx, hashes, now).await })
            .await?;
    }
}

/// Drops rows, checking them again: a space may hold some of them by now.
async fn drop_rows(tx: &Tx, hashes: Vec<Vec<u8>>, now: Timestamp) -> Result<(), DbErr> {
    backups::lock(tx).await?;
    let rows = Entity::find()
        .filter(Column::Hash.is_in(hashes))
        .filter(unused(now))
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

/// Deletes the bytes of dropped blobs. A blob that cannot be deleted now stays listed for the next run.
async fn remove_dropped(blobs: &BlobStore) -> anyhow::Result<()> {
    use dropped::Column;
    let (mut after, mut failure) = (None::<BlobId>, None);
    loop {
        let beyond = after.map(|id| Column::Id.gt(id));
        let rows = dropped::Entity::find()
            .apply_if(beyond, QueryFilter::filter)
            .order_by_asc(Column::Id)
            .limit(BATCH_SIZE)
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
        let delete_rows = move |tx| async move {
            let gone = dropped::Entity::delete_many().filter(Column::Id.is_in(gone));
            gone.exec(&tx).await.map(drop)
        };
        blobs.db.write(delete_rows).await?;
    }
}
