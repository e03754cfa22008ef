//! Hooks of this context: its part in changes by other contexts.

use futures_util::future::{BoxFuture, FutureExt};
use openapi::error::ApiError;
use sea_orm::sea_query::SelectStatement;

use super::site_space_removal::{Left, remove};
use crate::kernel::hooks::{ContextHooks, HookContext, HookEvent};

pub struct PublishingHooks;

impl ContextHooks for PublishingHooks {
    fn spaces_removed<'a>(
        &'a self,
        context: &'a HookContext<'a>,
        spaces: &'a SelectStatement,
    ) -> BoxFuture<'a, Result<Vec<HookEvent>, ApiError>> {
        async {
            Ok(remove(context.tx, spaces.clone())
                .await?
                .iter()
                .map(Left::event)
                .collect())
        }
        .boxed()
    }
}
