//! Events of visitors of sites, for the integrations that may see them.
//!
//! What a visitor's browser sends at once is a single row, inserted in the transaction that takes it. [`run`] puts the events into the
//! queues of installations in small transactions.

mod queue;

use std::collections::BTreeMap;

use entity::{
    ids::{IntegrationInstallationId, NodeId, OrganizationId, PageId, SiteId, SiteSpaceId, VisitorBatchId},
    integrations::visitor_batches::{Column, Entity, Model},
};
use openapi::{error::ApiError, models::IntegrationScope};
use platform::db::{Tx, rows};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use serde::{Deserialize, Serialize};

pub use self::queue::{queue_recorded, run};

use super::subscribers::{self, Subscriber};
use crate::kernel::Kernel;

/// Installations on a site that get events of visitors: the oldest.
const MAX_SUBSCRIBERS: usize = 50;

/// The largest size of the batches of an organization that wait, in bytes. Further ones are dropped: whoever reads a site does not fill the
/// database.
const MAX_WAITING: i64 = 16 * 1024 * 1024;

/// What a visitor of a site did.
#[derive(Clone, Serialize, Deserialize)]
pub struct VisitorEvent {
    pub action: VisitorAction,
    pub space: Option<NodeId>,
    pub site_space: Option<SiteSpaceId>,
    pub page: Option<PageId>,
    pub url: String,
    /// Empty: there is none.
    pub referrer: String,
    pub visitor: Visitor,
}

#[derive(Clone, Serialize, Deserialize)]
pub enum VisitorAction {
    SiteView,
    PageFeedback { rating: String, comment: Option<String> },
}

/// A visitor as integrations see them.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Visitor {
    pub anonymous_id: String,
    pub cookies: BTreeMap<String, String>,
    pub user_agent: String,
    pub ip: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The payload of an event.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Payload<'a> {
    r#type: &'static str,
    installation_id: IntegrationInstallationId,
    site_id: SiteId,
    #[serde(skip_serializing_if = "Option::is_none")]
    space_id: Option<NodeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site_space_id: Option<SiteSpaceId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_id: Option<PageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<Feedback<'a>>,
    visitor: &'a Visitor,
    url: &'a str,
    referrer: &'a str,
}

#[derive(Serialize)]
struct Feedback<'a> {
    rating: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a str>,
}

impl VisitorEvent {
    fn scope(&self) -> IntegrationScope {
        match self.action {
            VisitorAction::SiteView => IntegrationScope::SiteViewsRead,
            VisitorAction::PageFeedback { .. } => IntegrationScope::PageFeedbackRead,
        }
    }

    fn payload(&self, site: SiteId, installation: IntegrationInstallationId) -> Payload<'_> {
        let (name, site_space_id, feedback) = match &self.action {
            VisitorAction::SiteView => ("site_view", self.site_space, None),
            VisitorAction::PageFeedback { rating, comment } => {
                let feedback = Feedback {
                    rating,
                    comment: comment.as_deref(),
                };
                ("page_feedback", None, Some(feedback))
            }
        };
        Payload {
            r#type: name,
            installation_id: installation,
            site_id: site,
            space_id: self.space,
            site_space_id,
            page_id: self.page,
            feedback,
            visitor: &self.visitor,
            url: &self.url,
            referrer: &self.referrer,
        }
    }
}

/// Prepares what visitors of a site did for [`record`]. `None`: no active installation may know of it, or its organization lags.
pub async fn prepare(
    kernel: &Kernel,
    organization: OrganizationId,
    site: SiteId,
    events: &[VisitorEvent],
) -> Result<Option<Model>, ApiError> {
    let db = kernel.db.read();
    if events.is_empty() || subscribers(db, site, events).await?.is_empty() || lags(db, organization).await? {
        return Ok(None);
    }
    let (id, events) = (kernel.ids.next(), serde_json::to_vec(events)?);
    Ok(Some(Model {
        id,
        organization_id: organization,
        site_id: site,
        size: i32::try_from(events.len()).unwrap_or(i32::MAX),
        next_event: 0,
        events: kernel.secrets.seal(&purpose(id), &events).map_err(ApiError::internal)?,
    }))
}

/// Records what visitors of a site did.
pub async fn record(tx: &Tx, batch: &Model) -> Result<(), DbErr> {
    rows::insert(tx, batch).await
}

fn purpose(batch: VisitorBatchId) -> String {
    format!("events of visitors {batch}")
}

/// Returns whether too much of an organization waits to be put into queues.
async fn lags(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<bool, DbErr> {
    let waiting: Option<Option<i64>> = Entity::find()
        .select_only()
        .column_as(Column::Size.sum(), "size")
        .filter(Column::OrganizationId.eq(organization))
        .into_tuple()
        .one(db)
        .await?;
    Ok(waiting.flatten().unwrap_or_default() >= MAX_WAITING)
}

/// The active installations on a site that may know of one of the events.
async fn subscribers(
    db: &impl ConnectionTrait,
    site: SiteId,
    events: &[VisitorEvent],
) -> Result<Vec<Subscriber>, DbErr> {
    let mut subscribers = subscribers::of_site(db, site).await?;
    subscribers.retain(|subscriber| events.iter().any(|event| subscriber.has_scope(event.scope())));
    subscribers.truncate(MAX_SUBSCRIBERS);
    Ok(subscribers)
}
