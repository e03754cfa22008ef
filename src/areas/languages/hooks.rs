//! Hooks of this context: its part in changes by other contexts.

use entity::{ids::NodeId, timestamp::Timestamp};
use futures_util::future::{BoxFuture, FutureExt};
use platform::db::Tx;
use sea_orm::DbErr;

use super::translation_runs::source_changed;
use crate::kernel::hooks::ContextHooks;

pub struct LanguagesHooks;

impl ContextHooks for LanguagesHooks {
    fn content_changed<'a>(&'a self, tx: &'a Tx, space: NodeId, now: Timestamp) -> BoxFuture<'a, Result<(), DbErr>> {
        source_changed(tx, space, now).boxed()
    }
}
