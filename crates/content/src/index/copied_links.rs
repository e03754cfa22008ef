//! Links of copied content.

use entity::{
    content::page_links::{Column, Entity, Model},
    ids::NodeId,
};
use platform::db::{Db, Keyset};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, OnConflict, Query},
};

use super::{MAX_LINKS, links};
use crate::objects::Hash;

/// Sources of one statement.
const BATCH_SIZE: usize = 500;

fn of_sources(space: NodeId, sources: &[Hash]) -> Select<Entity> {
    Entity::find()
        .filter(Column::SpaceId.eq(space))
        .filter(Column::Source.is_in(sources.iter().map(|source| source.to_vec())))
}

/// Returns whether these sources have more links than one transaction stores.
pub async fn are_many(db: &impl ConnectionTrait, space: NodeId, sources: &[Hash]) -> Result<bool, DbErr> {
    let some = of_sources(space, sources).select_only().column(Column::Seq);
    let some: Vec<i32> = some.limit(MAX_LINKS as u64 + 1).into_tuple().all(db).await?;
    Ok(some.len() > MAX_LINKS)
}

/// Copies the links of these sources, which have few, to a copy of the space. Pages keep their ids.
pub async fn copy(tx: &impl ConnectionTrait, from: NodeId, to: NodeId, sources: &[Hash]) -> Result<(), DbErr> {
    let columns = [
        Column::Source,
        Column::PageId,
        Column::Seq,
        Column::TargetSpace,
        Column::TargetId,
        Column::Role,
        Column::Reference,
        Column::Node,
        Column::Conditions,
    ];
    let rows = of_sources(from, sources)
        .select_only()
        .expr(Expr::value(to))
        .columns(columns);
    let mut insert = Query::insert();
    insert
        .into_table(Entity)
        .columns([Column::SpaceId].into_iter().chain(columns))
        .select_from(rows.into_query())
        .map_err(|error| DbErr::Custom(error.to_string()))?
        .on_conflict(OnConflict::new().do_nothing().to_owned());
    tx.execute(&insert).await?;
    Ok(())
}

/// Copies the links of these sources in transactions of at most as many links as an edit stores in one.
pub async fn copy_ahead(db: &Db, from: NodeId, to: NodeId, sources: &[Hash]) -> Result<(), DbErr> {
    for chunk in sources.chunks(BATCH_SIZE) {
        let (mut batch, mut links) = (Vec::new(), 0);
        for (source, count) in counts(db.read(), from, chunk).await? {
            if count > MAX_LINKS {
                copy_source(db, from, to, source).await?;
                continue;
            }
            if links + count > MAX_LINKS {
                copy_batch(db, from, to, std::mem::take(&mut batch)).await?;
                links = 0;
            }
            batch.push(source);
            links += count;
        }
        copy_batch(db, from, to, batch).await?;
    }
    Ok(())
}

/// The numbers of links of the sources that have some.
async fn counts(db: &impl ConnectionTrait, space: NodeId, sources: &[Hash]) -> Result<Vec<(Hash, usize)>, DbErr> {
    let counted = of_sources(space, sources).select_only().column(Column::Source);
    let counted = counted.column_as(Column::Seq.count(), "links").group_by(Column::Source);
    let rows: Vec<(Vec<u8>, i64)> = counted.into_tuple().all(db).await?;
    let rows = rows.into_iter();
    Ok(rows
        .filter_map(|(source, links)| Some((Hash::from_bytes(&source)?, usize::try_from(links).ok()?)))
        .collect())
}

async fn copy_batch(db: &Db, from: NodeId, to: NodeId, sources: Vec<Hash>) -> Result<(), DbErr> {
    if sources.is_empty() {
        return Ok(());
    }
    db.write(move |tx| async move { copy(&tx, from, to, &sources).await })
        .await
}

/// Copies the links of a source that has many, of one page or of many pages with the same text.
async fn copy_source(db: &Db, from: NodeId, to: NodeId, source: Hash) -> Result<(), DbErr> {
    let order = Keyset::ascending([Column::PageId, Column::Seq]);
    let mut after = None;
    loop {
        let of_source = Entity::find()
            .filter(Column::SpaceId.eq(from))
            .filter(Column::Source.eq(source.to_vec()));
        let links = order.page(
            of_source,
            after,
            MAX_LINKS as u64,
            |links| links.all(db.read()),
            |link: &Model| (link.page_id, link.seq),
        );
        let page = links.await?;
        let links = page.items.into_iter().map(|link| Model { space_id: to, ..link });
        let links: Vec<Model> = links.collect();
        db.write(move |tx| async move { links::insert(&tx, links).await })
            .await?;
        after = page.next;
        if after.is_none() {
            return Ok(());
        }
    }
}
