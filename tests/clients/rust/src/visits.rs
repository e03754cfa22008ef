//! What a visitor of a site does, and a conversation in which somebody asks for help.

use anyhow::{Result, ensure};
use serde_json::{from_value, json, to_value};

use crate::generated::{
    Client,
    types::{CreateSite, IngestConversation, QuerySiteInsights, TrackSiteInsightsEvents},
};

pub async fn visit(client: &Client, organization: &str) -> Result<()> {
    let body: CreateSite = from_value(json!({ "title": "Visited" }))?;
    let create = client.create_site().organization_id(organization);
    let site = create.body(body).send().await?.into_inner();
    let session = json!({
        "visitorId": "v", "sessionId": "s", "cookies": {}, "userAgent": "Rust", "language": "en", "referrer": null,
    });
    let location = json!({
        "url": "https://docs.tidewater.example/", "siteSection": null, "siteSpace": null, "siteShareKey": null,
        "space": null, "revision": null, "page": null,
    });
    let view = json!({ "type": "page_view", "session": session, "location": location });
    let body: TrackSiteInsightsEvents = from_value(json!({ "events": [view, view] }))?;
    let track = client.track_events_in_site_by_id().organization_id(organization);
    track.site_id(site.id.as_str()).body(body).send().await?;

    let query = json!({ "range": "last24Hours", "groupBy": [{ "column": "eventType" }] });
    let query: QuerySiteInsights = from_value(query)?;
    let ask = client.aggregate_site_events().organization_id(organization);
    let answer = ask.site_id(site.id.as_str()).body(query).send().await?.into_inner();
    let expected = json!([
        { "column": "eventType", "values": ["page_view"] },
        { "column": "eventsCount", "values": [2] },
    ]);
    ensure!(to_value(&answer.columns)? == expected, "{answer:?}");
    Ok(())
}

pub async fn ask_for_help(client: &Client, organization: &str) -> Result<()> {
    let question = json!({ "type": "message", "role": "user", "body": "The gripper does not open. What can I do?" });
    let body = json!({ "id": "made-in-rust", "subject": "Gripper", "parts": [question] });
    let body: IngestConversation = from_value(body)?;
    let ingest = client.ingest_conversation().organization_id(organization);
    ingest.body(body).send().await?;
    let list = client.list_conversations().organization_id(organization);
    let conversations = list.send().await?.into_inner();
    let mut subjects = conversations
        .items
        .iter()
        .map(|conversation| conversation.subject.as_deref());
    let is_ours = subjects.any(|subject| subject.is_some_and(|subject| subject == "Gripper"));
    ensure!(is_ours, "{conversations:?}");
    Ok(())
}
