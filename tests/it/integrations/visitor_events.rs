//! Events of visitors of sites, for the integrations that may see them.

use std::collections::BTreeMap;

use bindery::areas::integrations::{
    outbox::Recipient,
    visitor_events::{self, Visitor, VisitorAction, VisitorEvent},
};
use entity::integrations::deliveries;
use platform::db::Tx;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    installed::Installed,
    world::World,
};

on_each_database![
    scopes_decide_who_gets_events_of_visitors,
    installations_that_are_not_active_get_none,
    an_installation_that_lags_gets_no_more,
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
        rating: "good",
        comment: Some("Clear.".to_owned()),
    }
}

/// Records events of visitors of the site of the organization.
async fn record(world: &World, events: Vec<VisitorEvent>) {
    let (kernel, site) = (world.app().kernel.clone(), world.own("siteId").parse().unwrap());
    let work = move |tx: Tx| async move { visitor_events::record(&tx, &kernel, site, events).await };
    world.app().kernel.db.write(work).await.unwrap();
}

/// The payloads of the events of visitors that an integration gets, in their order.
async fn payloads(world: &World, name: &str) -> Vec<Value> {
    let list = world
        .admin
        .client
        .call("listIntegrationEvents")
        .path("integrationName", name);
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
    let count = async || {
        let queue = Recipient::Installation(views.integration, views.id).queue();
        let rows = deliveries::Entity::find().filter(deliveries::Column::QueueId.eq(queue));
        rows.count(world.app().kernel.db.read()).await.unwrap()
    };
    let before = count().await;
    let many = std::iter::repeat_with(|| event(VisitorAction::SiteView))
        .take(5_000)
        .collect();
    record(&world, many).await;
    assert_eq!(count().await, before + 5_000);
    record(&world, vec![event(VisitorAction::SiteView)]).await;
    assert_eq!(count().await, before + 5_000);
}
