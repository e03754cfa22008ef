//! What bounds the memory and the time that one site or organization takes.

use chrono::TimeDelta;
use entity::{
    ids::SiteId,
    insights::{batches, days, segments},
};
use insights::{Event, Field};
use platform::db::{Db, DbOptions, Tx, rows};
use reqwest::header;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::kills::create_site;
use crate::support::{
    client::Answer,
    database::{TestDatabase, on_each_database},
    insights::{batch, drain, merge, view},
    process::{Server, memory},
    published::{Published, id},
    service::START,
    world::World,
};

on_each_database![
    a_site_that_fails_does_not_stop_the_others,
    chunks_are_bounded_by_bytes,
    a_site_takes_so_many_bytes_a_day,
    organizations_take_turns_with_questions,
    equal_texts_take_no_memory_in_lists,
    answers_of_clickhouse_are_bounded,
];

async fn insert(db: &Db, row: batches::Model) {
    let written: Result<(), DbErr> = db
        .write(move |tx: Tx| {
            let row = row.clone();
            async move { rows::insert(&tx, &row).await }
        })
        .await;
    written.unwrap();
}

/// Events with the same long text.
fn long_events(count: u64, length: usize) -> Vec<Event> {
    let text = "x".repeat(length);
    let event = |number: u64| Event {
        time: START.as_millis() + i64::try_from(number).unwrap(),
        visitor: number,
        session: number,
        values: vec![(Field::Type, "page_view".into()), (Field::Url, text.as_str().into())],
    };
    (0..count).map(event).collect()
}

async fn a_site_that_fails_does_not_stop_the_others(database: TestDatabase) {
    let world = World::new(database).await;
    let app = world.app();
    // Sites are drained in the order of their ids.
    let [bad, good] = [
        Published::new(&world, &["Bad"]).await.site,
        Published::new(&world, &["Good"]).await.site,
    ];
    let site: SiteId = id(&bad).parse().unwrap();
    let mut damaged = batch(&app.kernel.ids, site, START, &long_events(1, 10));
    damaged.data[0] ^= 0xff;
    insert(&app.kernel.db, damaged).await;
    world
        .track(&world.nobody(), &good, vec![view("ada", "1", json!({}))])
        .await;
    // The job does not fail, and the next one is not later because of it.
    drain(app).await;
    let left = batches::Entity::find().all(app.kernel.db.read()).await.unwrap();
    assert_eq!(left.iter().map(|row| row.site_id).collect::<Vec<_>>(), [site]);
    assert_eq!(segments::Entity::find().count(app.kernel.db.read()).await.unwrap(), 1);
}

async fn chunks_are_bounded_by_bytes(database: TestDatabase) {
    let world = World::new(database).await;
    let app = world.app();
    let site: SiteId = id(&Published::new(&world, &["One"]).await.site).parse().unwrap();
    // Two of these have more than 16 MiB, although almost nothing of them is on disk.
    for _ in 0..4 {
        let row = batch(&app.kernel.ids, site, START, &long_events(1_000, 10_000));
        assert!(row.bytes > 10_000_000 && row.data.len() < 100_000);
        insert(&app.kernel.db, row).await;
    }
    drain(app).await;
    let of_site = segments::Entity::find().filter(segments::Column::SiteId.eq(site));
    let stored = of_site.clone().all(app.kernel.db.read()).await.unwrap();
    assert_eq!(stored.iter().map(|row| row.events).collect::<Vec<_>>(), [1_000; 4]);
    // In a segment equal texts are one.
    assert!(stored.iter().all(|row| (10_000..200_000).contains(&row.bytes)));
    merge(app).await;
    assert_eq!(of_site.count(app.kernel.db.read()).await.unwrap(), 1);
}

async fn send(world: &World, site: &Value) -> Answer {
    let nobody = world.nobody();
    let call = nobody.call("trackEventsInSiteById").here(world);
    let call = call.path("siteId", id(site));
    call.json(json!({ "events": [view("ada", "1", json!({}))] }))
        .send()
        .await
}

async fn a_site_takes_so_many_bytes_a_day(database: TestDatabase) {
    let world = World::new(database).await;
    let app = world.app();
    let [full, other] = [
        Published::new(&world, &["Full"]).await.site,
        Published::new(&world, &["Other"]).await.site,
    ];
    send(&world, &full).await.expect(204);
    let site: SiteId = id(&full).parse().unwrap();
    let mut counted = days::Entity::find().one(app.kernel.db.read()).await.unwrap().unwrap();
    assert_eq!((counted.site_id, counted.bytes > 200), (site, true));
    counted.bytes = 2 << 30;
    let work = move |tx: Tx| {
        let row = counted.clone();
        async move { rows::put(&tx, &row).await }
    };
    let written: Result<(), DbErr> = app.kernel.db.write(work).await;
    written.unwrap();
    let refused = send(&world, &full).await;
    assert_eq!(refused.expect(429)["error"]["type"], "too-many-requests");
    // It is noon.
    assert_eq!(refused.headers[header::RETRY_AFTER], "43201");
    send(&world, &other).await.expect(204);
    world.service.clock.advance(TimeDelta::days(1));
    send(&world, &full).await.expect(204);
}

async fn organizations_take_turns_with_questions(database: TestDatabase) {
    let world = World::new(database).await;
    let own = json!({ "id": world.own("siteId") });
    let held = world.app().insights.queries.take(world.organization).await;
    let query = json!({ "range": "lastYear" });
    let ask = world.on_site(&world.admin, "aggregateSiteEvents", &own);
    let refused = ask.json(query.clone()).send().await;
    assert_eq!(refused.expect(503)["error"]["type"], "overloaded");
    assert!(refused.headers.contains_key(header::RETRY_AFTER));
    // Another organization does not wait.
    let ask = world.other_admin.client.call("aggregateSiteEvents");
    let ask = ask.path("organizationId", world.other_organization.to_string());
    let ask = ask.path("siteId", world.other_made["siteId"].clone());
    ask.json(query.clone()).expect(200).await;
    drop(held);
    let ask = world.on_site(&world.admin, "aggregateSiteEvents", &own);
    ask.json(query).expect(200).await;
}

/// More than the server may grow by for one list.
const BOUND: usize = 300 << 20;

async fn equal_texts_take_no_memory_in_lists(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let (organization, site) = create_site(&client).await;
    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    let ids = platform::db::IdSource::new(platform::db::Clock::system());
    let events = long_events(1_000, 10_000);
    for _ in 0..60 {
        let row = batch(&ids, site.parse().unwrap(), START, &events);
        insert(&db, row).await;
    }
    db.close().await.unwrap();
    let before = memory(server.process(), "VmRSS:");
    let list = client
        .call("listSiteInsightsEvents")
        .path("organizationId", &organization);
    let list = list.path("siteId", &site).query("limit", 1).expect(200).await;
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    assert_eq!(list["items"][0]["url"].as_str().unwrap().len(), 10_000);
    let grown = memory(server.process(), "VmHWM:").saturating_sub(before);
    assert!(grown < BOUND, "{} MiB", grown >> 20);
}

async fn answers_of_clickhouse_are_bounded(database: TestDatabase) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    // The first statement creates the table; then an answer never ends.
    let server = tokio::spawn(async move {
        let mut is_first = true;
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            // The last line of a form.
            while !request.ends_with(b"--\r\n") {
                stream.read_buf(&mut request).await.unwrap();
            }
            if std::mem::take(&mut is_first) {
                let empty = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = stream.write_all(empty).await;
                continue;
            }
            let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(head).await;
            while stream.write_all(&[b'\n'; 1 << 16]).await.is_ok() {}
        }
    });
    let url = format!("http://insights:secret@{address}/insights");
    let home = TempDir::new().unwrap();
    database.create().await;
    let mut process = Server::spawn_with(home.path(), &database, |command| {
        command.env("BINDERY_INSIGHTS_URL", url);
    });
    let client = process.ready().await;
    let (organization, site) = create_site(&client).await;
    let ask = client.call("aggregateSiteEvents").path("organizationId", organization);
    let ask = ask.path("siteId", site).json(json!({ "range": "lastYear" }));
    assert_eq!(ask.expect(503).await["error"]["type"], "overloaded");
    server.abort();
}
