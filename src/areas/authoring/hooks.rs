//! Hooks of this context: its part in changes by other contexts.

use entity::{
    authoring::{
        change_requests::{self, conflicts, contributors, requested_reviewers, reviews},
        comments::{self, commenters, counts, reaction_counts, reactions, repliers},
        pdf_exports,
    },
    ids::{ChangeRequestId, CommentId, IssuesClusterId, NodeId},
};
use futures_util::future::{BoxFuture, FutureExt};
use platform::db::{Db, rows};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Select, TryGetable, Value};

use super::change_requests::store as change_requests_store;
use crate::kernel::hooks::{ContextHooks, HookContext};

/// Comments or change requests whose rows are deleted together.
const PARENTS_AT_ONCE: u64 = 50;

pub struct AuthoringHooks;

impl ContextHooks for AuthoringHooks {
    fn clusters_merged<'a>(
        &'a self,
        context: &'a HookContext<'a>,
        former: IssuesClusterId,
        present: IssuesClusterId,
    ) -> BoxFuture<'a, Result<(), DbErr>> {
        change_requests_store::move_to_cluster(context.tx, former, present).boxed()
    }

    fn space_purged<'a>(&'a self, db: &'a Db, space: NodeId) -> BoxFuture<'a, Result<(), DbErr>> {
        remove_of_space(db, space).boxed()
    }
}

async fn remove_of_space(db: &Db, space: NodeId) -> Result<(), DbErr> {
    let comments = comments::Entity::find().filter(comments::Column::SpaceId.eq(space));
    // A comment takes its replies along, so they go before.
    delete_comments(db, comments.clone().filter(comments::Column::ParentId.is_not_null())).await?;
    delete_comments(db, comments).await?;
    delete_of::<commenters::Entity, _>(db, commenters::Column::SpaceId, &[space]).await?;
    delete_of::<counts::Entity, _>(db, counts::Column::SpaceId, &[space]).await?;
    delete_change_requests(db, space).await?;
    delete_of::<pdf_exports::Entity, _>(db, pdf_exports::Column::SpaceId, &[space]).await
}

async fn delete_comments(db: &Db, comments: Select<comments::Entity>) -> Result<(), DbErr> {
    use comments::{Column, Entity};
    loop {
        let batch: Vec<CommentId> = ids(db, comments.clone(), Column::Id).await?;
        if batch.is_empty() {
            return Ok(());
        }
        delete_of::<reactions::Entity, _>(db, reactions::Column::CommentId, &batch).await?;
        delete_of::<repliers::Entity, _>(db, repliers::Column::CommentId, &batch).await?;
        delete_of::<reaction_counts::Entity, _>(db, reaction_counts::Column::CommentId, &batch).await?;
        delete_of::<Entity, _>(db, Column::Id, &batch).await?;
    }
}

async fn delete_change_requests(db: &Db, space: NodeId) -> Result<(), DbErr> {
    use change_requests::{Column, Entity};
    loop {
        let of_space = Entity::find().filter(Column::SpaceId.eq(space));
        let batch: Vec<ChangeRequestId> = ids(db, of_space, Column::Id).await?;
        if batch.is_empty() {
            return Ok(());
        }
        delete_of::<contributors::Entity, _>(db, contributors::Column::ChangeRequestId, &batch).await?;
        delete_of::<conflicts::Entity, _>(db, conflicts::Column::ChangeRequestId, &batch).await?;
        delete_of::<requested_reviewers::Entity, _>(db, requested_reviewers::Column::ChangeRequestId, &batch).await?;
        delete_of::<reviews::Entity, _>(db, reviews::Column::ChangeRequestId, &batch).await?;
        delete_of::<Entity, _>(db, Column::Id, &batch).await?;
    }
}

/// Returns the ids of some of the rows.
async fn ids<E, I>(db: &Db, rows: Select<E>, id: E::Column) -> Result<Vec<I>, DbErr>
where
    E: EntityTrait,
    I: TryGetable + Send + Sync,
{
    let some = rows.select_only().column(id).limit(PARENTS_AT_ONCE);
    some.into_tuple().all(db.read()).await
}

/// Deletes the rows of these parents.
async fn delete_of<E, P>(db: &Db, parent: E::Column, parents: &[P]) -> Result<(), DbErr>
where
    E: EntityTrait,
    P: Copy + Into<Value>,
{
    let rows = E::find().filter(parent.is_in(parents.iter().copied()));
    rows::remove_in_steps(db, rows).await
}
