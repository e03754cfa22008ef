//! Configurations of installations: their form, their limits, and the statuses that follow from them.

use entity::integrations::{content_installations, installations};
use sea_orm::EntityTrait;
use serde_json::json;

use super::installations::{Gauge, account, harbor};
use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    configurations_have_the_form_of_the_schema,
    places_have_schemas_of_their_own,
    an_installation_waits_for_its_configuration,
    components_take_any_object,
    configurations_are_bounded,
    configurations_are_sealed,
];

async fn configurations_have_the_form_of_the_schema(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, harbor()).await;
    let bad = json!({ "harbor": "west", "depth": "3", "tides": 1, "wind/~": true });
    let answer = gauge.update(json!({ "configuration": bad })).send().await;
    let expected = [
        ("/body/configuration/depth", "configuration"),
        ("/body/configuration/harbor", "configuration"),
        ("/body/configuration/tides", "configuration"),
        ("/body/configuration/wind~1~0", "configuration"),
    ];
    answer.expect(400);
    let expected = expected.map(|(pointer, code)| (pointer.to_owned(), code.to_owned()));
    assert_eq!(answer.details(), expected);
    // A button has what the script writes.
    let good = json!({ "harbor": "south", "tides": true, "login": { "token": "x" } });
    let updated = gauge.update(json!({ "configuration": good })).expect(200).await;
    let mut complete = good;
    complete["depth"] = updated["configuration"]["depth"].clone();
    assert_eq!(complete["depth"].as_f64(), Some(3.0));
    assert_eq!(updated["configuration"], complete);
    assert_eq!(updated["status"], "active");
}

async fn places_have_schemas_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let schema = json!({
        "properties": { "harbor": { "type": "string", "enum": ["north"] }, "depth": { "type": "number" } },
    });
    let schemas = json!({ "configurations": { "space": schema, "site": schema } });
    let gauge = Gauge::new(&world, schemas).await;
    gauge.on_space(world.space).await;
    let site = gauge.admin("installIntegrationOnSite");
    site.json(json!({ "siteId": world.own("siteId") })).expect(201).await;
    let at_space = || {
        let call = gauge.admin("updateIntegrationSpaceInstallation");
        call.path("spaceId", world.space)
    };
    let at_site = || {
        let call = gauge.admin("updateIntegrationSiteInstallation");
        call.path("siteId", world.own("siteId"))
    };
    let bad = json!({ "configuration": { "harbor": "west", "depth": "3", "tides": true } });
    let large = json!({ "configuration": { "harbor": "x".repeat(32_768) } });
    let good = json!({ "configuration": { "harbor": "north", "depth": 3 } });
    for call in [&at_space as &dyn Fn() -> _, &at_site] {
        let answer = call().json(bad.clone()).send().await;
        answer.expect(400);
        answer.has_detail("/body/configuration/harbor", "configuration");
        answer.has_detail("/body/configuration/depth", "configuration");
        answer.has_detail("/body/configuration/tides", "configuration");
        let answer = call().json(large.clone()).send().await;
        answer.has_detail("/body/configuration", "configuration");
        let updated = call().json(good.clone()).expect(200).await;
        assert_eq!(updated["configuration"]["harbor"], "north");
    }
}

async fn an_installation_waits_for_its_configuration(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, harbor()).await;
    assert_eq!(gauge.read().await["status"], "pending");
    let incomplete = gauge.update(json!({ "configuration": { "tides": true } }));
    assert_eq!(incomplete.expect(200).await["status"], "pending");
    let complete = gauge.update(json!({ "configuration": { "harbor": "north" } }));
    assert_eq!(complete.expect(200).await["status"], "active");
    // A configuration takes the place of the one before.
    let cleared = gauge.update(json!({ "configuration": {} })).expect(200).await;
    assert_eq!(cleared["status"], "pending");
    assert_eq!(cleared["configuration"].as_object().unwrap().len(), 1);
}

async fn components_take_any_object(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, account(json!({ "componentId": "settings" }))).await;
    assert_eq!(gauge.read().await["status"], "pending");
    let configuration = json!({ "any": { "depth": [1, "two", null] } });
    let updated = gauge
        .update(json!({ "configuration": configuration }))
        .expect(200)
        .await;
    assert_eq!(updated["configuration"], configuration);
    assert_eq!(updated["status"], "active");
}

async fn configurations_are_bounded(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({})).await;
    let nested = |depth: usize| (1..depth).fold(json!({}), |inner, _| json!({ "in": inner }));
    let many = |items: usize| json!({ "list": vec![0; items] });
    let long = |bytes: usize| json!({ "text": "x".repeat(bytes) });
    for (fits, exceeds) in [
        (nested(16), nested(17)),
        (many(999), many(1000)),
        (long(32_768 - 11), long(32_768 - 10)),
    ] {
        gauge.update(json!({ "configuration": fits })).expect(200).await;
        let answer = gauge.update(json!({ "configuration": exceeds })).send().await;
        answer.has_detail("/body/configuration", "configuration");
    }
}

async fn configurations_are_sealed(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({})).await;
    let secret = json!({ "configuration": { "token": "tide-3417-secret" } });
    gauge.update(secret.clone()).expect(200).await;
    gauge.on_space(world.space).await;
    let update = gauge.admin("updateIntegrationSpaceInstallation").space(world.space);
    update.json(secret).expect(200).await;
    let db = world.app().kernel.db.read();
    let stored = installations::Entity::find().all(db).await.unwrap();
    let at_spaces = content_installations::Entity::find().all(db).await.unwrap();
    let sealed = stored.iter().map(|row| &row.configuration);
    for sealed in sealed.chain(at_spaces.iter().map(|row| &row.configuration)) {
        assert!(!sealed.windows(9).any(|part| part == b"tide-3417"));
    }
    // The audit log says what was changed, not to what.
    let log = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    assert!(!log.expect(200).await.to_string().contains("tide-3417"));
}
