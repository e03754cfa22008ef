//! Hooks of this context: its part in changes by other contexts.

use futures_util::future::{BoxFuture, FutureExt};
use sea_orm::DbErr;

use super::translation_runs::source_changed;
use crate::kernel::hooks::{ContentChange, ContextHooks, HookContext};

pub struct LanguagesHooks;

impl ContextHooks for LanguagesHooks {
    fn content_changed<'a>(
        &'a self,
        context: &'a HookContext<'a>,
        change: &'a ContentChange,
    ) -> BoxFuture<'a, Result<(), DbErr>> {
        source_changed(context.tx, change.space, context.now).boxed()
    }
}
