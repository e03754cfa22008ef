//! Hooks of this context: its part in changes by other contexts.

use content::objects;
use entity::{
    content::{content_objects, page_links, revisions, search::spaces as indexed_spaces},
    ids::NodeId,
    platform::blobs::spaces as space_blobs,
};
use futures_util::future::{BoxFuture, FutureExt};
use platform::db::{Db, Tx, rows};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use search::index;

use crate::kernel::hooks::ContextHooks;

pub struct ContentHooks;

impl ContextHooks for ContentHooks {
    fn space_purged<'a>(&'a self, db: &'a Db, space: NodeId) -> BoxFuture<'a, Result<(), DbErr>> {
        remove_content(db, space).boxed()
    }
}

async fn remove_content(db: &Db, space: NodeId) -> Result<(), DbErr> {
    rows::remove_in_steps(
        db,
        page_links::Entity::find().filter(page_links::Column::SpaceId.eq(space)),
    )
    .await?;
    rows::remove_in_steps(
        db,
        revisions::Entity::find().filter(revisions::Column::SpaceId.eq(space)),
    )
    .await?;
    rows::remove_in_steps(
        db,
        space_blobs::Entity::find().filter(space_blobs::Column::SpaceId.eq(space)),
    )
    .await?;
    remove_from_search(db, space).await?;
    let objects = content_objects::Entity::find().filter(content_objects::Column::SpaceId.eq(space));
    while rows::is_any(db.read(), objects.clone()).await? {
        let work = move |tx: Tx| async move { objects::remove_some(&tx, space).await };
        db.write(work).await?;
    }
    Ok(())
}

/// Removes a space from the search index.
async fn remove_from_search(db: &Db, space: NodeId) -> Result<(), DbErr> {
    let indexed = indexed_spaces::Entity::find().filter(indexed_spaces::Column::SpaceId.eq(space));
    while rows::is_any(db.read(), indexed.clone()).await? {
        let removals = index::removals(db.read(), space).await?;
        if removals.is_empty() {
            let work = move |tx| async move { index::remove_words(&tx, space).await };
            db.write(work).await?;
        }
        for entries in removals {
            let work = move |tx| async move { index::remove_entries(&tx, entries).await };
            db.write(work).await?;
        }
    }
    Ok(())
}
