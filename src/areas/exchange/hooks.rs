//! Hooks of this context: its part in changes by other contexts.

use entity::{
    exchange::{git_commits, git_entries, git_syncs},
    ids::NodeId,
};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::error::ApiError;
use platform::db::{Db, rows};
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, sea_query::SelectStatement};

use super::git::{automatic, store};
use crate::kernel::hooks::{ContentChange, ContextHooks, HookContext, HookEvent};

pub struct ExchangeHooks;

impl ContextHooks for ExchangeHooks {
    fn content_changed<'a>(
        &'a self,
        context: &'a HookContext<'a>,
        change: &'a ContentChange,
    ) -> BoxFuture<'a, Result<(), DbErr>> {
        automatic::content_changed(context.tx, context.ids, change.space, context.now).boxed()
    }

    /// Credentials do not leave the organization, and nothing is synchronized with what is deleted.
    fn spaces_removed<'a>(
        &'a self,
        context: &'a HookContext<'a>,
        spaces: &'a SelectStatement,
    ) -> BoxFuture<'a, Result<Vec<HookEvent>, ApiError>> {
        async move {
            let of = git_syncs::Column::SpaceId.in_subquery(spaces.clone());
            store::uninstall(context.tx, Condition::all().add(of)).await?;
            Ok(Vec::new())
        }
        .boxed()
    }

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
