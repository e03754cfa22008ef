//! Insights of sites: receiving events, and queries of them.

mod answer;
mod columns;
mod derive;
pub mod export;
pub mod hashes;
mod parts;
mod passed_on;
mod query;
mod segments;
mod track;

use entity::{ids::JobId, insights::removals};
use openapi::{
    error::ApiError,
    models::{
        QuerySiteInsights, SiteInsightsAnswer, SiteInsightsStoredEventList, SiteInsightsVisitorSegmentList,
        TrackSiteInsightsEvents,
    },
    operations::site_insights::{ListSiteInsightsEventsQuery, SiteInsightsApi},
};
use platform::{
    db::{Tx, rows},
    jobs::{NewJob, enqueue},
};

use super::{Insights, guard::TrackedSiteAccess, removal_jobs::RemoveVisitorEvents};
use crate::{
    areas::publishing::guard::SiteAccess,
    kernel::audit::{AuditTarget, Changed},
};

impl SiteInsightsApi for Insights {
    async fn track_events_in_site_by_id(
        &self,
        access: TrackedSiteAccess,
        body: TrackSiteInsightsEvents,
    ) -> Result<(), ApiError> {
        track::track(self, access, body).await
    }

    async fn list_site_insights_events(
        &self,
        access: SiteAccess,
        query: ListSiteInsightsEventsQuery,
    ) -> Result<SiteInsightsStoredEventList, ApiError> {
        let _turn = self.turn(access.row.organization_id).await?;
        export::list(self, access.row.id, query).await
    }

    async fn aggregate_site_events(
        &self,
        access: SiteAccess,
        body: QuerySiteInsights,
    ) -> Result<SiteInsightsAnswer, ApiError> {
        let query = query::read(body, self.kernel.clock.now())?;
        let columns = query.selected();
        let _turn = self.turn(access.row.organization_id).await?;
        let rows = self.engine.aggregate(access.row.id, query).await?;
        answer::view(columns, &rows)
    }

    async fn list_site_visitor_segments(&self, access: SiteAccess) -> Result<SiteInsightsVisitorSegmentList, ApiError> {
        let _turn = self.turn(access.row.organization_id).await?;
        segments::list(self, access.row.id).await
    }

    async fn delete_site_insights_visitor(&self, access: SiteAccess, visitor_id: String) -> Result<(), ApiError> {
        let (site, now) = (access.row, self.kernel.clock.now());
        let job: JobId = self.kernel.ids.next();
        let row = removals::Model {
            job_id: job,
            site_id: site.id,
            visitor: self.hashes.visitor(site.id, &visitor_id).cast_signed(),
        };
        let work = move |tx: Tx| async move {
            rows::insert(&tx, &row).await?;
            let job = NewJob {
                id: job,
                organization: Some(site.organization_id),
                payload: site.id,
            };
            enqueue::<RemoveVisitorEvents>(&tx, vec![job], now).await?;
            let target = AuditTarget::in_organization(site.organization_id, "site", site.id);
            Ok(Changed::of(target.labelled(site.title), ()))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }
}
