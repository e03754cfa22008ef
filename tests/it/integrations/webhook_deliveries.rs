//! Deliveries to webhooks: their order, repetition and end.

use bindery::areas::integrations::outbox::Recipient;
use chrono::TimeDelta;
use entity::integrations::deliveries;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    deliveries::{announce, deliver, delivery_runner, headers, world_with_receivers},
    jobs::{PATIENCE, end_leases},
    receiver::Receiver,
};

on_each_database![
    events_are_repeated_in_order_with_delays,
    a_delivery_is_sent_again,
    a_webhook_that_fails_for_five_days_is_disabled,
    a_webhook_that_is_gone_is_disabled,
    a_disabled_webhook_gets_nothing,
    a_killed_process_loses_nothing,
    old_deliveries_are_removed,
    events_of_a_deleted_webhook_are_removed,
    events_of_all_types_are_in_the_order_of_their_changes,
    a_change_before_a_transfer_is_for_the_former_organization,
    a_write_takes_as_many_statements_for_ten_receivers_as_for_one,
];

const CONTENT: &str = "space.content_updated";

async fn events_are_repeated_in_order_with_delays(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let space = world.space.to_string();
    for title in ["First", "Second"] {
        world.write_once(&space, title).await;
    }
    // The second event is sent after the second failure of the first one.
    receiver.answer([500, 500, 200, 500, 500, 500, 500]);
    let delays = [
        TimeDelta::zero(),
        TimeDelta::seconds(10),
        TimeDelta::minutes(1),
        TimeDelta::minutes(5),
        TimeDelta::minutes(30),
    ];
    let mut ids = Vec::new();
    for delay in delays {
        // A moment too early, nothing is sent.
        world.clock().advance(delay - TimeDelta::milliseconds(1));
        if !delay.is_zero() {
            deliver(world.app()).await;
            assert!(receiver.take().is_empty(), "{delay}");
        }
        world.clock().advance(TimeDelta::milliseconds(1));
        deliver(world.app()).await;
        let sent = receiver.take();
        ids.extend(headers(&sent, "webhook-id").into_iter().map(str::to_owned));
    }
    assert_eq!(ids.len(), 6, "{ids:?}");
    let second = ids.remove(2);
    assert!(second != ids[0] && ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    let [second, first] = world.deliveries(&webhook).await.try_into().unwrap();
    assert_eq!((&first["status"], &first["attempts"]), (&json!("pending"), &json!(5)));
    assert_eq!(first["failure"], "The address responded with the status 500.");
    assert_eq!((&second["status"], &second["attempts"]), (&json!("success"), &json!(1)));
    world.clock().advance(TimeDelta::hours(1));
    deliver(world.app()).await;
    assert_eq!(headers(&receiver.take(), "webhook-id"), [ids[0].as_str()]);
    world.clock().advance(TimeDelta::days(1));
    deliver(world.app()).await;
    assert!(receiver.take().is_empty());
    let statuses: Vec<Value> = world
        .deliveries(&webhook)
        .await
        .iter()
        .map(|row| row["status"].clone())
        .collect();
    assert_eq!(statuses, ["success", "failed"]);
}

async fn a_delivery_is_sent_again(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    world.write_once(&world.space.to_string(), "First").await;
    deliver(world.app()).await;
    let [first] = receiver.take().try_into().unwrap();
    let resend = || {
        let call = world.on_webhook(&world.admin, "resendWebhookDelivery", &webhook);
        call.path("deliveryId", &first.headers["webhook-id"])
    };
    resend().expect(204).await;
    receiver.answer([503]);
    deliver(world.app()).await;
    let [again] = receiver.take().try_into().unwrap();
    assert_eq!(
        (&again.headers["webhook-id"], &again.body),
        (&first.headers["webhook-id"], &first.body)
    );
    // It does not wait for the next attempt.
    resend().expect(204).await;
    deliver(world.app()).await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(world.deliveries(&webhook).await[0]["status"], "success");
    let unknown = world.on_webhook(&world.admin, "resendWebhookDelivery", &webhook);
    unknown.path("deliveryId", world.own("deliveryId")).expect(404).await;
}

async fn a_webhook_that_fails_for_five_days_is_disabled(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let space = world.space.to_string();
    receiver.answer([500; 100]);
    let read = async || {
        world
            .on_webhook(&world.admin, "getWebhookById", &webhook)
            .expect(200)
            .await
    };
    for day in 0..6 {
        assert_eq!(read().await["enabled"], true, "day {day}");
        world.write_once(&space, &format!("Day {day}")).await;
        deliver(world.app()).await;
        world.clock().advance(TimeDelta::days(1));
    }
    deliver(world.app()).await;
    let disabled = read().await;
    assert_eq!(disabled["enabled"], false);
    assert!(disabled["failingSince"].is_string());
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let newest = events.query("action", "webhooks.disable").expect(200).await;
    assert_eq!(newest["items"][0]["target"]["id"], webhook["id"]);
    receiver.take();
    world.clock().advance(TimeDelta::days(1));
    deliver(world.app()).await;
    assert!(receiver.take().is_empty());
    let statuses = world.deliveries(&webhook).await;
    assert!(statuses.iter().all(|row| row["status"] == "failed"), "{statuses:?}");
}

async fn a_webhook_that_is_gone_is_disabled(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let space = world.space.to_string();
    for title in ["First", "Second"] {
        world.write_once(&space, title).await;
    }
    receiver.answer([410]);
    deliver(world.app()).await;
    assert_eq!(receiver.take().len(), 1);
    let read = world.on_webhook(&world.admin, "getWebhookById", &webhook);
    assert_eq!(read.expect(200).await["enabled"], false);
    let [second, first] = world.deliveries(&webhook).await.try_into().unwrap();
    assert_eq!(
        (&first["status"], &first["attempts"], &first["responseStatus"]),
        (&json!("failed"), &json!(1), &json!(410))
    );
    assert_eq!(
        (&second["status"], &second["failure"]),
        (&json!("failed"), &json!("The webhook is disabled."))
    );
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let newest = events.query("action", "webhooks.disable").expect(200).await;
    assert_eq!(newest["items"][0]["target"]["id"], webhook["id"]);
    world.clock().advance(TimeDelta::days(1));
    deliver(world.app()).await;
    assert!(receiver.take().is_empty());
}

async fn a_disabled_webhook_gets_nothing(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let space = world.space.to_string();
    let set = async |enabled: bool| {
        let update = world.on_webhook(&world.admin, "updateWebhook", &webhook);
        update.json(json!({ "enabled": enabled })).expect(200).await;
    };
    world.write_once(&space, "Pending").await;
    announce(world.app()).await;
    set(false).await;
    world.write_once(&space, "While it is disabled").await;
    deliver(world.app()).await;
    assert!(receiver.take().is_empty());
    let [delivery] = world.deliveries(&webhook).await.try_into().unwrap();
    assert_eq!(
        (&delivery["status"], &delivery["failure"]),
        (&json!("failed"), &json!("The webhook is disabled."))
    );
    set(true).await;
    world.write_once(&space, "Enabled").await;
    deliver(world.app()).await;
    assert_eq!(receiver.take().len(), 1);
}

async fn a_killed_process_loses_nothing(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let space = world.space.to_string();
    for title in ["First", "Second", "Third"] {
        world.write_once(&space, title).await;
    }
    announce(world.app()).await;
    receiver.hold();
    let process = tokio::spawn(delivery_runner(world.app()).run(std::future::pending(), PATIENCE));
    receiver.arrived().await;
    process.abort();
    assert!(process.await.unwrap_err().is_cancelled());
    let [begun] = receiver.take().try_into().unwrap();
    receiver.release();
    end_leases(&world.app().kernel.db).await;
    deliver(world.app()).await;
    let sent = receiver.take();
    let mut expected: Vec<Value> = world
        .deliveries(&webhook)
        .await
        .iter()
        .map(|row| row["id"].clone())
        .collect();
    expected.reverse();
    assert_eq!(json!(headers(&sent, "webhook-id")), json!(expected));
    assert_eq!(begun.headers["webhook-id"], sent[0].headers["webhook-id"]);
}

async fn old_deliveries_are_removed(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    for title in ["First", "Second"] {
        world.write_once(&world.space.to_string(), title).await;
        deliver(world.app()).await;
        world.clock().advance(TimeDelta::days(16));
    }
    world.purge_deliveries().await;
    let [kept] = world.deliveries(&webhook).await.try_into().unwrap();
    assert_eq!(kept["id"], receiver.take()[1].headers["webhook-id"]);
}

async fn a_write_takes_as_many_statements_for_ten_receivers_as_for_one(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let space = world.space.to_string();
    let insert = json!({ "operation": "insert_page", "title": "A page", "document": { "markdown": "Words." } });
    let taken = async || {
        let call = world.admin.client.call("updateSpaceContent").space(&space);
        let before = world.app().kernel.db.statements();
        call.json(json!({ "changes": [insert] })).expect(200).await;
        world.app().kernel.db.statements() - before
    };
    // Caches are filled.
    taken().await;
    let without = taken().await;
    let mut counts = Vec::new();
    for receivers in [1, 9] {
        for _ in 0..receivers {
            world.new_webhook(&receiver, &[CONTENT]).await;
        }
        taken().await;
        counts.push(taken().await);
    }
    assert_eq!(counts[0], counts[1]);
    assert!(counts[0] <= without + 1, "{counts:?}, without receivers {without}");
}

async fn events_of_a_deleted_webhook_are_removed(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let queue = Recipient::Webhook(webhook["id"].as_str().unwrap().parse().unwrap()).queue();
    let count = async || {
        let rows = deliveries::Entity::find().filter(deliveries::Column::QueueId.eq(queue));
        rows.count(world.app().kernel.db.read()).await.unwrap()
    };
    let space = world.space.to_string();
    world.write_once(&space, "First").await;
    deliver(world.app()).await;
    world.write_once(&space, "Second").await;
    announce(world.app()).await;
    assert_eq!(count().await, 2);
    world
        .on_webhook(&world.admin, "deleteWebhook", &webhook)
        .expect(204)
        .await;
    deliver(world.app()).await;
    assert_eq!((count().await, receiver.take().len()), (0, 1));
}

async fn events_of_all_types_are_in_the_order_of_their_changes(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    world
        .new_webhook(&receiver, &[CONTENT, "space.visibility_updated"])
        .await;
    let space = world.space.to_string();
    world.write_once(&space, "Before").await;
    // Out of the collection, to whose people the space was visible.
    let moved = world.admin.client.call("moveSpace").space(&space);
    moved.json(json!({ "parent": null })).expect(200).await;
    world.write_once(&space, "After").await;
    deliver(world.app()).await;
    let sent: Vec<Value> = receiver
        .take()
        .iter()
        .map(|request| request.json()["type"].clone())
        .collect();
    assert_eq!(sent, [CONTENT, "space.visibility_updated", CONTENT]);
}

async fn a_change_before_a_transfer_is_for_the_former_organization(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let (former, present) = (Receiver::start().await, Receiver::start().await);
    world.new_webhook(&former, &[CONTENT]).await;
    let create = world.admin.client.call("createOrganization");
    let other = create.json(json!({ "title": "Saltmarsh" })).expect(201).await;
    let hook = world
        .admin
        .client
        .call("createWebhook")
        .path("organizationId", other["id"].as_str().unwrap());
    hook.json(json!({ "url": present.url, "eventTypes": [CONTENT] }))
        .expect(201)
        .await;
    let space = world.new_space_with_page("Grippers", "Start", "Words.").await["id"].clone();
    let space = space.as_str().unwrap();
    deliver(world.app()).await;
    former.take();
    world.write_once(space, "Before").await;
    let transfer = world.admin.client.call("transferSpace").space(space);
    transfer.json(json!({ "organization": other["id"] })).expect(200).await;
    world.write_once(space, "After").await;
    deliver(world.app()).await;
    assert_eq!((former.take().len(), present.take().len()), (1, 1));
}

mod only_postgres {
    use platform::db::Backend;

    use super::*;

    #[tokio::test]
    async fn two_nodes_deliver_nothing_at_once() {
        let world = world_with_receivers(TestDatabase::new(Backend::Postgres)).await;
        let receiver = Receiver::start().await;
        let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
        let second = world.service.second_node().await;
        let space = world.space.to_string();
        world.write_once(&space, "First").await;
        receiver.hold();
        let first = deliver(world.app());
        let meanwhile = async {
            receiver.arrived().await;
            world.write_once(&space, "Second").await;
            // The other node finds nothing to do.
            deliver(&second.app).await;
            assert_eq!(receiver.take().len(), 1);
            receiver.release();
        };
        tokio::join!(first, meanwhile);
        let sent = receiver.take();
        let [newest, _] = world.deliveries(&webhook).await.try_into().unwrap();
        assert_eq!(headers(&sent, "webhook-id"), [newest["id"].as_str().unwrap()]);
        // Idle again: the next event begins a job.
        world.write_once(&space, "Third").await;
        deliver(world.app()).await;
        let [third] = receiver.take().try_into().unwrap();
        assert_eq!(third.json()["type"], CONTENT);
    }

    #[tokio::test]
    async fn two_nodes_put_changes_into_queues_once() {
        let world = world_with_receivers(TestDatabase::new(Backend::Postgres)).await;
        let receiver = Receiver::start().await;
        let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
        let second = world.service.second_node().await;
        let space = world.space.to_string();
        let mut revisions = Vec::new();
        for number in 0..20 {
            revisions.push(world.write_once(&space, &format!("Page {number}")).await);
        }
        tokio::join!(announce(world.app()), announce(&second.app), announce(world.app()));
        assert_eq!(world.deliveries(&webhook).await.len(), revisions.len());
        deliver(world.app()).await;
        let sent: Vec<Value> = receiver
            .take()
            .iter()
            .map(|request| request.json()["data"]["revisionId"].clone())
            .collect();
        assert_eq!(sent, revisions);
    }
}
