//! Events of visitors, as the server itself sees them: without a script and without a cookie.

use std::{net::IpAddr, sync::LazyLock};

use openapi::{error::ApiError, models::TrackSiteInsightsEvents, operations::site_insights::SiteInsightsApi};
use poem::{Request, http::header};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tracing::Instrument;
use validator::Validate;
use web::Href;

use super::site::Site;

use crate::{
    access::request_context::ClientAddress,
    app::App,
    areas::{insights::guard::TrackedSiteAccess, publishing::published_content::Here},
};

/// Events that wait to be written. Further ones are not counted, so that a flood of readers does not fill the memory.
static WAITING: LazyLock<std::sync::Arc<Semaphore>> = LazyLock::new(|| std::sync::Arc::new(Semaphore::new(256)));

/// The longest text of a header that events have.
const MAX_HEADER: usize = 500;

/// What a visitor did.
pub struct Seen<'a> {
    /// The type of the event.
    pub kind: &'static str,
    /// `site`, `mcp` or `server`.
    pub context: &'static str,
    pub here: Option<&'a Here>,
    /// The id of the page, and its address.
    pub page: Option<(&'a str, &'a Href)>,
    /// The members of events of this type.
    pub members: Value,
}

/// Writes an event after the answer, unless the visitor asked not to be tracked or it is a preview. Returns whether it keeps the rules
/// of events.
pub fn note(app: &App, request: &Request, site: &Site, seen: Seen<'_>) -> bool {
    if site.visit.visit.preview_of.is_some() || wants_no_tracking(request) {
        return true;
    }
    let Ok(body) = event(app, request, site, &seen) else {
        return false;
    };
    let Ok(permit) = std::sync::Arc::clone(&WAITING).try_acquire_owned() else {
        return true;
    };
    let (app, access) = (app.clone(), access(request, site));
    let write = async move {
        if let Err(error) = app.insights.track_events_in_site_by_id(access, body).await {
            tracing::debug!(%error, "an event of a visitor is not counted");
        }
        drop(permit);
    };
    tokio::spawn(write.in_current_span());
    true
}

/// Writes an event that the visitor sends.
pub async fn send(app: &App, request: &Request, site: &Site, seen: Seen<'_>) -> Result<(), ApiError> {
    let body = event(app, request, site, &seen)?;
    app.insights
        .track_events_in_site_by_id(access(request, site), body)
        .await
}

fn access(request: &Request, site: &Site) -> TrackedSiteAccess {
    TrackedSiteAccess {
        caller: site.access().caller,
        row: site.visit.site.clone(),
        visit: Some(site.visit.visit.clone()),
        is_trusted: false,
        address: address(request),
    }
}

fn address(request: &Request) -> Option<IpAddr> {
    request.data::<ClientAddress>().map(|address| address.0)
}

fn wants_no_tracking(request: &Request) -> bool {
    ["dnt", "sec-gpc"].iter().any(|name| request.header(*name) == Some("1"))
}

/// The event, in which the visitor is a keyed hash of the day, the address and the browser: the next day it is another one.
fn event(app: &App, request: &Request, site: &Site, seen: &Seen<'_>) -> Result<TrackSiteInsightsEvents, ApiError> {
    let header = |name: header::HeaderName| {
        let value = request.headers().get(name).and_then(|value| value.to_str().ok())?;
        Some(value.chars().take(MAX_HEADER).collect::<String>())
    };
    let agent = header(header::USER_AGENT).unwrap_or_default();
    let day = app.kernel.clock.now().to_utc().date_naive();
    let who = format!("{day} {:?} {agent}", address(request));
    let visitor = format!("{:016x}", app.insights.hashes.visitor(site.visit.site.id, &who));
    let language = header(header::ACCEPT_LANGUAGE);
    let language = language
        .and_then(|all| all.split([',', ';']).next().map(str::to_owned))
        .filter(|it| it.len() <= 35);
    let here = seen.here;
    let path = seen.page.map_or(site.url.path(), |(_, href)| href.as_str());
    let mut event = json!({
        "type": seen.kind,
        "session": {
            "visitorId": visitor, "sessionId": visitor, "cookies": {}, "userAgent": agent,
            "language": language, "referrer": header(header::REFERER),
        },
        "location": {
            "url": site.absolute(path), "displayContext": seen.context,
            "siteSection": here.and_then(|here| here.section).map(|section| section.to_string()),
            "siteSpace": here.map(|here| here.item.to_string()),
            "space": here.map(|here| here.space.to_string()),
            "page": seen.page.map(|(page, _)| page),
        },
    });
    if let (Some(event), Value::Object(members)) = (event.as_object_mut(), &seen.members) {
        event.extend(members.clone());
    }
    let body: TrackSiteInsightsEvents = serde_json::from_value(json!({ "events": [event] }))?;
    body.validate().map_err(|error| ApiError::internal(error.to_string()))?;
    Ok(body)
}
