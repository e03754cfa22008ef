//! The engine in the database against a plain evaluation.

use chrono::TimeDelta;
use entity::{ids::SiteId, insights::batches};
use insights::{
    Event, Field,
    testing::{Random, evaluate, random_events, random_query},
};
use platform::db::{Tx, rows};
use sea_orm::{ActiveModelTrait, DbErr, EntityTrait, IntoActiveModel};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    insights::{batch, drain, merge, view},
    published::{Published, id},
    service::START,
    world::World,
};

on_each_database![
    random_questions_have_the_answers_of_a_plain_evaluation,
    groups_that_need_too_much_memory_are_refused,
    a_full_inbox_refuses_events,
];

const QUERIES: usize = 300;
const BATCHES: usize = 40;
const EVENTS_PER_BATCH: usize = 50;

/// Writes a batch into the inbox.
async fn receive(world: &World, site: SiteId, events: &[Event]) {
    let row = batch(&world.app().kernel.ids, site, START, events);
    let work = move |tx: Tx| async move { rows::insert(&tx, &row).await };
    let written: Result<(), DbErr> = world.app().kernel.db.write(work).await;
    written.unwrap();
}

async fn random_questions_have_the_answers_of_a_plain_evaluation(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site: SiteId = id(&published.site).parse().unwrap();
    let mut random = Random::new(42);
    let (from, to) = (START.plus(-TimeDelta::days(40)).as_millis(), START.as_millis());
    let mut events = Vec::new();
    for batch in 0..BATCHES {
        let of_batch = random_events(&mut random, EVENTS_PER_BATCH, from, to);
        receive(&world, site, &of_batch).await;
        events.extend(of_batch);
        // Segments that were merged, segments that were not, and batches that wait.
        if [9, 19, 24, 29, 34].contains(&batch) {
            drain(world.app()).await;
            merge(world.app()).await;
        }
    }
    for number in 0..QUERIES {
        let query = random_query(&mut random, &events);
        assert_eq!(query.check(), Ok(()), "{number}: {query:?}");
        let expected = evaluate(&query, &events);
        let answer = world
            .app()
            .insights
            .engine
            .aggregate(site, query.clone())
            .await
            .unwrap();
        assert_eq!(answer, expected, "{number}: {query:?}");
    }
}

async fn groups_that_need_too_much_memory_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site: SiteId = id(&published.site).parse().unwrap();
    // Together the queries are longer than the memory for groups.
    for batch in 0..10 {
        let events = (0..1000).map(|number| Event {
            time: START.as_millis(),
            visitor: 1,
            session: 1,
            values: vec![(
                Field::SearchQuery,
                format!("{batch} {number} {}", "x".repeat(16_384)).into(),
            )],
        });
        receive(&world, site, &events.collect::<Vec<_>>()).await;
    }
    let ask = |query: Value| {
        let ask = world.on_site(&world.admin, "aggregateSiteEvents", &published.site);
        ask.json(query)
    };
    let by_query = json!({ "range": "last24Hours", "groupBy": [{ "column": "eventSearchQuery" }] });
    let refused = ask(by_query).expect(400).await;
    assert_eq!(refused["error"]["details"][0]["code"], "too-many-groups");
    let all = ask(json!({ "range": "last24Hours", "select": [{ "column": "eventsCount" }] }));
    assert_eq!(all.expect(200).await["columns"][0]["values"], json!([10_000]));
}

async fn a_full_inbox_refuses_events(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site: SiteId = id(&published.site).parse().unwrap();
    let one = batch(
        &world.app().kernel.ids,
        site,
        START,
        &random_events(&mut Random::new(1), 1, START.as_millis(), START.as_millis() + 1),
    );
    for _ in 0..100 {
        let rows: Vec<_> = (0..1000)
            .map(|_| batches::Model {
                id: world.app().kernel.ids.next(),
                ..one.clone()
            })
            .map(|row| row.into_active_model().reset_all())
            .collect();
        let work = move |tx: Tx| {
            let rows = rows.clone();
            async move { batches::Entity::insert_many(rows).exec_without_returning(&tx).await }
        };
        let written: Result<_, DbErr> = world.app().kernel.db.write(work).await;
        written.unwrap();
    }
    let nobody = world.nobody();
    let track = || {
        let call = nobody.call("trackEventsInSiteById").here(&world);
        let call = call.path("siteId", id(&published.site));
        call.json(json!({ "events": [view("1", "1", json!({}))] }))
    };
    let refused = track().expect(503).await;
    assert_eq!(refused["error"]["type"], "overloaded");
    let ready = world.nobody().get("/readyz").await.text().await.unwrap();
    assert!(ready.contains("insight events wait"), "{ready}");
    let empty = |tx: Tx| async move { batches::Entity::delete_many().exec(&tx).await };
    let emptied: Result<_, DbErr> = world.app().kernel.db.write(empty).await;
    emptied.unwrap();
    world.service.clock.advance(TimeDelta::seconds(2));
    track().expect(204).await;
}
