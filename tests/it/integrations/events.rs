//! Events of integrations: their order, attempts, traces and tasks. The tunnel of the development mode stands for the script.

use chrono::TimeDelta;
use entity::{
    ids::IntegrationId,
    integrations::{Column, Entity, deliveries},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    deliveries::{deliver, world_with_receivers},
    installed::{Installed, set_status},
    receiver::{Received, Receiver},
    world::{Person, World},
};

on_each_database![
    events_arrive_in_order_and_are_listed,
    a_script_that_is_not_interested_has_succeeded,
    a_failed_event_is_overtaken_after_its_second_attempt,
    a_dead_letter_is_sent_again,
    the_queue_of_one_integration_holds_up_no_other,
    no_event_is_left_when_a_queue_becomes_idle,
    a_later_event_keeps_no_other_waiting,
    tasks_are_queued_with_a_delay,
    changes_of_content_reach_active_installations,
    only_scopes_that_are_approved_count,
    visibilities_reach_the_spaces_of_an_installation,
    the_deletion_of_a_space_is_told_to_its_installation,
    a_deleted_integration_gets_nothing,
    a_space_that_waits_for_its_configuration_has_no_events,
    others_see_no_events,
];

/// An integration in development mode.
struct Gauge {
    name: &'static str,
    id: IntegrationId,
    tunnel: Receiver,
}

impl Gauge {
    async fn new(world: &World, name: &'static str) -> Self {
        let publish = world
            .admin
            .client
            .call("publishIntegration")
            .path("integrationName", name);
        let body = json!({
            "title": "Gauge",
            "description": "Shows the water level.",
            "scopes": ["space:content:read"],
            "script": "export default { fetch: async () => new Response('OK') };",
            "runtime": "v2",
            "organization": world.organization,
        });
        publish.json(body).expect(200).await;
        let tunnel = Receiver::start().await;
        let start = world.admin.client.call("setIntegrationDevelopmentMode");
        let body = json!({ "tunnelUrl": tunnel.url, "all": true });
        start.path("integrationName", name).json(body).expect(204).await;
        let row = Entity::find().filter(Column::Name.eq(name));
        let row = row.one(world.app().kernel.db.read()).await.unwrap().unwrap();
        Self {
            name,
            id: row.id,
            tunnel,
        }
    }

    async fn record(&self, world: &World, number: u32) {
        self.record_later(world, number, TimeDelta::zero()).await;
    }

    async fn record_later(&self, world: &World, number: u32, delay: TimeDelta) {
        let payload = json!({ "type": "task", "task": { "number": number } });
        world.record_event(self.id, payload, delay).await;
    }

    fn call<'a>(&self, person: &'a Person, operation: &str) -> Call<'a> {
        person.client.call(operation).path("integrationName", self.name)
    }

    fn event<'a>(&self, person: &'a Person, operation: &str, event: &Value) -> Call<'a> {
        self.call(person, operation)
            .path("eventId", event["id"].as_str().unwrap())
    }

    /// The events, the newest first.
    async fn events(&self, world: &World) -> Vec<Value> {
        let list = self.call(&world.admin, "listIntegrationEvents").expect(200).await;
        list["items"].as_array().unwrap().clone()
    }

    /// The events that wait, the newest first.
    async fn waiting(&self, world: &World) -> Vec<Value> {
        let list = self
            .call(&world.admin, "listIntegrationEvents")
            .query("status", "pending");
        list.expect(200).await["items"].as_array().unwrap().clone()
    }

    async fn statuses(&self, world: &World) -> Vec<Value> {
        let events = self.events(world).await;
        events.iter().map(|event| event["status"].clone()).collect()
    }

    /// The numbers of the tasks that have arrived since the last call.
    fn arrived(&self) -> Vec<u64> {
        self.tunnel.take().iter().map(number).collect()
    }
}

fn number(request: &Received) -> u64 {
    request.part("event")["task"]["number"].as_u64().unwrap()
}

async fn events_arrive_in_order_and_are_listed(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let gauge = Gauge::new(&world, "gauge").await;
    // More than a job takes at once.
    for task in 0..70 {
        gauge.record(&world, task).await;
    }
    // Events are listed when they were tried.
    assert_eq!(gauge.events(&world).await, Vec::<Value>::new());
    let waiting = gauge.waiting(&world).await;
    assert!(waiting.len() == 50 && waiting[0]["status"] == "pending", "{waiting:?}");
    deliver(world.app()).await;
    assert_eq!(gauge.arrived(), (0..70).collect::<Vec<u64>>());
    let events = gauge.events(&world).await;
    let newest = &events[0];
    assert_eq!(
        (&newest["status"], &newest["integrationId"]),
        (&json!("success"), &json!("gauge"))
    );
    assert_eq!(
        newest["payload"],
        json!({ "eventId": newest["id"], "type": "task", "task": { "number": 69 } })
    );
    let read = gauge
        .event(&world.admin, "getIntegrationEvent", newest)
        .expect(200)
        .await;
    assert_eq!(read, json!({ "event": newest, "trace": { "logs": [] } }));
}

async fn a_script_that_is_not_interested_has_succeeded(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let gauge = Gauge::new(&world, "gauge").await;
    gauge.tunnel.answer([406, 204]);
    gauge.record(&world, 1).await;
    gauge.record(&world, 2).await;
    deliver(world.app()).await;
    assert_eq!(gauge.arrived(), [1, 2]);
    assert_eq!(gauge.statuses(&world).await, ["success", "success"]);
}

async fn a_failed_event_is_overtaken_after_its_second_attempt(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let gauge = Gauge::new(&world, "gauge").await;
    gauge.tunnel.answer([500; 2]);
    for number in 1..=3 {
        gauge.record(&world, number).await;
    }
    deliver(world.app()).await;
    assert_eq!(gauge.arrived(), [1]);
    // One that was tried has failed, until another attempt succeeds.
    assert_eq!(gauge.statuses(&world).await, ["failed"]);
    let statuses: Vec<Value> = gauge
        .waiting(&world)
        .await
        .iter()
        .map(|event| event["status"].clone())
        .collect();
    assert_eq!(statuses, ["pending", "pending", "failed"]);
    world.clock().advance(TimeDelta::seconds(10));
    deliver(world.app()).await;
    assert_eq!(gauge.arrived(), [1, 2, 3]);
    assert_eq!(gauge.statuses(&world).await, ["success", "success", "failed"]);
    for (status, count) in [("success", 2), ("failed", 1), ("pending", 1)] {
        let list = gauge
            .call(&world.admin, "listIntegrationEvents")
            .query("status", status);
        assert_eq!(list.expect(200).await["count"], count, "{status}");
    }
    // It is tried again at its time, and later events do not wait for that.
    gauge.record(&world, 4).await;
    deliver(world.app()).await;
    assert_eq!(gauge.arrived(), [4]);
    world.clock().advance(TimeDelta::minutes(1));
    deliver(world.app()).await;
    assert_eq!(gauge.arrived(), [1]);
    assert_eq!(gauge.statuses(&world).await, vec![json!("success"); 4]);
    assert_eq!(gauge.waiting(&world).await, Vec::<Value>::new());
}

async fn a_dead_letter_is_sent_again(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let gauge = Gauge::new(&world, "gauge").await;
    gauge.tunnel.answer([500; 6]);
    gauge.record(&world, 1).await;
    for _ in 0..6 {
        deliver(world.app()).await;
        world.clock().advance(TimeDelta::hours(1));
    }
    let [dead] = gauge.events(&world).await.try_into().unwrap();
    assert_eq!(dead["status"], "failed");
    let read = gauge
        .event(&world.admin, "getIntegrationEvent", &dead)
        .expect(200)
        .await;
    let logs = read["trace"]["logs"].as_array().unwrap();
    let last = logs.last().unwrap();
    assert_eq!(last["level"], "error");
    assert!(last["message"].as_str().unwrap().contains("500"), "{last}");
    assert_eq!(gauge.arrived().len(), 6);
    gauge
        .event(&world.admin, "resendIntegrationEvent", &dead)
        .expect(204)
        .await;
    deliver(world.app()).await;
    assert_eq!(
        (gauge.arrived(), gauge.statuses(&world).await),
        (vec![1], vec![json!("success")])
    );
}

async fn the_queue_of_one_integration_holds_up_no_other(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let (broken, working) = (Gauge::new(&world, "broken").await, Gauge::new(&world, "working").await);
    broken.tunnel.answer([500; 6]);
    broken.record(&world, 1).await;
    working.record(&world, 2).await;
    deliver(world.app()).await;
    assert_eq!(
        (broken.statuses(&world).await, working.statuses(&world).await),
        (vec![json!("failed")], vec![json!("success")])
    );
}

async fn a_later_event_keeps_no_other_waiting(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let gauge = Gauge::new(&world, "gauge").await;
    gauge.record_later(&world, 1, TimeDelta::hours(2)).await;
    gauge.record(&world, 2).await;
    deliver(world.app()).await;
    assert_eq!(gauge.arrived(), [2]);
    assert_eq!(gauge.events(&world).await.len(), 1);
    world.clock().advance(TimeDelta::hours(2) - TimeDelta::milliseconds(1));
    deliver(world.app()).await;
    assert!(gauge.arrived().is_empty());
    world.clock().advance(TimeDelta::milliseconds(1));
    // The job that records the event, and the one that delivers it.
    deliver(world.app()).await;
    assert_eq!(gauge.arrived(), [1]);
}

async fn no_event_is_left_when_a_queue_becomes_idle(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let gauge = Gauge::new(&world, "gauge").await;
    // Events come while the queue is idle, while it is busy, and while it becomes idle.
    let record = async {
        for task in 0..40 {
            gauge.record(&world, task).await;
        }
    };
    let run = async {
        for _ in 0..10 {
            deliver(world.app()).await;
        }
    };
    tokio::join!(record, run);
    deliver(world.app()).await;
    assert_eq!(gauge.arrived(), (0..40).collect::<Vec<u64>>());
}

/// Sends the events of an integration to a tunnel.
async fn tunnel(world: &World, installed: &Installed) -> Receiver {
    let tunnel = Receiver::start().await;
    let start = world.admin.client.call("setIntegrationDevelopmentMode");
    let body = json!({ "tunnelUrl": tunnel.url, "all": true });
    let start = start.path("integrationName", &installed.name).json(body);
    start.expect(204).await;
    deliver(world.app()).await;
    tunnel.take();
    tunnel
}

/// Delivers what is due, and returns the events that have arrived.
async fn events(world: &World, tunnel: &Receiver) -> Vec<Value> {
    deliver(world.app()).await;
    tunnel.take().iter().map(|request| request.part("event")).collect()
}

async fn tasks_are_queued_with_a_delay(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let installed = Installed::nowhere(&world, "gauge", &[]).await;
    let tunnel = tunnel(&world, &installed).await;
    let queue = |body: Value| {
        let call = installed
            .own
            .call("queueIntegrationTask")
            .path("integrationName", "gauge");
        call.json(body)
    };
    queue(json!({ "task": { "number": 1 }, "schedule": 86400 }))
        .expect(204)
        .await;
    queue(json!({ "task": { "number": 2 } })).expect(204).await;
    queue(json!({ "task": {}, "schedule": 86401 })).expect(400).await;
    let [event] = events(&world, &tunnel).await.try_into().unwrap();
    assert_eq!(
        (&event["type"], &event["task"]),
        (&json!("task"), &json!({ "number": 2 }))
    );
    world.clock().advance(TimeDelta::days(1));
    let [event] = events(&world, &tunnel).await.try_into().unwrap();
    assert_eq!(event["task"], json!({ "number": 1 }));
    let task = installed
        .client
        .call("queueIntegrationTask")
        .path("integrationName", "gauge");
    task.json(json!({ "task": {} })).expect(401).await;
}

async fn changes_of_content_reach_active_installations(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let installed = Installed::everywhere(&world, "gauge", &["space:content:read"]).await;
    let tunnel = tunnel(&world, &installed).await;
    let space = world.space.to_string();
    let revision = world.write_once(&space, "First").await;
    let [event] = events(&world, &tunnel).await.try_into().unwrap();
    assert_eq!(event["type"], "space_content_updated");
    assert_eq!(
        (&event["installationId"], &event["spaceId"], &event["revisionId"]),
        (&json!(installed.id), &json!(space), &json!(revision))
    );
    assert_eq!(event["updatedBy"][0]["id"], world.admin.id.to_string());
    let other = world
        .other_admin
        .client
        .call("updateSpaceContent")
        .space(world.other_space);
    let insert = json!({ "operation": "insert_page", "title": "Elsewhere", "document": { "markdown": "Words." } });
    other.json(json!({ "changes": [insert] })).expect(200).await;
    assert_eq!(events(&world, &tunnel).await, Vec::<Value>::new());
    set_status(&world, "pending").await;
    world.write_once(&space, "Second").await;
    assert_eq!(events(&world, &tunnel).await, Vec::<Value>::new());
}

async fn only_scopes_that_are_approved_count(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let installed = Installed::everywhere(&world, "gauge", &["space:metadata:read"]).await;
    let tunnel = tunnel(&world, &installed).await;
    world.write_once(&world.space.to_string(), "First").await;
    assert_eq!(events(&world, &tunnel).await, Vec::<Value>::new());
}

async fn visibilities_reach_the_spaces_of_an_installation(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let installed = Installed::everywhere(&world, "gauge", &["space:metadata:read"]).await;
    let tunnel = tunnel(&world, &installed).await;
    // Out of the collection, to whose people the space was visible.
    let moved = world.admin.client.call("moveSpace").space(world.space);
    moved.json(json!({ "parent": null })).expect(200).await;
    let [event] = events(&world, &tunnel).await.try_into().unwrap();
    assert_eq!(
        (
            &event["type"],
            &event["spaceId"],
            &event["previousVisibility"],
            &event["visibility"]
        ),
        (
            &json!("space_visibility_updated"),
            &json!(world.space),
            &json!("in-collection"),
            &json!("private")
        )
    );
}

async fn the_deletion_of_a_space_is_told_to_its_installation(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let installed = Installed::everywhere(&world, "gauge", &["space:content:read"]).await;
    let tunnel = tunnel(&world, &installed).await;
    let installation = || {
        let call = world.admin.client.call("getIntegrationInstallationById");
        call.path("integrationName", "gauge")
            .path("installationId", installed.id)
    };
    let before = installation().expect(200).await;
    world
        .admin
        .client
        .call("deleteSpaceById")
        .space(world.space)
        .expect(204)
        .await;
    let [event] = events(&world, &tunnel).await.try_into().unwrap();
    assert_eq!(
        (&event["type"], &event["spaceId"], &event["previous"]),
        (
            &json!("space_installation_deleted"),
            &json!(world.space),
            &json!({ "configuration": {} })
        )
    );
    let after = installation().expect(200).await;
    assert_eq!(
        before["spaces"].as_u64().unwrap(),
        after["spaces"].as_u64().unwrap() + 1
    );
    let delete = world.on_site(&world.admin, "deleteSiteById", &json!({ "id": world.own("siteId") }));
    delete.expect(204).await;
    let [event] = events(&world, &tunnel).await.try_into().unwrap();
    assert_eq!(
        (&event["type"], &event["siteId"]),
        (&json!("site_installation_deleted"), &json!(world.own("siteId")))
    );
}

async fn a_deleted_integration_gets_nothing(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let gauge = Gauge::new(&world, "gauge").await;
    gauge.record(&world, 1).await;
    gauge.record_later(&world, 2, TimeDelta::hours(1)).await;
    gauge.call(&world.admin, "unpublishIntegration").expect(204).await;
    deliver(world.app()).await;
    world.clock().advance(TimeDelta::hours(1));
    deliver(world.app()).await;
    assert!(gauge.arrived().is_empty());
    let rows = deliveries::Entity::find().filter(deliveries::Column::IntegrationId.eq(gauge.id));
    let rows = rows.all(world.app().kernel.db.read()).await.unwrap();
    assert_eq!(rows.len(), 0);
}

async fn a_space_that_waits_for_its_configuration_has_no_events(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let installed = Installed::nowhere(&world, "gauge", &["space:content:read"]).await;
    let harbor = json!({ "properties": { "harbor": { "type": "string" } }, "required": ["harbor"] });
    world
        .publish("gauge", json!({ "configurations": { "space": harbor } }))
        .await;
    let call = |operation: &str| {
        let call = world.admin.client.call(operation).path("integrationName", "gauge");
        call.path("installationId", installed.id)
    };
    let select = call("updateIntegrationInstallation").json(json!({ "space_selection": "all" }));
    select.expect(200).await;
    let tunnel = tunnel(&world, &installed).await;
    world.write_once(&world.space.to_string(), "First").await;
    assert_eq!(events(&world, &tunnel).await, Vec::<Value>::new());
    let list = world.admin.client.call("listIntegrationEvents");
    let list = list.path("integrationName", "gauge").expect(200).await;
    let mut statuses = list["items"].as_array().unwrap().iter().map(|event| &event["status"]);
    assert!(statuses.all(|status| status == "success"), "{list}");

    let configure = call("updateIntegrationSpaceInstallation").path("spaceId", world.space);
    let configuration = json!({ "configuration": { "harbor": "north" } });
    configure.json(configuration).expect(200).await;
    world.write_once(&world.space.to_string(), "Second").await;
    let types: Vec<Value> = events(&world, &tunnel)
        .await
        .iter()
        .map(|event| event["type"].clone())
        .collect();
    assert_eq!(types, ["space_installation_setup", "space_content_updated"]);
}

async fn others_see_no_events(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let gauge = Gauge::new(&world, "gauge").await;
    gauge.record(&world, 1).await;
    let [event] = gauge.waiting(&world).await.try_into().unwrap();
    for person in [&world.create, &world.other_admin] {
        for operation in ["getIntegrationEvent", "resendIntegrationEvent"] {
            let status = gauge.event(person, operation, &event).send().await.status;
            assert!([403, 404].contains(&status), "{operation}: {status}");
        }
        let status = gauge.call(person, "listIntegrationEvents").send().await.status;
        assert!([403, 404].contains(&status), "{status}");
    }
    // An event of one integration is none of another, and tasks need a token of the integration.
    let other = Gauge::new(&world, "other").await;
    other
        .event(&world.admin, "getIntegrationEvent", &event)
        .expect(404)
        .await;
    let task = gauge.call(&world.admin, "queueIntegrationTask");
    task.json(json!({ "task": {} })).expect(403).await;
}
