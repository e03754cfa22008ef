//! Receiving events.

use entity::{
    insights::batches,
    publishing::sites::{self, publishing_auth},
    timestamp::Timestamp,
};
use insights::{Event, encode};
use openapi::{error::ApiError, models::TrackSiteInsightsEvents, values::Maybe, work::off_runtime};
use platform::{
    db::{QueryTemplate, Tx, positional},
    request_context::RequestContext,
};
use sha2::{Digest, Sha256};

use super::{derive::Received, parts::Parts, passed_on};
use crate::areas::{
    insights::{Insights, guard::TrackedSiteAccess, inbox},
    integrations::visitor_events,
};

/// More events are encoded beside other requests.
const MANY_EVENTS: usize = 200;

pub(super) async fn track(
    insights: &Insights,
    access: TrackedSiteAccess,
    body: TrackSiteInsightsEvents,
) -> Result<(), ApiError> {
    let TrackedSiteAccess {
        caller,
        row: site,
        visit,
        is_trusted,
        address,
    } = access;
    insights.inbox.require_room().await?;
    inbox::require_share_of_day(insights.kernel.db.read(), site.id, insights.kernel.clock.now()).await?;
    let sent = serde_json::to_vec(&body)?;
    let parts: Vec<Parts> = body.events.into_iter().map(Parts::from).collect();
    let received = Received {
        insights,
        site: site.id,
        is_trusted,
        address,
        visit,
        key_number: key_number(insights, &parts, &site).await?,
        now: insights.kernel.clock.now(),
    };
    let parts = received.readable(parts)?;
    let (encoded, bytes) = off_runtime(parts.len() > MANY_EVENTS, || {
        let events = received.events(&parts);
        (encode(&events), events.iter().map(Event::bytes).sum::<u64>())
    });
    // Without times, the same batch may be the same page that was seen twice.
    let has_times = parts.iter().all(|part| part.timestamp.is_some());
    let digest = has_times.then(|| Sha256::digest(&sent).to_vec());
    let now = received.now;
    let row = batches::Model {
        id: insights.kernel.ids.next(),
        site_id: site.id,
        chunk_id: None,
        received_at: now,
        events: i32::try_from(encoded.events).unwrap_or(i32::MAX),
        first_at: Timestamp::from_millis(encoded.first),
        last_at: Timestamp::from_millis(encoded.last),
        bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
        data: encoded.to_bytes(),
    };
    let events = passed_on::events(&received, &site, &parts).await?;
    let passed_on = visitor_events::prepare(&insights.kernel, site.organization_id, site.id, &events).await?;
    let work = move |tx: Tx| async move {
        caller.check_again(&tx, now).await?;
        if inbox::insert(&tx, &row, digest).await?
            && let Some(batch) = &passed_on
        {
            visitor_events::record(&tx, batch).await?;
        }
        Ok::<_, ApiError>(())
    };
    insights.kernel.db.write(work).await?;
    RequestContext::with_current(RequestContext::note_commit);
    Ok(())
}

/// The number of the key that signs the tokens of the visitors of a site, if the request has such tokens.
async fn key_number(insights: &Insights, parts: &[Parts], site: &sites::Model) -> Result<i32, ApiError> {
    static TEMPLATE: QueryTemplate<1> = QueryTemplate::new();
    let has_token = |part: &Parts| matches!(part.session.visitor_auth_token, Maybe::Value(_));
    if !parts.iter().any(has_token) {
        return Ok(0);
    }
    let db = insights.kernel.db.read();
    let row = positional::by_id::<publishing_auth::Entity>(db, &TEMPLATE, *site.id.as_uuid()).await?;
    Ok(row.map_or(0, |row| row.key_number))
}
