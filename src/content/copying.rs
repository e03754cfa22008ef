//! The content of one space for another.

use entity::{
    content_objects::{Column, Entity},
    ids::{NodeId, RevisionId},
    spaces,
    timestamp::Timestamp,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, Query},
};

use super::{
    draft::Origin,
    index::links,
    objects::{Content, Hash, ObjectCache},
    pages::{Pages, Snapshot},
};
use crate::{
    blobs,
    db::Tx,
    revisions::{Revision, store},
    search::index as search,
};

/// Hashes of one statement.
const ROWS: usize = 500;

/// Copies what the space holds now, without its history. Pages keep their ids, so that links between them hold.
pub async fn copy(
    tx: &Tx,
    cache: &ObjectCache,
    from: NodeId,
    id: RevisionId,
    origin: Origin,
    now: Timestamp,
) -> Result<(), DbErr> {
    let snapshot = current(tx, from).await?;
    let mut content = Content::new(tx, cache, from);
    let hashes = content.run(|objects| snapshot.objects(objects)).await?;
    let blobs = content
        .run(|objects| Pages::of(objects, snapshot).files_after(None, usize::MAX))
        .await?;
    let blobs: Vec<Hash> = blobs.into_iter().map(|file| file.blob).collect();
    for chunk in hashes.chunks(ROWS) {
        objects(tx, from, origin.space, chunk).await?;
    }
    let space = origin.space;
    blobs::copy(tx, from, space, &blobs).await?;
    store::insert(tx, &Revision::new(id, snapshot, origin, now)).await?;
    links::copy(tx, &mut content, snapshot, (from, space)).await?;
    search::copy(tx, from, space, |page| page).await
}

async fn current(tx: &impl ConnectionTrait, space: NodeId) -> Result<Snapshot, DbErr> {
    let revision = spaces::Entity::find_by_id(space)
        .select_only()
        .column(spaces::Column::RevisionId)
        .into_tuple::<RevisionId>()
        .one(tx)
        .await?;
    let found = match revision {
        Some(revision) => store::find_stored(tx, space, revision).await?,
        None => None,
    };
    let found = found.ok_or_else(|| DbErr::RecordNotFound(format!("the content of space {space}")))?;
    Ok(found.snapshot)
}

async fn objects(tx: &impl ConnectionTrait, from: NodeId, to: NodeId, hashes: &[Hash]) -> Result<(), DbErr> {
    let mut rows = Entity::find()
        .select_only()
        .expr(Expr::value(to))
        .columns([Column::Hash, Column::Data])
        .filter(Column::SpaceId.eq(from))
        .filter(Column::Hash.is_in(hashes.iter().map(|hash| hash.to_vec())));
    let rows = sea_orm::QueryTrait::query(&mut rows).take();
    let mut insert = Query::insert();
    insert
        .into_table(Entity)
        .columns([Column::SpaceId, Column::Hash, Column::Data])
        .select_from(rows)
        .map_err(|error| DbErr::Custom(error.to_string()))?;
    tx.execute(&insert).await?;
    Ok(())
}
