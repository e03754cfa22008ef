//! Webhooks: what is sent to them and how it is signed, and what others must not reach.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::TimeDelta;
use entity::integrations::{deliveries, webhooks};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    deliveries::{deliver, world_with_receivers},
    receiver::Receiver,
    world::World,
};

on_each_database![
    webhooks_are_made_changed_and_deleted,
    an_organization_has_a_limited_number,
    events_arrive_signed,
    each_type_is_sent_when_it_happens,
    each_replaced_secret_signs_for_a_day,
    private_addresses_are_refused,
    redirects_are_not_followed,
    secrets_and_answers_are_stored_and_shown_nowhere,
    queries_of_addresses_are_not_in_the_audit_log,
    others_reach_no_webhook,
    events_of_other_organizations_are_not_sent,
];

const CONTENT: &str = "space.content_updated";

async fn webhooks_are_made_changed_and_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let create = world.admin.client.call("createWebhook").here(&world);
    let body = json!({ "url": "https://hooks.tidewater.example/a", "eventTypes": [CONTENT] });
    let answer = create.json(body).send().await;
    let made = answer.expect(201);
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert!(made["secret"].as_str().unwrap().starts_with("whsec_"), "{made}");
    assert_eq!((&made["enabled"], made.get("failingSince")), (&json!(true), None));
    let mut shown = made.clone();
    shown.as_object_mut().unwrap().remove("secret");
    let read = world.on_webhook(&world.admin, "getWebhookById", &made);
    assert_eq!(read.expect(200).await, shown);
    let list = world.admin.client.call("listWebhooks").here(&world);
    assert_eq!(list.expect(200).await["items"][0], shown);

    let update = world.on_webhook(&world.admin, "updateWebhook", &made);
    let change =
        json!({ "url": "https://hooks.tidewater.example/b", "eventTypes": ["site.published"], "enabled": false });
    let changed = update.json(change.clone()).expect(200).await;
    for member in ["url", "eventTypes", "enabled"] {
        assert_eq!(changed[member], change[member]);
    }
    for _ in 0..2 {
        world.on_webhook(&world.admin, "deleteWebhook", &made).expect(204).await;
    }
    for operation in ["getWebhookById", "rotateWebhookSecret", "listWebhookDeliveries"] {
        world.on_webhook(&world.admin, operation, &made).expect(404).await;
    }
    let update = world.on_webhook(&world.admin, "updateWebhook", &made);
    update.json(json!({})).expect(404).await;
}

async fn an_organization_has_a_limited_number(database: TestDatabase) {
    let world = World::new(database).await;
    let create = || {
        let body = json!({ "url": "https://hooks.tidewater.example/", "eventTypes": [CONTENT] });
        world
            .other_admin
            .client
            .call("createWebhook")
            .within(world.other_organization)
            .json(body)
    };
    let list = world
        .other_admin
        .client
        .call("listWebhooks")
        .within(world.other_organization);
    let there = list.expect(200).await["count"].as_u64().unwrap();
    for _ in there..50 {
        create().expect(201).await;
    }
    let refused = create().expect(409).await;
    assert_eq!(refused["error"]["type"], "too-many-webhooks");
}

async fn events_arrive_signed(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let space = world.new_space("Grippers").await["id"].as_str().unwrap().to_owned();
    let revision = world.write_once(&space, "First").await;
    deliver(world.app()).await;
    let [request] = receiver.take().try_into().unwrap();
    assert_eq!(
        (request.path.as_str(), request.headers["content-type"].as_str()),
        ("/events", "application/json")
    );
    assert!(request.is_signed(&webhook["secret"]));
    let sent = request.json();
    assert_eq!(sent["type"], CONTENT);
    assert_eq!(
        (&sent["data"]["spaceId"], &sent["data"]["revisionId"]),
        (&json!(space), &json!(revision))
    );
    assert_eq!(sent["data"]["updatedBy"][0]["id"], world.admin.id.to_string());
    let [delivery] = world.deliveries(&webhook).await.try_into().unwrap();
    assert_eq!(
        (&delivery["id"], &delivery["eventType"], &delivery["status"]),
        (
            &json!(request.headers["webhook-id"]),
            &json!(CONTENT),
            &json!("success")
        )
    );
    assert_eq!(
        (&delivery["attempts"], &delivery["responseStatus"]),
        (&json!(1), &json!(200))
    );
    // Nothing is left to do.
    deliver(world.app()).await;
    assert!(receiver.take().is_empty());
}

async fn each_type_is_sent_when_it_happens(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let types = ["space.visibility_updated", "site.published", "site.unpublished"];
    world.new_webhook(&receiver, &types).await;
    let space = world.new_space_with_page("Grippers", "Start", "Words.").await;
    let site = world.new_site("Manuals", &[&space]).await;
    let sent = async || {
        deliver(world.app()).await;
        let events = receiver.take().into_iter().map(|request| {
            let Value::Object(event) = request.json() else {
                panic!("no object")
            };
            let data = &event["data"];
            let of_space = data["spaceId"] == space["id"];
            assert!(of_space || data["siteId"] == site["id"], "{data}");
            let visibility = json!([data["previousVisibility"], data["visibility"]]);
            (event["type"].as_str().unwrap().to_owned(), visibility)
        });
        events.collect::<Vec<_>>()
    };
    assert!(sent().await.is_empty());
    let none = json!([null, null]);
    world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let opened = ("space.visibility_updated".to_owned(), json!(["private", "public"]));
    assert_eq!(sent().await, [("site.published".to_owned(), none.clone()), opened]);
    let update = world.on_site(&world.admin, "updateSiteById", &site);
    update.json(json!({ "visibility": "share-link" })).expect(200).await;
    let narrowed = ("space.visibility_updated".to_owned(), json!(["public", "share-link"]));
    assert_eq!(sent().await, [narrowed]);
    // The same again changes nothing.
    let update = world.on_site(&world.admin, "updateSiteById", &site);
    update.json(json!({ "visibility": "share-link" })).expect(200).await;
    assert!(sent().await.is_empty());
    world.on_site(&world.admin, "deleteSiteById", &site).expect(204).await;
    let closed = ("space.visibility_updated".to_owned(), json!(["share-link", "private"]));
    assert_eq!(sent().await, [("site.unpublished".to_owned(), none), closed]);
}

async fn each_replaced_secret_signs_for_a_day(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let rotate = world.on_webhook(&world.admin, "rotateWebhookSecret", &webhook);
    let answer = rotate.send().await;
    let rotated = answer.expect(200);
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_ne!(rotated["secret"], webhook["secret"]);
    world.clock().advance(TimeDelta::hours(1));
    let rotate = world.on_webhook(&world.admin, "rotateWebhookSecret", &webhook);
    let newest = rotate.expect(200).await;
    let space = world.space.to_string();
    for (later, first_signs, second_signs) in [(22, true, true), (1, false, true), (1, false, false)] {
        world.clock().advance(TimeDelta::hours(later));
        world
            .write_once(&space, &format!("After {first_signs} {second_signs}"))
            .await;
        deliver(world.app()).await;
        let [request] = receiver.take().try_into().unwrap();
        assert!(request.is_signed(&newest["secret"]));
        assert_eq!(request.is_signed(&rotated["secret"]), second_signs);
        assert_eq!(request.is_signed(&webhook["secret"]), first_signs);
    }
}

async fn private_addresses_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let receiver = Receiver::start().await;
    let port = receiver.url.rsplit_once(':').unwrap().1.to_owned();
    let create = |url: String| {
        let body = json!({ "url": url, "eventTypes": [CONTENT] });
        world.admin.client.call("createWebhook").here(&world).json(body)
    };
    for host in [
        "127.0.0.1",
        "[::1]",
        "2130706433",
        "169.254.169.254",
        "10.0.0.1",
        "user@198.51.100.1",
    ] {
        let answer = create(format!("http://{host}:{port}")).send().await;
        answer.has_detail("/body/url", "address");
    }
    for url in ["ftp://tidewater.example/", "http://tidewater.example/\r\nX-Note: 1"] {
        create(url.to_owned()).expect(400).await;
    }
    // A name is resolved for each request.
    let webhook = create(format!("http://localhost:{port}")).expect(201).await;
    let update = world.on_webhook(&world.admin, "updateWebhook", &webhook);
    let moved = update.json(json!({ "url": "http://10.0.0.1/" })).send().await;
    moved.has_detail("/body/url", "address");
    world.write_once(&world.space.to_string(), "First").await;
    deliver(world.app()).await;
    assert!(receiver.take().is_empty());
    let [delivery] = world.deliveries(&webhook).await.try_into().unwrap();
    assert_eq!(
        (&delivery["status"], delivery.get("responseStatus")),
        (&json!("pending"), None)
    );
    assert!(
        delivery["failure"].as_str().unwrap().contains("is not public"),
        "{delivery}"
    );
}

async fn redirects_are_not_followed(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    receiver.answer([307]);
    world.write_once(&world.space.to_string(), "First").await;
    deliver(world.app()).await;
    assert_eq!(receiver.take().len(), 1);
    let [delivery] = world.deliveries(&webhook).await.try_into().unwrap();
    assert_eq!(
        (&delivery["status"], &delivery["responseStatus"]),
        (&json!("pending"), &json!(307))
    );
}

async fn secrets_and_answers_are_stored_and_shown_nowhere(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let secret = webhook["secret"].as_str().unwrap().strip_prefix("whsec_").unwrap();
    let key = STANDARD.decode(secret).unwrap();
    world.write_once(&world.space.to_string(), "First").await;
    deliver(world.app()).await;
    let db = world.app().kernel.db.read();
    for row in webhooks::Entity::find().all(db).await.unwrap() {
        assert!(!row.secret.windows(key.len()).any(|part| part == key));
    }
    for row in deliveries::Entity::find().all(db).await.unwrap() {
        let text = format!("{row:?}");
        assert!(!text.contains(secret) && !text.contains("A body."), "{text}");
    }
    let audit = world
        .admin
        .client
        .call("listOrganizationAuditEvents")
        .here(&world)
        .send()
        .await;
    for operation in ["getWebhookById", "listWebhookDeliveries"] {
        let shown = world.on_webhook(&world.admin, operation, &webhook).send().await;
        assert!(
            !shown.text.contains(secret) && !shown.text.contains("A body."),
            "{}",
            shown.text
        );
    }
    assert!(!audit.text.contains(secret));
}

async fn queries_of_addresses_are_not_in_the_audit_log(database: TestDatabase) {
    let world = World::new(database).await;
    let create = world.admin.client.call("createWebhook").here(&world);
    let body = json!({ "url": "https://hooks.tidewater.example/a?key=secret-4711", "eventTypes": [CONTENT] });
    let webhook = create.json(body).expect(201).await;
    assert_eq!(webhook["url"], "https://hooks.tidewater.example/a?key=secret-4711");
    let call = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let created = call.query("action", "webhooks.createWebhook").expect(200).await;
    let id = created["items"][0]["id"].as_str().unwrap();
    let call = world.admin.client.call("getOrganizationAuditEvent").here(&world);
    let details = call.path("auditEventId", id).expect(200).await;
    for shown in [created.to_string(), details.to_string()] {
        assert!(
            shown.contains("hooks.tidewater.example/a") && !shown.contains("secret-4711"),
            "{shown}"
        );
    }
}

async fn others_reach_no_webhook(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let id = webhook["id"].as_str().unwrap();
    for operation in ["getWebhookById", "listWebhookDeliveries", "rotateWebhookSecret"] {
        world.on_webhook(&world.create, operation, &webhook).expect(403).await;
        world
            .on_webhook(&world.other_admin, operation, &webhook)
            .expect(404)
            .await;
        // By way of their own organization.
        let call = world
            .other_admin
            .client
            .call(operation)
            .within(world.other_organization);
        call.path("webhookId", id).expect(404).await;
    }
    let call = world
        .other_admin
        .client
        .call("deleteWebhook")
        .within(world.other_organization);
    call.path("webhookId", id).expect(204).await;
    world
        .on_webhook(&world.admin, "getWebhookById", &webhook)
        .expect(200)
        .await;
    // The delivery of one webhook is none of another.
    let resend = world.on_webhook(&world.admin, "resendWebhookDelivery", &webhook);
    resend.path("deliveryId", world.foreign("deliveryId")).expect(404).await;
}

async fn events_of_other_organizations_are_not_sent(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    world
        .new_webhook(&receiver, &[CONTENT, "space.visibility_updated", "site.published"])
        .await;
    let call = world
        .other_admin
        .client
        .call("updateSpaceContent")
        .space(world.other_space);
    let insert = json!({ "operation": "insert_page", "title": "Elsewhere", "document": { "markdown": "Words." } });
    call.json(json!({ "changes": [insert] })).expect(200).await;
    deliver(world.app()).await;
    assert!(receiver.take().is_empty());
}
