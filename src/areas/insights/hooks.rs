//! Hooks of this context: the events of a site go with the site.

use entity::{ids::SiteId, publishing::sites};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::error::ApiError;
use platform::jobs::{NewJob, enqueue};
use sea_orm::EntityTrait;

use super::removal_jobs::RemoveSiteEvents;
use crate::kernel::hooks::{ContextHooks, HookContext};

pub struct InsightsHooks;

impl ContextHooks for InsightsHooks {
    fn site_removed<'a>(&'a self, context: &'a HookContext<'a>, site: SiteId) -> BoxFuture<'a, Result<(), ApiError>> {
        async move {
            let row = sites::Entity::find_by_id(site).one(context.tx).await?;
            let job = NewJob {
                id: context.ids.next(),
                organization: row.map(|row| row.organization_id),
                payload: site,
            };
            Ok(enqueue::<RemoveSiteEvents>(context.tx, vec![job], context.now).await?)
        }
        .boxed()
    }
}
