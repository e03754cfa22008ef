//! The real program, killed while it takes events and makes segments of them: each event counts once.

use std::time::Duration;

use entity::{
    ids::SiteId,
    insights::{batches, segments},
};
use insights::testing::{Random, random_events};
use platform::db::{Clock, Db, DbOptions, IdSource, Tx, rows};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::interval;

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    insights::{batch, view},
    jobs::make_due,
    process::{Server, first_organization, patiently},
};

on_each_database![a_killed_server_counts_every_event_once];

/// Batches in the inbox: more than one chunk of events, and enough for segments with rollups.
const BATCHES: usize = 60;
const EVENTS_PER_BATCH: usize = 1_000;
/// Batches of one event that are sent.
const SENT: usize = 20;

/// The organization and a new site.
pub(super) async fn create_site(client: &Client) -> (String, String) {
    let organization = first_organization(client).await.unwrap();
    let call = client.call("createSite").path("organizationId", &organization);
    let site = call.json(json!({ "title": "Harbor" })).expect(201).await;
    (organization, site["id"].as_str().unwrap().to_owned())
}

async fn fill_inbox(db: &Db, site: SiteId) {
    let (clock, random) = (Clock::system(), &mut Random::new(1));
    let (now, ids) = (clock.now(), IdSource::new(clock));
    for _ in 0..BATCHES {
        let to = now.as_millis();
        let events = random_events(random, EVENTS_PER_BATCH, to - 60_000, to);
        let row = batch(&ids, site, now, &events);
        let written: Result<(), DbErr> = db
            .write(move |tx: Tx| async move { rows::insert(&tx, &row).await })
            .await;
        written.unwrap();
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// Batches are in a chunk, which is not stored yet.
    Taken,
    /// Some are in segments.
    Stored,
    /// All are.
    Empty,
}

async fn reached(db: &Db, step: Step) {
    let is_reached = || async {
        let all = batches::Entity::find();
        match step {
            Step::Taken => {
                all.filter(batches::Column::ChunkId.is_not_null())
                    .count(db.read())
                    .await
                    .unwrap()
                    > 0
            }
            Step::Stored => segments::Entity::find().count(db.read()).await.unwrap() > 0,
            Step::Empty => all.count(db.read()).await.unwrap() == 0,
        }
    };
    let mut pauses = interval(Duration::from_millis(2));
    let reached = async {
        while !is_reached().await {
            pauses.tick().await;
        }
    };
    patiently(&format!("{step:?}"), reached).await;
}

async fn a_killed_server_counts_every_event_once(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let (organization, site) = create_site(&client).await;
    for number in 0..SENT {
        let call = client
            .call("trackEventsInSiteById")
            .path("organizationId", &organization);
        let events = [view(&format!("visitor-{number}"), "1", json!({}))];
        let call = call.path("siteId", &site).json(json!({ "events": events }));
        call.expect(204).await;
    }
    server.kill();

    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    fill_inbox(&db, site.parse().unwrap()).await;
    for step in [Step::Taken, Step::Stored] {
        make_due(&db).await;
        let mut server = Server::spawn(home.path(), &database);
        reached(&db, step).await;
        server.kill();
    }
    make_due(&db).await;
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    reached(&db, Step::Empty).await;
    db.close().await.unwrap();

    // Numbers of events come from rollups, and with those of visitors from the events.
    let counts = |metrics: &'static [&str]| {
        let call = client.call("aggregateSiteEvents").path("organizationId", &organization);
        let select = [&["eventType"], metrics].concat();
        let select: Vec<Value> = select.iter().map(|column| json!({ "column": column })).collect();
        let query = json!({ "groupBy": [{ "column": "eventType" }], "select": select, "range": "last7Days" });
        call.path("siteId", &site).json(query).expect(200)
    };
    let by_rollups = counts(&["eventsCount"]).await;
    let events = by_rollups["columns"][1]["values"].as_array().unwrap();
    let total: f64 = events.iter().map(|count| count.as_f64().unwrap()).sum();
    assert_eq!(total, (SENT + BATCHES * EVENTS_PER_BATCH) as f64);
    let by_events = counts(&["eventsCount", "visitorsCount"]).await;
    assert_eq!(by_rollups["columns"][0], by_events["columns"][0]);
    assert_eq!(by_rollups["columns"][1], by_events["columns"][1]);
}
