//! Removing spaces and collections for good, in transactions of few rows.
//!
//! The first step takes away the possibility to restore the node, so the others may delete its rows one after the other. Each
//! step begins with what is left: a purge that was interrupted is continued by the next one, and several servers may purge
//! at once.

use content::objects;
use entity::{
    blobs::spaces as space_blobs,
    change_requests::{self, conflicts, contributors, requested_reviewers, reviews},
    comments::{self, commenters, counts, reaction_counts, reactions, repliers},
    content_objects,
    ids::{ChangeRequestId, CommentId, NodeId},
    nodes::{self, NodeKind},
    page_links, pdf_exports, permissions, revisions,
    search::spaces as indexed_spaces,
    timestamp::Timestamp,
};
use platform::db::{Tx, rows};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, TryGetable, Value,
    sea_query::{Expr, ExprTrait, Query},
};
use search::index;

use crate::{access::restore_horizon, app::App};

/// Comments or change requests whose rows are deleted together.
const PARENTS_AT_ONCE: u64 = 50;

/// Replaces the time of deletion when the purge of a node begins: no clock, on whichever server, lets it be restored then.
const PURGED: Timestamp = Timestamp::from_millis(0);

/// Has the next purge remove a deleted node.
pub async fn begin_now(tx: &Tx, node: NodeId) -> Result<(), DbErr> {
    let deleted = nodes::Entity::update_many()
        .col_expr(nodes::Column::DeletedAt, Expr::value(PURGED))
        .filter(nodes::Column::Id.eq(node))
        .filter(nodes::Column::DeletedAt.is_not_null());
    deleted.exec(tx).await.map(drop)
}

/// Removes nodes whose time to be restored is over; run by a job, not by requests.
pub async fn purge(app: &App) -> Result<(), DbErr> {
    while let Some((node, kind)) = begin(app).await? {
        delete_of::<permissions::Entity, _>(app, permissions::Column::NodeId, &[node]).await?;
        if kind == NodeKind::Space {
            empty(app, node).await?;
        }
        let work = move |tx| async move {
            let purged = nodes::Entity::delete_many()
                .filter(nodes::Column::Id.eq(node))
                .filter(nodes::Column::DeletedAt.eq(PURGED));
            purged.exec(&tx).await.map(drop)
        };
        app.db.write(work).await?;
    }
    Ok(())
}

/// Begins, or continues, the purge of a node that has no nodes below it.
async fn begin(app: &App) -> Result<Option<(NodeId, NodeKind)>, DbErr> {
    let horizon = restore_horizon(app.clock.now());
    match next(app.db.read(), horizon).await? {
        // Usually there is nothing to purge.
        None => return Ok(None),
        Some((node, kind, PURGED)) => return Ok(Some((node, kind))),
        Some(_) => {}
    }
    let work = move |tx: Tx| async move {
        let Some((node, kind, _)) = next(&tx, horizon).await? else {
            return Ok(None);
        };
        nodes::Entity::update_many()
            .col_expr(nodes::Column::DeletedAt, Expr::value(PURGED))
            .filter(nodes::Column::Id.eq(node))
            .exec(&tx)
            .await?;
        Ok(Some((node, kind)))
    };
    app.db.write(work).await
}

async fn next(db: &impl ConnectionTrait, horizon: Timestamp) -> Result<Option<(NodeId, NodeKind, Timestamp)>, DbErr> {
    use nodes::{Column, Entity};
    const CHILD: &str = "child";
    let child = |column: Column| Expr::col((CHILD, column)).equals((Entity, column));
    let below = Query::select()
        .expr(Expr::value(1))
        .from_as(Entity, CHILD)
        .and_where(child(Column::OrganizationId))
        .and_where(Expr::col((CHILD, Column::ParentId)).equals((Entity, Column::Id)))
        .take();
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::Kind, Column::DeletedAt])
        .filter(Column::DeletedAt.lt(horizon))
        .filter(Expr::exists(below).not())
        .order_by_asc(Column::DeletedAt)
        .order_by_desc(Column::Id)
        .limit(1)
        .into_tuple()
        .one(db)
        .await
}

/// Deletes everything in a space of which there may be many rows. The others go with the space.
async fn empty(app: &App, space: NodeId) -> Result<(), DbErr> {
    let comments = comments::Entity::find().filter(comments::Column::SpaceId.eq(space));
    // A comment takes its replies along, so they go before.
    delete_comments(app, comments.clone().filter(comments::Column::ParentId.is_not_null())).await?;
    delete_comments(app, comments).await?;
    delete_of::<commenters::Entity, _>(app, commenters::Column::SpaceId, &[space]).await?;
    delete_of::<counts::Entity, _>(app, counts::Column::SpaceId, &[space]).await?;
    delete_change_requests(app, space).await?;
    delete_of::<pdf_exports::Entity, _>(app, pdf_exports::Column::SpaceId, &[space]).await?;
    delete_of::<page_links::Entity, _>(app, page_links::Column::SpaceId, &[space]).await?;
    delete_of::<revisions::Entity, _>(app, revisions::Column::SpaceId, &[space]).await?;
    delete_of::<space_blobs::Entity, _>(app, space_blobs::Column::SpaceId, &[space]).await?;
    remove_from_search(app, space).await?;
    let objects = content_objects::Entity::find().filter(content_objects::Column::SpaceId.eq(space));
    while rows::is_any(app.db.read(), objects.clone()).await? {
        let work = move |tx: Tx| async move { objects::remove_some(&tx, space).await };
        app.db.write(work).await?;
    }
    Ok(())
}

/// Removes a space from the search index.
async fn remove_from_search(app: &App, space: NodeId) -> Result<(), DbErr> {
    let indexed = indexed_spaces::Entity::find().filter(indexed_spaces::Column::SpaceId.eq(space));
    while rows::is_any(app.db.read(), indexed.clone()).await? {
        let removals = index::removals(app.db.read(), space).await?;
        if removals.is_empty() {
            let work = move |tx| async move { index::remove_words(&tx, space).await };
            app.db.write(work).await?;
        }
        for entries in removals {
            let work = move |tx| async move { index::remove_entries(&tx, entries).await };
            app.db.write(work).await?;
        }
    }
    Ok(())
}

async fn delete_comments(app: &App, comments: Select<comments::Entity>) -> Result<(), DbErr> {
    use comments::{Column, Entity};
    loop {
        let batch: Vec<CommentId> = ids(app, comments.clone(), Column::Id).await?;
        if batch.is_empty() {
            return Ok(());
        }
        delete_of::<reactions::Entity, _>(app, reactions::Column::CommentId, &batch).await?;
        delete_of::<repliers::Entity, _>(app, repliers::Column::CommentId, &batch).await?;
        delete_of::<reaction_counts::Entity, _>(app, reaction_counts::Column::CommentId, &batch).await?;
        delete_of::<Entity, _>(app, Column::Id, &batch).await?;
    }
}

async fn delete_change_requests(app: &App, space: NodeId) -> Result<(), DbErr> {
    use change_requests::{Column, Entity};
    loop {
        let of_space = Entity::find().filter(Column::SpaceId.eq(space));
        let batch: Vec<ChangeRequestId> = ids(app, of_space, Column::Id).await?;
        if batch.is_empty() {
            return Ok(());
        }
        delete_of::<contributors::Entity, _>(app, contributors::Column::ChangeRequestId, &batch).await?;
        delete_of::<conflicts::Entity, _>(app, conflicts::Column::ChangeRequestId, &batch).await?;
        delete_of::<requested_reviewers::Entity, _>(app, requested_reviewers::Column::ChangeRequestId, &batch).await?;
        delete_of::<reviews::Entity, _>(app, reviews::Column::ChangeRequestId, &batch).await?;
        delete_of::<Entity, _>(app, Column::Id, &batch).await?;
    }
}

/// Returns the ids of some of the rows.
async fn ids<E, I>(app: &App, rows: Select<E>, id: E::Column) -> Result<Vec<I>, DbErr>
where
    E: EntityTrait,
    I: TryGetable + Send + Sync,
{
    let some = rows.select_only().column(id).limit(PARENTS_AT_ONCE);
    some.into_tuple().all(app.db.read()).await
}

/// Deletes the rows of these parents.
async fn delete_of<E, P>(app: &App, parent: E::Column, parents: &[P]) -> Result<(), DbErr>
where
    E: EntityTrait,
    P: Copy + Into<Value>,
{
    let rows = E::find().filter(parent.is_in(parents.iter().copied()));
    rows::remove_in_steps(&app.db, rows).await
}
