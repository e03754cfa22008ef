//! Blobs in the database.

use entity::{
    ids::{BlobId, NodeId},
    library::nodes,
    platform::blobs::{self, spaces},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, Set,
    sea_query::{Expr, OnConflict, Query},
};

use super::{BlobName, BlobStore};
use crate::{db::Tx, hash::Hash};

/// Rows of one statement: SQLite binds at most 32,766 values.
const BATCH_SIZE: usize = 500;

impl BlobStore {
    /// Records that these bytes are about to be stored and returns their name. The purge leaves claimed blobs alone for
    /// longer than any request takes.
    pub(super) async fn claim(&self, hash: Hash, size: i64) -> Result<BlobName, DbErr> {
        let row = blobs::Model {
            hash: hash.to_vec(),
            id: self.ids.next(),
            size,
            claimed_at: self.clock.now(),
        };
        let claim = move |tx| async move {
            let known = OnConflict::column(blobs::Column::Hash)
                .update_column(blobs::Column::ClaimedAt)
                .to_owned();
            let claimed = blobs::Entity::insert(blobs::ActiveModel::from(row))
                .on_conflict(known)
                .exec_with_returning(&tx)
                .await?;
            Ok::<_, DbErr>(claimed.id)
        };
        let id = self.db.write(claim).await?;
        Ok(BlobName { hash, id })
    }
}

/// Records that a space holds these blobs, in the transaction that inserts the revision. Their bytes are stored before.
pub async fn reference(tx: &Tx, space: NodeId, hashes: &[Hash]) -> Result<(), DbErr> {
    for chunk in hashes.chunks(BATCH_SIZE) {
        let rows = chunk.iter().map(|hash| spaces::ActiveModel {
            space_id: Set(space),
            hash: Set(hash.to_vec()),
        });
        spaces::Entity::insert_many(rows)
            .on_conflict(OnConflict::new().do_nothing().to_owned())
            .exec_without_returning(tx)
            .await?;
    }
    Ok(())
}

/// Records that a space holds blobs of another space. Hashes that the other space does not hold are skipped.
pub async fn copy(tx: &Tx, from: NodeId, to: NodeId, hashes: &[Hash]) -> Result<(), DbErr> {
    use spaces::Column;
    for chunk in hashes.chunks(BATCH_SIZE) {
        let held = Query::select()
            .expr(Expr::value(to))
            .column(Column::Hash)
            .from(spaces::Entity)
            .and_where(Column::SpaceId.eq(from))
            .and_where(Column::Hash.is_in(chunk.iter().map(|hash| hash.to_vec())))
            .take();
        let insert = Query::insert()
            .into_table(spaces::Entity)
            .columns([Column::SpaceId, Column::Hash])
            .select_from(held)
            .map_err(|error| DbErr::Custom(error.to_string()))?
            .on_conflict(OnConflict::new().do_nothing().to_owned())
            .take();
        tx.execute(&insert).await?;
    }
    Ok(())
}

/// A blob that a space holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredBlob {
    pub name: BlobName,
    pub size: u64,
}

/// Finds a blob of a space that is not deleted.
pub async fn find(db: &impl ConnectionTrait, space: NodeId, hash: Hash) -> Result<Option<StoredBlob>, DbErr> {
    let row = spaces::Entity::find()
        .select_only()
        .columns([blobs::Column::Id, blobs::Column::Size])
        .join(
            JoinType::InnerJoin,
            spaces::Entity::belongs_to(blobs::Entity)
                .from(spaces::Column::Hash)
                .to(blobs::Column::Hash)
                .into(),
        )
        .join(
            JoinType::InnerJoin,
            spaces::Entity::belongs_to(nodes::Entity)
                .from(spaces::Column::SpaceId)
                .to(nodes::Column::Id)
                .into(),
        )
        .filter(spaces::Column::SpaceId.eq(space))
        .filter(spaces::Column::Hash.eq(hash.to_vec()))
        .filter(nodes::Column::DeletedAt.is_null())
        .into_tuple::<(BlobId, i64)>()
        .one(db)
        .await?;
    Ok(row.map(|(id, size)| StoredBlob {
        name: BlobName { hash, id },
        size: u64::try_from(size).unwrap_or_default(),
    }))
}

/// Loads a blob that a row with its hash refers to.
pub async fn load(db: &impl ConnectionTrait, hash: &[u8]) -> Result<Option<StoredBlob>, DbErr> {
    let Some(name) = Hash::from_bytes(hash) else {
        return Ok(None);
    };
    let row = blobs::Entity::find_by_id(hash.to_vec()).one(db).await?;
    Ok(row.map(|row| StoredBlob {
        name: BlobName { hash: name, id: row.id },
        size: u64::try_from(row.size).unwrap_or_default(),
    }))
}
