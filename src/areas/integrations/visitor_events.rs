//! Events of visitors of sites, for the integrations that may see them.

use std::collections::{BTreeMap, HashMap};

use entity::{
    ids::{DeliveryQueueId, IntegrationInstallationId, NodeId, PageId, SiteId, SiteSpaceId},
    timestamp::Timestamp,
};
use openapi::models::IntegrationScope;
use platform::db::Tx;
use sea_orm::DbErr;
use serde::Serialize;

use super::{
    outbox::{self, NewDelivery, NewEvent, Recipient},
    space_events,
    subscribers::{self, Subscriber},
};
use crate::kernel::Kernel;

/// Pending events of an installation, above which it gets no more events of visitors: whoever reads a site does not fill the database.
const MAX_BACKLOG: u64 = 5_000;

/// What a visitor of a site did.
#[derive(Clone)]
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

#[derive(Clone)]
pub enum VisitorAction {
    SiteView,
    PageFeedback {
        rating: &'static str,
        comment: Option<String>,
    },
}

/// A visitor as integrations see them.
#[derive(Clone, Serialize)]
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
    rating: &'static str,
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

/// Records what visitors of a site did, in its order, for the active installations that have the scopes. Call
/// [`platform::jobs::JobQueue::wake`] after the commit.
pub async fn record(tx: &Tx, kernel: &Kernel, site: SiteId, events: Vec<VisitorEvent>) -> Result<(), DbErr> {
    if events.is_empty() {
        return Ok(());
    }
    let mut subscribers = subscribers::of_site(tx, site).await?;
    subscribers.retain(|subscriber| events.iter().any(|event| subscriber.has_scope(event.scope())));
    if subscribers.is_empty() {
        return Ok(());
    }
    let queues = subscribers.iter().map(|subscriber| subscriber.recipient.queue());
    let backlogs = outbox::count_pending(tx, queues.collect()).await?;
    subscribers.retain(|subscriber| !lags(&backlogs, subscriber));
    // Delivery ids define the order, so pending content changes get theirs first.
    space_events::announce_all(&kernel.hooks.context(tx)).await?;
    let (mut deliveries, now) = (Vec::new(), kernel.clock.now());
    for event in &events {
        for subscriber in subscribers.iter().filter(|to| to.has_scope(event.scope())) {
            deliveries.extend(delivery(kernel, site, event, subscriber.recipient, now)?);
        }
    }
    outbox::add(tx, &kernel.ids, &kernel.secrets, deliveries, now).await
}

fn lags(backlogs: &HashMap<DeliveryQueueId, u64>, subscriber: &Subscriber) -> bool {
    let backlog = backlogs.get(&subscriber.recipient.queue());
    backlog.is_some_and(|pending| *pending >= MAX_BACKLOG)
}

/// `None`: the recipient is no installation.
fn delivery(
    kernel: &Kernel,
    site: SiteId,
    event: &VisitorEvent,
    recipient: Recipient,
    now: Timestamp,
) -> Result<Option<NewDelivery>, DbErr> {
    let Recipient::Installation(integration, installation) = recipient else {
        return Ok(None);
    };
    let payload = serde_json::to_value(event.payload(site, installation));
    let event = NewEvent {
        integration,
        installation: Some(installation),
        payload: payload.map_err(|error| DbErr::Json(error.to_string()))?,
        due: now,
    };
    Ok(Some(outbox::integration_event(kernel.ids.next(), event)))
}
