//! Events for whose answer somebody waits, in the list of events; and how the payloads of all events are stored.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use entity::integrations::deliveries;
use platform::db::{Backend, Tx};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use tokio::{
    sync::Notify,
    time::{interval, timeout},
};

use crate::support::{
    database::{TestDatabase, on_each_database},
    deliveries::world_with_receivers,
    jobs::PATIENCE,
    receiver::Receiver,
    scripts::{Scripted, get, in_page},
    world::World,
};

on_each_database![
    requests_and_components_are_listed_with_their_logs,
    failures_are_listed_with_their_reason,
    requests_to_a_tunnel_are_listed,
    awaited_answers_are_not_sent_again,
    an_integration_has_so_many_traces_a_minute,
    payloads_are_stored_sealed,
];

/// The events of an integration that are no events of its installation, the newest first, as soon as there are so many: they are written
/// after the answer.
async fn traces(world: &World, name: &str, count: usize) -> Vec<Value> {
    let listed = async {
        let mut pauses = interval(Duration::from_millis(20));
        loop {
            pauses.tick().await;
            let call = world.admin.client.call("listIntegrationEvents");
            let call = call.path("integrationName", name).query("limit", 200);
            let events = call.expect(200).await;
            let events = events["items"].as_array().unwrap().iter();
            let awaited = |event: &&Value| !event["payload"]["type"].as_str().unwrap().contains("installation");
            let traces: Vec<Value> = events.filter(awaited).cloned().collect();
            if traces.len() >= count {
                return traces;
            }
        }
    };
    timeout(PATIENCE, listed).await.unwrap()
}

/// The log lines of an event.
async fn logs(world: &World, name: &str, event: &Value) -> Vec<(String, String)> {
    let call = world.admin.client.call("getIntegrationEvent");
    let call = call.path("integrationName", name);
    let read = call.path("eventId", event["id"].as_str().unwrap()).expect(200).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let lines = read["trace"]["logs"].as_array().unwrap().iter();
    lines
        .map(|line| (text(&line["level"]), text(&line["message"])))
        .collect()
}

async fn requests_and_components_are_listed_with_their_logs(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let path = format!("{}/log?harbor=north", gauge.of_installation());
    assert_eq!(get(&world, &path).await.status(), 200);
    let [request] = traces(&world, "gauge", 1).await.try_into().unwrap();
    assert_eq!(
        (
            &request["status"],
            &request["installationId"],
            &request["payload"]["type"],
            &request["payload"]["request"]["url"],
        ),
        (
            &json!("success"),
            &json!(gauge.installation),
            &json!("fetch"),
            &json!(format!("{}{path}", world.service.base))
        )
    );
    assert_eq!(request["id"], request["payload"]["eventId"]);
    let lines = logs(&world, "gauge", &request).await;
    assert_eq!(lines, [("warn".to_owned(), "low water".to_owned())]);

    let render = world.admin.client.call("renderIntegrationUIWithPost");
    gauge.render(render, "level", in_page(world.space)).expect(200).await;
    let [component, _] = traces(&world, "gauge", 2).await.try_into().unwrap();
    assert_eq!(
        (
            &component["status"],
            &component["payload"]["type"],
            &component["payload"]["componentId"]
        ),
        (&json!("success"), &json!("ui_render"), &json!("level"))
    );
}

async fn failures_are_listed_with_their_reason(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    for (path, reason) in [("loop", "CPU time"), ("throw", "what the script knows")] {
        let path = format!("{}/{path}", gauge.endpoint());
        assert_eq!(get(&world, &path).await.status(), 502);
        let count = if reason == "CPU time" { 1 } else { 2 };
        let event = traces(&world, "gauge", count).await.swap_remove(0);
        assert_eq!(event["status"], "failed");
        let lines = logs(&world, "gauge", &event).await;
        assert!(
            lines
                .iter()
                .any(|(level, line)| level == "error" && line.contains(reason)),
            "{lines:?}"
        );
    }
    // The script has answered, but not with a component.
    let render = world.admin.client.call("renderIntegrationUIWithPost");
    gauge.render(render, "broken", in_page(world.space)).expect(502).await;
    let component = traces(&world, "gauge", 3).await.swap_remove(0);
    assert_eq!(
        (&component["status"], &component["payload"]["type"]),
        (&json!("failed"), &json!("ui_render"))
    );
    let lines = logs(&world, "gauge", &component).await;
    assert!(
        lines
            .iter()
            .any(|(level, line)| level == "error" && line.contains("ui_render")),
        "{lines:?}"
    );
}

async fn requests_to_a_tunnel_are_listed(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let tunnel = Receiver::start().await;
    let develop = world.admin.client.call("setIntegrationDevelopmentMode");
    let develop = develop
        .path("integrationName", "gauge")
        .json(json!({ "tunnelUrl": tunnel.url }));
    develop.expect(204).await;
    tunnel.answer([503]);
    let path = format!("{}/echo", gauge.of_installation());
    assert_eq!(get(&world, &path).await.status(), 503);
    let [request] = traces(&world, "gauge", 1).await.try_into().unwrap();
    assert_eq!(request["status"], "failed");
    let lines = logs(&world, "gauge", &request).await;
    assert!(lines.iter().any(|(_, line)| line.contains("503")), "{lines:?}");
}

async fn awaited_answers_are_not_sent_again(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    get(&world, &format!("{}/log", gauge.endpoint())).await;
    let [request] = traces(&world, "gauge", 1).await.try_into().unwrap();
    let resend = world.admin.client.call("resendIntegrationEvent");
    let resend = resend.path("integrationName", "gauge");
    let refused = resend
        .path("eventId", request["id"].as_str().unwrap())
        .expect(409)
        .await;
    assert_eq!(refused["error"]["type"], "event-answered");
}

async fn an_integration_has_so_many_traces_a_minute(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    for _ in 0..65 {
        assert_eq!(get(&world, &format!("{}/log", gauge.endpoint())).await.status(), 200);
    }
    traces(&world, "gauge", 60).await;
    // Failures count apart.
    get(&world, &format!("{}/throw", gauge.endpoint())).await;
    let listed = traces(&world, "gauge", 61).await;
    assert_eq!(listed.len(), 61);
    assert_eq!(listed.iter().filter(|event| event["status"] == "success").count(), 60);
    world.clock().advance(TimeDelta::minutes(1));
    get(&world, &format!("{}/log", gauge.endpoint())).await;
    traces(&world, "gauge", 62).await;
}

/// SQLite takes one write after the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_waits_for_one_trace_at_most() {
    let world = World::new(TestDatabase::new(Backend::Sqlite)).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let db = &world.app().kernel.db;
    let (held, released) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let first = {
        let (db, held, released) = (db.clone(), Arc::clone(&held), Arc::clone(&released));
        let hold = move |_: Tx| async move {
            held.notify_one();
            released.notified().await;
            Ok::<_, DbErr>(())
        };
        tokio::spawn(async move { db.write(hold).await })
    };
    held.notified().await;
    for _ in 0..20 {
        assert_eq!(get(&world, &format!("{}/log", gauge.endpoint())).await.status(), 200);
    }
    let count = |tx: Tx| async move {
        let traces = deliveries::Entity::find().filter(deliveries::Column::QueueId.is_null());
        traces.count(&tx).await
    };
    let (traces, ()) = tokio::join!(db.write(count), async { released.notify_one() });
    assert!(traces.unwrap() <= 1);
    first.await.unwrap().unwrap();
}

async fn payloads_are_stored_sealed(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    for configuration in [json!({ "harbor": "secret-4711" }), json!({ "harbor": "north" })] {
        let update = world.admin.client.call("updateIntegrationInstallation");
        let update = update.path("integrationName", "gauge");
        let update = update.path("installationId", &gauge.installation);
        update.json(json!({ "configuration": configuration })).expect(200).await;
    }
    let list = world
        .admin
        .client
        .call("listIntegrationEvents")
        .path("integrationName", "gauge")
        .query("status", "pending");
    let list = list.expect(200).await;
    assert_eq!(
        list["items"][0]["payload"]["previous"]["configuration"]["harbor"],
        "secret-4711"
    );
    let rows = deliveries::Entity::find()
        .all(world.app().kernel.db.read())
        .await
        .unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        assert!(
            !row.payload.windows(11).any(|part| part == b"secret-4711"),
            "{}",
            row.event_type
        );
    }
}
