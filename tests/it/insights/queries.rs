//! Times of queries, and what is refused.

use chrono::TimeDelta;
use entity::timestamp::Timestamp;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    insights::{drain, view},
    published::Published,
    world::World,
};

on_each_database![
    intervals_are_those_of_the_time_zone,
    empty_intervals_are_there,
    answers_that_are_cut_have_the_latest_rows,
    ranges_end_before_their_end,
    questions_without_sense_name_the_place,
    questions_without_events_have_answers,
];

/// Moves the clock of the service to a time, and sends a view.
async fn view_at(world: &World, site: &Value, time: &str) {
    let time = chrono::DateTime::parse_from_rfc3339(time).unwrap().to_utc();
    world.service.clock.set(Timestamp::from(time));
    world
        .track(&world.nobody(), site, vec![view("ada", "1", json!({}))])
        .await;
}

/// The clocks of Lisbon are set back on 25 October 2026 at 01:00 UTC, from 02:00 to 01:00.
async fn intervals_are_those_of_the_time_zone(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    for time in [
        "2026-10-24T22:30:00Z",
        "2026-10-24T23:30:00Z",
        "2026-10-25T00:30:00Z",
        "2026-10-25T01:30:00Z",
    ] {
        view_at(&world, &site, time).await;
    }
    for _ in 0..2 {
        for (zone, interval, expected) in [
            (
                "Europe/Lisbon",
                "hour",
                json!([
                    ["2026-10-24T22:00:00.000Z", 1],
                    ["2026-10-24T23:00:00.000Z", 1],
                    ["2026-10-25T00:00:00.000Z", 1],
                    ["2026-10-25T01:00:00.000Z", 1]
                ]),
            ),
            (
                "Europe/Lisbon",
                "day",
                json!([["2026-10-23T23:00:00.000Z", 1], ["2026-10-24T23:00:00.000Z", 3]]),
            ),
            (
                "UTC",
                "day",
                json!([["2026-10-24T00:00:00.000Z", 2], ["2026-10-25T00:00:00.000Z", 2]]),
            ),
            ("Asia/Tokyo", "week", json!([["2026-10-18T15:00:00.000Z", 4]])),
            ("America/New_York", "month", json!([["2026-10-01T04:00:00.000Z", 4]])),
        ] {
            let query = json!({
                "select": [{ "column": "datetime", "interval": interval }, { "column": "eventsCount" }],
                "range": { "from": "2026-10-24T22:00:00Z", "to": "2026-10-25T02:00:00Z" },
                "timezone": zone,
            });
            let columns = world.aggregate(&site, query).await;
            let (times, counts) = (columns[0].as_array().unwrap(), columns[1].as_array().unwrap());
            let rows: Vec<Value> = times.iter().zip(counts).map(|row| json!(row)).collect();
            assert_eq!(json!(rows), expected, "{interval} in {zone}");
        }
        drain(world.app()).await;
    }
}

async fn empty_intervals_are_there(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    view_at(&world, &site, "2026-11-22T10:00:00Z").await;
    view_at(&world, &site, "2026-11-24T10:00:00Z").await;
    let query = |members: Value| {
        let mut query = json!({
            "groupBy": [{ "column": "datetime", "interval": "day" }],
            "range": { "from": "2026-11-21T00:00:00Z", "to": "2026-11-26T00:00:00Z" },
        });
        for (name, value) in members.as_object().unwrap() {
            query[name] = value.clone();
        }
        query
    };
    let columns = world.aggregate(&site, query(json!({}))).await;
    assert_eq!(columns[0].as_array().unwrap().len(), 5);
    assert_eq!(columns[1], json!([0, 1, 0, 1, 0]));
    // The same time twice is one group.
    let day = json!({ "column": "datetime", "interval": "day" });
    let twice = query(json!({ "groupBy": [day, day], "select": [day, { "column": "eventsCount" }, day] }));
    let columns = world.aggregate(&site, twice).await;
    assert_eq!(columns[1], json!([0, 1, 0, 1, 0]));
    assert_eq!(columns[0], columns[2]);
    // Other groups have none.
    let by_type = json!([{ "column": "datetime", "interval": "day" }, { "column": "eventType" }]);
    let columns = world.aggregate(&site, query(json!({ "groupBy": by_type }))).await;
    assert_eq!(columns[2], json!([1, 1]));
}

async fn answers_that_are_cut_have_the_latest_rows(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    view_at(&world, &site, "2026-11-01T10:00:00Z").await;
    view_at(&world, &site, "2026-11-24T10:00:00Z").await;
    let hour = json!({ "column": "datetime", "interval": "hour" });
    let ask = async |members: Value| {
        let mut query = json!({ "groupBy": [hour], "range": "last3Months" });
        query
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        world.aggregate(&site, query).await
    };
    // From batches, and from segments.
    for _ in 0..2 {
        let columns = ask(json!({})).await;
        let times = columns[0].as_array().unwrap();
        assert_eq!((times.len(), &times[999]), (1000, &json!("2026-11-24T10:00:00.000Z")));
        assert_eq!(times[0], "2026-10-13T19:00:00.000Z");
        assert_eq!(
            columns[1]
                .as_array()
                .unwrap()
                .iter()
                .filter(|count| **count == 1)
                .count(),
            2
        );
        let ascending = json!({ "order": { "by": hour, "direction": "asc" }, "limit": 2 });
        assert_eq!(ask(ascending).await[1], json!([0, 0]));
        let with_type = json!({ "groupBy": [{ "column": "eventType" }, hour], "limit": 1 });
        let columns = ask(with_type).await;
        assert_eq!(columns[1], json!(["2026-11-24T10:00:00.000Z"]));
        drain(world.app()).await;
    }
}

async fn ranges_end_before_their_end(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    view_at(&world, &site, "2026-11-22T10:00:00Z").await;
    for (from, to, expected) in [
        ("2026-11-22T10:00:00Z", "2026-11-22T10:00:00.001Z", 1),
        ("2026-11-22T09:00:00Z", "2026-11-22T10:00:00Z", 0),
        ("2026-11-22T10:00:00.001Z", "2026-11-23T10:00:00Z", 0),
        ("2026-11-22T12:00:00+02:00", "2026-11-22T12:00:01+02:00", 1),
    ] {
        let columns = world
            .aggregate(&site, json!({ "range": { "from": from, "to": to } }))
            .await;
        assert_eq!(columns, [json!([expected])], "{from} to {to}");
    }
    for (preset, days) in [
        ("last24Hours", 1),
        ("last7Days", 7),
        ("last30Days", 30),
        ("last3Months", 91),
        ("lastYear", 364),
    ] {
        let at = "2026-11-22T10:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        world.service.clock.set(Timestamp::from(at + TimeDelta::days(days)));
        assert_eq!(
            world.aggregate(&site, json!({ "range": preset })).await,
            [json!([1])],
            "{preset}"
        );
        world.service.clock.advance(TimeDelta::days(days + 2));
        assert_eq!(
            world.aggregate(&site, json!({ "range": preset })).await,
            [json!([0])],
            "{preset}"
        );
    }
}

async fn questions_without_sense_name_the_place(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let count = json!({ "column": "eventsCount" });
    let browser = json!({ "column": "visitorBrowser" });
    for (members, pointer, code) in [
        (
            json!({ "select": [browser], "groupBy": [{ "column": "url" }] }),
            "/body/select/0",
            "column",
        ),
        (json!({ "groupBy": [count] }), "/body/groupBy/0", "column"),
        (
            json!({ "order": { "by": { "column": "pageFeedbackRating" }, "direction": "asc" } }),
            "/body/order/by",
            "column",
        ),
        (
            json!({ "order": { "by": browser, "direction": "asc" } }),
            "/body/order/by",
            "column",
        ),
        (
            json!({ "where": [{ "column": "page", "operator": "lessThan", "values": [{ "page": null, "space": "s" }] }] }),
            "/body/where/0",
            "column",
        ),
        (
            json!({ "where": [{ "column": "url", "operator": "lessThan", "values": ["a", "b"] }] }),
            "/body/where/0/values",
            "column-values",
        ),
        (
            json!({ "where": [{ "column": "url", "operator": "lessThan", "values": [null] }] }),
            "/body/where/0/values",
            "column-values",
        ),
        (
            json!({ "where": [{ "column": "visitorGeoPoint", "values": [{ "latitude": 1, "longitude": 1, "h3": "x" }] }] }),
            "/body/where/0/values",
            "column-values",
        ),
        (json!({ "timezone": "Mars/Olympus" }), "/body/timezone", "time-zone"),
        (
            json!({ "range": { "from": "2026-11-22T00:00:00Z", "to": "2026-11-21T00:00:00Z" } }),
            "/body/range",
            "time-range",
        ),
        (json!({ "limit": 0 }), "/body/limit", "minimum"),
        (json!({ "limit": 1001 }), "/body/limit", "maximum"),
        (
            json!({ "where": [{ "column": "url", "values": [] }] }),
            "/body/where/0/values",
            "min-items",
        ),
    ] {
        let mut query = json!({ "range": "lastYear" });
        for (name, value) in members.as_object().unwrap() {
            query[name] = value.clone();
        }
        let call = world.on_site(&world.admin, "aggregateSiteEvents", &site);
        call.json(query).send().await.has_detail(pointer, code);
    }
    let list = world.on_site(&world.admin, "listSiteInsightsEvents", &site);
    let list = list
        .query("from", "2026-11-22T00:00:00Z")
        .query("to", "2026-11-21T00:00:00Z");
    list.send().await.has_detail("/query/to", "time-range");
}

async fn questions_without_events_have_answers(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let numbers =
        json!({ "select": [{ "column": "eventsCount" }, { "column": "visitorsCount" }], "range": "lastYear" });
    assert_eq!(world.aggregate(&site, numbers).await, [json!([0]), json!([0])]);
    let groups = json!({ "groupBy": [{ "column": "url" }], "range": "lastYear" });
    assert_eq!(world.aggregate(&site, groups).await, [json!([]), json!([])]);
    let list = world.on_site(&world.admin, "listSiteInsightsEvents", &site);
    assert_eq!(list.expect(200).await, json!({ "items": [], "count": 0 }));
}
