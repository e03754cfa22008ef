//! Hooks of this context: its part in changes by other contexts.

use entity::{
    exchange::{git_commits, git_entries},
    ids::NodeId,
};
use futures_util::future::{BoxFuture, FutureExt};
use platform::db::{Db, rows};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

use crate::kernel::hooks::ContextHooks;

pub struct ExchangeHooks;

impl ContextHooks for ExchangeHooks {
    /// The rows of which a space may have many; the others go with it.
    fn space_purged<'a>(&'a self, db: &'a Db, space: NodeId) -> BoxFuture<'a, Result<(), DbErr>> {
        async move {
            let entries = git_entries::Entity::find().filter(git_entries::Column::SpaceId.eq(space));
            rows::remove_in_steps(db, entries).await?;
            let commits = git_commits::Entity::find().filter(git_commits::Column::SpaceId.eq(space));
            rows::remove_in_steps(db, commits).await
        }
        .boxed()
    }
}
