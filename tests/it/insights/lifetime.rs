//! What becomes of events: segments, exports, and deletions.

use std::{collections::HashMap, sync::Arc};

use bindery::areas::insights::RemoveVisitorEvents;
use chrono::TimeDelta;
use entity::{
    insights::{batches, columns, digests, removals, segments},
    platform::jobs,
};
use platform::jobs::JobKind;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    insights::{context, drain, event, merge, minutes_from_now, purge, remove, view},
    process::command,
    published::Published,
    world::World,
};

on_each_database![
    segments_of_a_day_are_merged,
    two_drains_at_once_store_events_once,
    exports_have_every_event_once,
    a_command_exports_json_lines_and_csv,
    a_visitor_can_be_deleted,
    waiting_deletions_of_a_site_are_one_pass,
    a_clock_that_is_far_ahead_deletes_nothing,
    events_are_kept_as_long_as_the_setting_says,
    events_go_with_their_site,
];

/// The numbers of batches, segments and columns.
async fn rows(world: &World) -> (u64, u64, u64) {
    let db = world.app().kernel.db.read();
    (
        batches::Entity::find().count(db).await.unwrap(),
        segments::Entity::find().count(db).await.unwrap(),
        columns::Entity::find().count(db).await.unwrap(),
    )
}

async fn count(world: &World, site: &Value) -> Value {
    let numbers = json!({
        "select": [{ "column": "eventsCount" }, { "column": "visitorsCount" }, { "column": "sessionsCount" }],
        "range": "lastYear",
    });
    json!(world.aggregate(site, numbers).await)
}

async fn segments_of_a_day_are_merged(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    for round in 0..9 {
        let visitor = format!("visitor-{round}");
        world
            .track(&world.nobody(), &site, vec![view(&visitor, "1", json!({}))])
            .await;
        let before = count(&world, &site).await;
        drain(world.app()).await;
        assert_eq!(count(&world, &site).await, before);
        merge(world.app()).await;
        assert_eq!(count(&world, &site).await, before);
        assert_eq!(rows(&world).await.0, 0);
        // Four of a size make one.
        assert!(rows(&world).await.1 <= 4, "{round}: {:?}", rows(&world).await);
    }
    assert_eq!(count(&world, &site).await, json!([[9], [9], [1]]));
    // Another day is another segment.
    let segments = rows(&world).await.1;
    world.service.clock.advance(TimeDelta::days(1));
    world
        .track(&world.nobody(), &site, vec![view("ada", "2", json!({}))])
        .await;
    drain(world.app()).await;
    assert_eq!(rows(&world).await.1, segments + 1);
    assert_eq!(count(&world, &site).await, json!([[10], [10], [2]]));
}

async fn two_drains_at_once_store_events_once(database: TestDatabase) {
    let world = World::new(database).await;
    let sites = [
        Published::new(&world, &["One"]).await.site,
        Published::new(&world, &["Two"]).await.site,
    ];
    for round in 0..20 {
        let visitor = format!("visitor-{round}");
        for site in &sites {
            world
                .track(&world.nobody(), site, vec![view(&visitor, "1", json!({}))])
                .await;
        }
        tokio::join!(drain(world.app()), drain(world.app()));
    }
    drain(world.app()).await;
    assert_eq!(rows(&world).await.0, 0);
    for site in &sites {
        assert_eq!(count(&world, site).await, json!([[20], [20], [1]]));
    }
}

async fn exports_have_every_event_once(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    for round in 0..4 {
        let events = (0..3).map(|index| view(&format!("{round}-{index}"), "1", json!({})));
        world.track(&world.nobody(), &site, events.collect()).await;
        // The first and the third batch are in segments.
        if round % 2 == 0 {
            drain(world.app()).await;
        }
        if round == 1 {
            world.service.clock.advance(TimeDelta::minutes(1));
        }
    }
    let list = || world.on_site(&world.admin, "listSiteInsightsEvents", &site);
    let whole = list().expect(200).await;
    assert_eq!(whole["count"], 12);
    let whole = whole["items"].as_array().unwrap().clone();
    assert_eq!(whole.len(), 12);
    assert!(whole.is_sorted_by_key(|event| event["timestamp"].as_str().unwrap().to_owned()));
    for size in [1, 5, 12] {
        let (mut walked, mut page): (Vec<Value>, Option<String>) = (Vec::new(), None);
        loop {
            let mut call = list().query("limit", size);
            if let Some(page) = &page {
                call = call.query("page", page);
            }
            let answer = call.expect(200).await;
            walked.extend(answer["items"].as_array().unwrap().iter().cloned());
            match answer["next"]["page"].as_str() {
                Some(next) => page = Some(next.to_owned()),
                None => break,
            }
        }
        assert_eq!(walked, whole, "in pages of {size}");
    }
    let from = whole.last().unwrap()["timestamp"].as_str().unwrap();
    let later = list().query("from", from).expect(200).await;
    assert_eq!(
        (&later["count"], later["items"].as_array().unwrap().len()),
        (&json!(6), 6)
    );
    let earlier = list().query("to", from).expect(200).await;
    assert_eq!(
        (&earlier["count"], earlier["items"].as_array().unwrap().len()),
        (&json!(6), 6)
    );
    for (person, expected) in [(&world.create, 403), (&world.stranger, 404)] {
        world
            .on_site(person, "listSiteInsightsEvents", &site)
            .expect(expected)
            .await;
    }
}

async fn a_command_exports_json_lines_and_csv(database: TestDatabase) {
    let (url, home) = (database.url().to_owned(), tempfile::tempdir().unwrap());
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let search = event("search_type_query", json!({ "query": "=1+2, \"three\"" }));
    world
        .track(&world.nobody(), &site, vec![view("1", "1", json!({})), search])
        .await;
    drain(world.app()).await;
    world
        .track(&world.nobody(), &site, vec![view("2", "1", json!({}))])
        .await;
    let listed = world.on_site(&world.admin, "listSiteInsightsEvents", &site);
    let listed = listed.expect(200).await["items"].as_array().unwrap().clone();
    assert_eq!(listed.len(), 3);
    let id = site["id"].as_str().unwrap();
    let export = |arguments: &[&str]| {
        let output = command(home.path(), &url, &[&["insights", "export", id], arguments].concat());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let lines: Vec<Value> = export(&[])
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines, listed);
    let table = export(&["--format", "csv"]);
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let column = |name: &str| -> Vec<&str> { rows.iter().map(|row| row[name].as_str()).collect() };
    let types: Vec<&Value> = listed.iter().map(|event| &event["eventType"]).collect();
    assert_eq!(column("eventType"), types);
    // No formula for spreadsheets.
    assert!(column("eventSearchQuery").contains(&"'=1+2, \"three\""), "{table}");
    assert_eq!(export(&["--to", "2020-01-01T00:00:00Z"]), "");
    let unknown = command(home.path(), &url, &["insights", "export", "06dkq1v7m4c2e8h5t9b3n6f0ja"]);
    assert!(
        String::from_utf8_lossy(&unknown.stderr).contains("no site has the id"),
        "{unknown:?}"
    );
}

async fn a_visitor_can_be_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let other = Published::new(&world, &["Two"]).await.site;
    let both = || vec![view("ada", "1", json!({})), view("ines", "2", json!({}))];
    world.track(&world.nobody(), &site, both()).await;
    world.track(&world.nobody(), &other, both()).await;
    drain(world.app()).await;
    // A segment of Ada alone, and a batch that waits.
    world.service.clock.advance(TimeDelta::days(1));
    world
        .track(&world.nobody(), &site, vec![view("ada", "1", json!({}))])
        .await;
    drain(world.app()).await;
    world.track(&world.nobody(), &site, both()).await;
    assert_eq!(count(&world, &site).await, json!([[5], [2], [2]]));
    let delete = |visitor: &str| {
        let call = world.on_site(&world.admin, "deleteSiteInsightsVisitor", &site);
        call.path("visitorId", visitor)
    };
    delete("ada").expect(204).await;
    delete("nobody").expect(204).await;
    assert_eq!(remove(world.app()).await, 2);
    assert_eq!(count(&world, &site).await, json!([[2], [1], [1]]));
    assert_eq!(count(&world, &other).await, json!([[2], [2], [2]]));
    // What comes later is new.
    world.track(&world.nobody(), &site, both()).await;
    assert_eq!(count(&world, &site).await, json!([[4], [2], [2]]));
    let call = world.on_site(&world.create, "deleteSiteInsightsVisitor", &site);
    call.path("visitorId", "ada").expect(403).await;
}

async fn waiting_deletions_of_a_site_are_one_pass(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let visitors = ["ada", "ines", "omar"];
    let events = visitors.iter().map(|visitor| view(visitor, "1", json!({})));
    world.track(&world.nobody(), &site, events.collect()).await;
    drain(world.app()).await;
    for visitor in &visitors[..2] {
        let call = world.on_site(&world.admin, "deleteSiteInsightsVisitor", &site);
        call.path("visitorId", *visitor).expect(204).await;
    }
    let db = world.app().kernel.db.read();
    let jobs = jobs::Entity::find().filter(jobs::Column::Kind.eq("remove-visitor-events"));
    let jobs = jobs.all(db).await.unwrap();
    // They take turns with those of other organizations.
    assert_eq!(jobs.len(), 2);
    assert!(jobs.iter().all(|job| job.organization_id == Some(world.organization)));
    // The first job does the work of both.
    let job = RemoveVisitorEvents(Arc::clone(&world.app().insights));
    let id = site["id"].as_str().unwrap().parse().unwrap();
    job.run(&context(world.app()), id).await.unwrap();
    assert_eq!(count(&world, &site).await[0], json!([1]));
    assert_eq!(removals::Entity::find().count(db).await.unwrap(), 0);
    assert_eq!(remove(world.app()).await, 2);
    assert_eq!(count(&world, &site).await[0], json!([1]));
    world.on_site(&world.admin, "deleteSiteById", &site).expect(204).await;
    let jobs = jobs::Entity::find().filter(jobs::Column::Kind.eq("remove-site-events"));
    let removal = jobs.one(db).await.unwrap().unwrap();
    assert_eq!(removal.organization_id, Some(world.organization));
}

async fn a_clock_that_is_far_ahead_deletes_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let send = async || {
        world
            .track(&world.nobody(), &site, vec![view("ada", "1", json!({}))])
            .await;
        drain(world.app()).await;
    };
    send().await;
    world.service.clock.advance(TimeDelta::days(800));
    purge(world.app()).await;
    assert_eq!(rows(&world).await.1, 1);
    // Events that come meanwhile do not make the others old.
    send().await;
    purge(world.app()).await;
    assert_eq!(rows(&world).await.1, 2);
    // On the next day the clock is right.
    world.service.clock.advance(TimeDelta::days(1));
    purge(world.app()).await;
    assert_eq!(rows(&world).await.1, 1);
}

async fn events_are_kept_as_long_as_the_setting_says(database: TestDatabase) {
    let world = World::with(database, |flags| flags.insights_retention = Some("10d".to_owned())).await;
    let site = Published::new(&world, &["One"]).await.site;
    let timed = event("page_view", json!({ "timestamp": minutes_from_now(&world, 0) }));
    world.track(&world.nobody(), &site, vec![timed]).await;
    drain(world.app()).await;
    world.service.clock.advance(TimeDelta::days(5));
    world
        .track(&world.nobody(), &site, vec![view("ada", "1", json!({}))])
        .await;
    drain(world.app()).await;
    purge(world.app()).await;
    assert_eq!(count(&world, &site).await[0], json!([2]));
    let db = world.app().kernel.db.read();
    assert_eq!(digests::Entity::find().count(db).await.unwrap(), 0);
    // Days are kept whole.
    world.service.clock.advance(TimeDelta::days(5));
    purge(world.app()).await;
    assert_eq!(count(&world, &site).await[0], json!([2]));
    world.service.clock.advance(TimeDelta::days(1));
    purge(world.app()).await;
    assert_eq!(count(&world, &site).await[0], json!([1]));
    assert_eq!(rows(&world).await.1, 1);
}

async fn events_go_with_their_site(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let other = Published::new(&world, &["Two"]).await.site;
    for site in [&site, &other] {
        world
            .track(&world.nobody(), site, vec![view("ada", "1", json!({}))])
            .await;
    }
    drain(world.app()).await;
    for site in [&site, &other] {
        world
            .track(&world.nobody(), site, vec![view("ada", "1", json!({}))])
            .await;
    }
    let (_, segments, columns) = rows(&world).await;
    world.on_site(&world.admin, "deleteSiteById", &site).expect(204).await;
    assert_eq!(remove(world.app()).await, 1);
    assert_eq!(rows(&world).await, (1, segments - 1, columns / 2));
    assert_eq!(count(&world, &other).await[0], json!([2]));
    drain(world.app()).await;
    assert_eq!(count(&world, &other).await[0], json!([2]));
}
