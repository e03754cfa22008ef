//! Events of visitors of sites, for the integrations that may see them.

use std::collections::BTreeMap;

use bindery::areas::integrations::{
    outbox::Recipient,
    visitor_events::{self, Visitor, VisitorAction, VisitorEvent},
};
use chrono::TimeDelta;
use entity::{
    ids::IntegrationInstallationId,
    integrations::{deliveries, visitor_batches},
};
use platform::db::Tx;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    deliveries::{announce, deliver, world_with_receivers},
    installed::Installed,
    receiver::Receiver,
    world::World,
};

on_each_database![
    scopes_decide_who_gets_events_of_visitors,
    installations_that_are_not_active_get_none,
    an_installation_that_lags_gets_no_more,
    events_in_a_space_reach_installations_on_the_site,
    a_batch_is_one_row_and_reaches_fifty_installations,
    a_failed_view_holds_up_nothing_and_is_given_up_within_a_minute,
];

fn event(action: VisitorAction) -> VisitorEvent {
    VisitorEvent {
        action,
        space: None,
        site_space: None,
        page: None,
        url: "https://tidewater.example/start".to_owned(),
        referrer: String::new(),
        visitor: Visitor {
            anonymous_id: "visitor-1".to_owned(),
            cookies: BTreeMap::from([("tide".to_owned(), "high".to_owned())]),
            user_agent: "Browser".to_owned(),
            ip: "192.0.2.7".to_owned(),
            language: None,
        },
    }
}

fn feedback() -> VisitorAction {
    VisitorAction::PageFeedback {
        rating: "good".to_owned(),
        comment: Some("Clear.".to_owned()),
    }
}

/// Records events of visitors of the site of the organization. Returns whether there is a receiver.
async fn record_only(world: &World, events: Vec<VisitorEvent>) -> bool {
    let (kernel, site) = (&world.app().kernel, world.own("siteId").parse().unwrap());
    let batch = visitor_events::prepare(kernel, world.organization, site, &events).await;
    let Some(batch) = batch.unwrap() else {
        return false;
    };
    let work = move |tx: Tx| async move { visitor_events::record(&tx, &batch).await };
    kernel.db.write(work).await.unwrap();
    true
}

/// The same, and puts the events into the queues of their receivers.
async fn record(world: &World, events: Vec<VisitorEvent>) {
    record_only(world, events).await;
    announce(world.app()).await;
}

/// The number of events for visitors that an installation has.
async fn count(world: &World, installed: &Installed, id: IntegrationInstallationId) -> u64 {
    let queue = Recipient::Visitors(installed.integration, id).queue();
    let rows = deliveries::Entity::find().filter(deliveries::Column::QueueId.eq(queue));
    rows.count(world.app().kernel.db.read()).await.unwrap()
}

/// Sends the events of an integration to a receiver, and delivers those that there are.
async fn tunnel(world: &World, name: &str) -> Receiver {
    let tunnel = Receiver::start().await;
    let start = world.admin.client.call("setIntegrationDevelopmentMode");
    let body = json!({ "tunnelUrl": tunnel.url, "all": true });
    start.path("integrationName", name).json(body).expect(204).await;
    deliver(world.app()).await;
    tunnel.take();
    tunnel
}

/// The addresses of the views that have arrived since the last call.
fn urls(tunnel: &Receiver) -> Vec<Value> {
    tunnel
        .take()
        .iter()
        .map(|request| request.part("event")["url"].clone())
        .collect()
}

/// The payloads of the events of visitors that an integration gets, in their order.
async fn payloads(world: &World, name: &str) -> Vec<Value> {
    let list = world
        .admin
        .client
        .call("listIntegrationEvents")
        .path("integrationName", name)
        .query("status", "pending");
    let list = list.expect(200).await;
    let payloads = list["items"].as_array().unwrap().iter().rev();
    let payloads = payloads.map(|event| event["payload"].clone());
    payloads
        .filter(|payload| !payload["type"].as_str().unwrap().contains("installation"))
        .collect()
}

async fn scopes_decide_who_gets_events_of_visitors(database: TestDatabase) {
    let world = World::new(database).await;
    let views = Installed::everywhere(&world, "views", &["site:views:read"]).await;
    let ratings = Installed::everywhere(&world, "ratings", &["page:feedback:read"]).await;
    Installed::everywhere(&world, "neither", &["space:content:read"]).await;
    Installed::nowhere(&world, "elsewhere", &["site:views:read"]).await;
    record(&world, vec![event(VisitorAction::SiteView), event(feedback())]).await;
    let [view] = payloads(&world, "views").await.try_into().unwrap();
    let visitor = json!({
        "anonymousId": "visitor-1",
        "cookies": { "tide": "high" },
        "userAgent": "Browser",
        "ip": "192.0.2.7",
    });
    assert_eq!(
        view,
        json!({
            "eventId": view["eventId"],
            "type": "site_view",
            "installationId": views.id,
            "siteId": world.own("siteId"),
            "url": "https://tidewater.example/start",
            "referrer": "",
            "visitor": visitor,
        })
    );
    let [rating] = payloads(&world, "ratings").await.try_into().unwrap();
    assert_eq!(
        (&rating["type"], &rating["installationId"], &rating["feedback"]),
        (
            &json!("page_feedback"),
            &json!(ratings.id),
            &json!({ "rating": "good", "comment": "Clear." })
        )
    );
    for name in ["neither", "elsewhere"] {
        assert_eq!(payloads(&world, name).await, Vec::<Value>::new());
    }
}

async fn installations_that_are_not_active_get_none(database: TestDatabase) {
    let world = World::new(database).await;
    let everywhere = Installed::nowhere(&world, "views", &["site:views:read"]).await;
    let update = async |change: Value| {
        let call = world.admin.client.call("updateIntegrationInstallation");
        let call = call.path("integrationName", "views");
        call.path("installationId", everywhere.id)
            .json(change)
            .expect(200)
            .await;
    };
    update(json!({ "site_selection": "all" })).await;
    record(&world, vec![event(VisitorAction::SiteView)]).await;
    assert_eq!(payloads(&world, "views").await.len(), 1);
    // Without the configuration of the site, the installation waits there.
    let harbor = json!({ "properties": { "harbor": { "type": "string" } }, "required": ["harbor"] });
    let members = json!({ "scopes": ["site:views:read"], "configurations": { "site": harbor } });
    world.publish("views", members).await;
    record(&world, vec![event(VisitorAction::SiteView)]).await;
    assert_eq!(payloads(&world, "views").await.len(), 1);
    let configure = world.admin.client.call("updateIntegrationSiteInstallation");
    let configure = configure.path("integrationName", "views");
    let configure = configure
        .path("installationId", everywhere.id)
        .path("siteId", world.own("siteId"));
    let configuration = json!({ "configuration": { "harbor": "north" } });
    configure.json(configuration).expect(200).await;
    record(&world, vec![event(VisitorAction::SiteView)]).await;
    assert_eq!(payloads(&world, "views").await.len(), 2);
}

async fn an_installation_that_lags_gets_no_more(database: TestDatabase) {
    let world = World::new(database).await;
    let views = Installed::everywhere(&world, "views", &["site:views:read"]).await;
    // What is added counts, too.
    for batch in [4_999, 3, 1] {
        let many = std::iter::repeat_with(|| event(VisitorAction::SiteView)).take(batch);
        record(&world, many.collect()).await;
    }
    assert_eq!(count(&world, &views, views.id).await, 5_000);
}

async fn events_in_a_space_reach_installations_on_the_site(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let scopes = ["site:views:read", "page:feedback:read"];
    for target in ["site", "all"] {
        let name = format!("views-{target}");
        let installed = Installed::nowhere(&world, &name, &scopes).await;
        let members = json!({ "scopes": scopes, "target": target });
        world.publish(&name, members).await;
        let install = world.admin.client.call("installIntegrationOnSite");
        let install = install
            .path("integrationName", &name)
            .path("installationId", installed.id);
        install.json(json!({ "siteId": world.own("siteId") })).expect(201).await;
        let tunnel = tunnel(&world, &name).await;
        let in_space = |action| VisitorEvent {
            space: Some(world.space),
            ..event(action)
        };
        record(&world, vec![in_space(VisitorAction::SiteView), in_space(feedback())]).await;
        deliver(world.app()).await;
        let sent: Vec<Value> = tunnel.take().iter().map(|request| request.part("event")).collect();
        let types: Vec<&Value> = sent.iter().map(|event| &event["type"]).collect();
        assert_eq!(types, ["site_view", "page_feedback"], "{target}");
        assert!(
            sent.iter().all(|event| event["spaceId"] == json!(world.space)),
            "{sent:?}"
        );
    }
}

async fn a_batch_is_one_row_and_reaches_fifty_installations(database: TestDatabase) {
    let world = World::new(database).await;
    let scopes = json!(["site:views:read"]);
    let mut installed = Vec::new();
    for number in 0..51 {
        let name = format!("views-{number}");
        world.publish(&name, json!({ "scopes": scopes })).await;
        let id = world.add_installation(&name, world.organization, scopes.clone()).await;
        installed.push((world.integration(&name).await.id, id));
    }
    let many = std::iter::repeat_with(|| event(VisitorAction::SiteView)).take(20);
    assert!(record_only(&world, many.collect()).await);
    let db = world.app().kernel.db.read();
    let batches = async || visitor_batches::Entity::find().count(db).await.unwrap();
    let views = async || {
        let views = deliveries::Entity::find().filter(deliveries::Column::EventType.eq("site_view"));
        views.count(db).await.unwrap()
    };
    assert_eq!((batches().await, views().await), (1, 0));
    announce(world.app()).await;
    assert_eq!((batches().await, views().await), (0, 20 * 50));
    for (position, (integration, id)) in installed.into_iter().enumerate() {
        let queue = Recipient::Visitors(integration, id).queue();
        let rows = deliveries::Entity::find().filter(deliveries::Column::QueueId.eq(queue));
        let expected = if position < 50 { 20 } else { 0 };
        assert_eq!(rows.count(db).await.unwrap(), expected, "{position}");
    }
}

async fn a_failed_view_holds_up_nothing_and_is_given_up_within_a_minute(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let views = Installed::everywhere(&world, "views", &["site:views:read"]).await;
    let tunnel = tunnel(&world, "views").await;
    let views_of = ["first", "second"].map(|url| VisitorEvent {
        url: url.to_owned(),
        ..event(VisitorAction::SiteView)
    });
    tunnel.answer([500]);
    record(&world, views_of.into()).await;
    deliver(world.app()).await;
    assert_eq!(urls(&tunnel), ["first", "second"]);
    // Nor does it hold up what comes later, and other events of the installation.
    let later = VisitorEvent {
        url: "third".to_owned(),
        ..event(VisitorAction::SiteView)
    };
    record(&world, vec![later]).await;
    deliver(world.app()).await;
    assert_eq!(urls(&tunnel), ["third"]);
    let update = world.admin.client.call("updateIntegrationInstallation");
    let update = update.path("integrationName", "views").path("installationId", views.id);
    update.json(json!({ "configuration": { "tide": 1 } })).expect(200).await;
    deliver(world.app()).await;
    assert_eq!(tunnel.take()[0].part("event")["type"], "installation_setup");
    for seconds in [10, 40] {
        tunnel.answer([500]);
        world.clock().advance(TimeDelta::seconds(seconds));
        deliver(world.app()).await;
        assert_eq!(urls(&tunnel), ["first"], "{seconds}");
    }
    world.clock().advance(TimeDelta::hours(1));
    deliver(world.app()).await;
    assert!(urls(&tunnel).is_empty());
    let list = world
        .admin
        .client
        .call("listIntegrationEvents")
        .path("integrationName", "views");
    let failed = list.query("status", "failed").expect(200).await;
    assert_eq!(
        (&failed["count"], &failed["items"][0]["payload"]["url"]),
        (&json!(1), &json!("first"))
    );
}
