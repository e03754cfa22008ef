//! Removing spaces and collections for good, in transactions of few rows.
//!
//! The first step takes away the possibility to restore the node, so the others may delete its rows one after the other. Each
//! step begins with what is left: a purge that was interrupted is continued by the next one, and several servers may purge
//! at once.

use entity::{
    ids::NodeId,
    library::{
        nodes::{self, NodeKind},
        permissions,
    },
    timestamp::Timestamp,
};
use platform::db::{Tx, rows};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{access::restore_horizon, kernel::Kernel};

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
pub async fn purge(kernel: &Kernel) -> Result<(), DbErr> {
    while let Some((node, kind)) = begin(kernel).await? {
        let permissions = permissions::Entity::find().filter(permissions::Column::NodeId.eq(node));
        rows::remove_in_steps(&kernel.db, permissions).await?;
        if kind == NodeKind::Space {
            // Everything of which there may be many rows. The others go with the space.
            kernel.hooks.space_purged(&kernel.db, node).await?;
        }
        let work = move |tx| async move {
            let purged = nodes::Entity::delete_many()
                .filter(nodes::Column::Id.eq(node))
                .filter(nodes::Column::DeletedAt.eq(PURGED));
            purged.exec(&tx).await.map(drop)
        };
        kernel.db.write(work).await?;
    }
    Ok(())
}

/// Begins, or continues, the purge of a node that has no nodes below it.
async fn begin(kernel: &Kernel) -> Result<Option<(NodeId, NodeKind)>, DbErr> {
    let horizon = restore_horizon(kernel.clock.now());
    match next(kernel.db.read(), horizon).await? {
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
    kernel.db.write(work).await
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
