//! Hooks of this context: the events of a site go with the site.

use entity::ids::{JobId, SiteId};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::error::ApiError;
use platform::jobs::enqueue;

use super::removal_jobs::RemoveSiteEvents;
use crate::kernel::hooks::{ContextHooks, HookContext};

pub struct InsightsHooks;

impl ContextHooks for InsightsHooks {
    fn site_removed<'a>(&'a self, context: &'a HookContext<'a>, site: SiteId) -> BoxFuture<'a, Result<(), ApiError>> {
        async move {
            let job: JobId = context.ids.next();
            Ok(enqueue::<RemoveSiteEvents>(context.tx, vec![(job, site)], context.now).await?)
        }
        .boxed()
    }
}
