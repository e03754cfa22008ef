//! Pages that the scripts of integrations compute.

use std::{sync::Arc, time::Duration};

use bindery::areas::{
    content::computed::IndexComputedPages,
    integrations::content_sources::{ComputeContent, RefreshContent},
};
use chrono::TimeDelta;
use entity::ids::NodeId;
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};
use tokio::time::{interval, timeout};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    installed::set_status,
    jobs::PATIENCE,
    paths::texts,
    published::{find, id, visitor},
    scripts::{Scripted, publish},
    texts::{without_title, write},
    world::World,
};

on_each_database![
    pages_are_computed_for_members_and_visitors,
    computed_pages_stay_when_a_script_fails,
    failures_of_content_sources_are_events,
    every_hour_the_pages_are_computed_again,
    pages_of_a_pending_integration_are_gone,
    a_change_request_can_change_a_source,
    computed_revisions_are_those_that_were_computed_last,
    computed_documents_are_those_that_were_computed_last,
    a_new_space_begins_with_the_pages_of_a_source,
    unknown_sources_are_refused,
];

/// The manifest of an integration with a content source.
fn manifest() -> Value {
    let configuration = json!({ "componentId": "settings" });
    json!({ "contentSources": [{ "id": "harbors", "title": "Harbors", "configuration": configuration }] })
}

fn source(harbors: &[&str]) -> Value {
    json!({ "type": "integration:gauge:harbors", "props": { "harbors": harbors } })
}

fn insert(source: &Value) -> Value {
    json!({ "operation": "insert_computed_page", "ref": "new", "computed": source })
}

/// Runs the jobs that compute pages, and those of the search.
async fn compute(world: &World) {
    let app = world.app();
    for _ in 0..2 {
        let compute = ComputeContent::new(Arc::clone(&app.integrations), Arc::clone(&app.contents));
        let kinds = Kinds::default()
            .with(compute)
            .with(IndexComputedPages(Arc::clone(&app.contents)));
        Runner::new(app.kernel.jobs.clone(), kinds).run_due().await.unwrap();
    }
}

async fn refresh(world: &World) {
    world.clock().advance(TimeDelta::hours(1));
    let kinds = Kinds::default().with_periodic(RefreshContent(world.app().kernel.clone()));
    Runner::new(world.app().kernel.jobs.clone(), kinds)
        .run_due()
        .await
        .unwrap();
    compute(world).await;
}

fn in_space<'a>(world: &'a World, operation: &str) -> Call<'a> {
    world.admin.client.call(operation).space(world.space)
}

/// The page in the place of the placeholder.
async fn root(world: &World, placeholder: &str) -> Value {
    let tree = in_space(world, "listPages").expect(200).await;
    let pages = tree["pages"].as_array().unwrap().iter();
    let root = pages.into_iter().find(|page| page["id"] == placeholder);
    root.unwrap().clone()
}

/// The titles of the pages below it.
async fn titles(world: &World, placeholder: &str) -> Vec<String> {
    texts(&json!({ "items": root(world, placeholder).await["pages"] }), "/title")
}

async fn pages_are_computed_for_members_and_visitors(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", manifest()).await;
    let space = id(&gauge.published.spaces[0]).parse().unwrap();
    let harbors = source(&["north", "south"]);
    let placeholder = write(&world, space, vec![insert(&harbors)]).await["new"].clone();
    let tree = async || {
        let list = world.admin.client.call("listPages").space(space);
        list.expect(200).await["pages"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .clone()
    };
    let stored = tree().await;
    assert_eq!((&stored["type"], &stored["computed"]), (&json!("computed"), &harbors));
    assert_eq!(stored["title"], "Harbors");
    compute(&world).await;
    let root = tree().await;
    assert_eq!((&root["type"], &root["id"]), (&json!("document"), &json!(placeholder)));
    let pages = &root["pages"];
    assert_eq!(
        (&pages[0]["title"], &pages[1]["title"]),
        (&json!("Harbor north"), &json!("Harbor south"))
    );
    let tides = &pages[1]["pages"][0];
    assert_eq!(tides["path"], "harbors/harbor-south/tides");
    assert_eq!(
        tides["computed"],
        json!({ "type": "integration:gauge:harbors", "props": { "id": "south-tides" } })
    );
    let found = find(&world, &format!("{}start", gauge.published.address)).await;
    let visitor = visitor(&world, &found);
    for client in [&world.admin.client, &visitor] {
        let call = client.call("getPageById").space(space).path("pageId", id(tides));
        let read = call.query("format", "markdown").expect(200).await;
        assert_eq!(without_title(&read).trim(), "Water of south-tides.");
        let call = client.call("getPageById").space(space).path("pageId", id(tides));
        let read = call.expect(200).await;
        assert_eq!(read["document"]["nodes"][0]["type"], "paragraph");
    }
    let search = world.admin.client.call("searchSpaceContent").space(space);
    let found = search.query("query", "Water").expect(200).await;
    assert!(texts(&found, "/title").contains(&"Tides".to_owned()), "{found}");
}

async fn computed_pages_stay_when_a_script_fails(database: TestDatabase) {
    let world = World::new(database).await;
    Scripted::new(&world, "gauge", manifest()).await;
    let placeholder = write(&world, world.space, vec![insert(&source(&["north"]))]).await["new"].clone();
    compute(&world).await;
    let before = root(&world, &placeholder).await;
    assert_eq!(before["pages"][0]["title"], "Harbor north");
    let script = "export default { fetch: async () => Response.json({ pages: [{ title: '' }] }) };";
    let mut members = manifest();
    members["script"] = json!(script);
    publish(&world, "gauge", members).await;
    refresh(&world).await;
    assert_eq!(root(&world, &placeholder).await, before);
    // Other props are another source, of which nothing was computed yet.
    let failing = json!({ "type": "integration:gauge:harbors", "props": { "fails": true } });
    let change = json!({ "operation": "update_page", "page": placeholder, "computed": failing });
    write(&world, world.space, vec![change]).await;
    compute(&world).await;
    assert_eq!(root(&world, &placeholder).await["type"], "computed");
}

async fn failures_of_content_sources_are_events(database: TestDatabase) {
    let world = World::new(database).await;
    Scripted::new(&world, "gauge", manifest()).await;
    // The first answer has no page, the second one has a page of another source, and the text of the third one is no document.
    let script = "const page = (computed) => [{ title: 'Tides', computed }];
        const type = 'integration:gauge:harbors';
        export default { async fetch(request) {
            const event = JSON.parse((await request.formData()).get('event'));
            console.warn('low water');
            if (event.type === 'content_compute_document') {
                return Response.json({ document: { object: 'document', nodes: 'none' } });
            }
            const pages = { status: [], kind: page({ type: 'integration:other:harbors' }), text: page({ type }) };
            const status = event.props.case === 'status' ? 500 : 200;
            return Response.json({ pages: pages[event.props.case] }, { status });
        } };";
    let mut members = manifest();
    members["script"] = json!(script);
    publish(&world, "gauge", members).await;
    for (case, event_type, reason) in [
        ("status", "content_compute_revision", "the status 500"),
        ("kind", "content_compute_revision", "another source"),
        ("text", "content_compute_document", "another form"),
    ] {
        let source = json!({ "type": "integration:gauge:harbors", "props": { "case": case } });
        let placeholder = write(&world, world.space, vec![insert(&source)]).await["new"].clone();
        compute(&world).await;
        let event = failure(&world, event_type, case).await;
        let call = world
            .admin
            .client
            .call("getIntegrationEvent")
            .path("integrationName", "gauge");
        let read = call.path("eventId", id(&event)).expect(200).await;
        let lines = texts(&json!({ "items": read["trace"]["logs"] }), "/message");
        assert!(lines[0] == "low water" && lines[1].contains(reason), "{lines:?}");
        let remove = json!({ "operation": "delete_page", "page": placeholder });
        write(&world, world.space, vec![remove]).await;
    }
}

/// The failed event of a type about a page or a case, as soon as it is listed: it is written after the answer.
async fn failure(world: &World, event_type: &str, case: &str) -> Value {
    let is_wanted = |event: &Value| {
        let props = &event["payload"]["props"];
        event["payload"]["type"] == event_type && (props["case"] == case || event_type.ends_with("document"))
    };
    let listed = async {
        let mut pauses = interval(Duration::from_millis(20));
        loop {
            pauses.tick().await;
            let list = world
                .admin
                .client
                .call("listIntegrationEvents")
                .path("integrationName", "gauge");
            let list = list.query("status", "failed").expect(200).await;
            if let Some(event) = list["items"].as_array().unwrap().iter().find(|event| is_wanted(event)) {
                return event.clone();
            }
        }
    };
    timeout(PATIENCE, listed).await.unwrap()
}

async fn every_hour_the_pages_are_computed_again(database: TestDatabase) {
    let world = World::new(database).await;
    Scripted::new(&world, "gauge", manifest()).await;
    let placeholder = write(&world, world.space, vec![insert(&source(&["north"]))]).await["new"].clone();
    compute(&world).await;
    let before = root(&world, &placeholder).await;
    let script = "const pages = [{ id: 'north', title: 'North' }];
        export default { fetch: async () => Response.json({ pages }) };";
    let mut members = manifest();
    members["script"] = json!(script);
    publish(&world, "gauge", members).await;
    refresh(&world).await;
    let after = root(&world, &placeholder).await;
    assert_eq!(after["pages"][0]["title"], "North");
    // The page is the same one, by its id.
    assert_eq!(after["pages"][0]["id"], before["pages"][0]["id"]);
}

async fn pages_of_a_pending_integration_are_gone(database: TestDatabase) {
    let world = World::new(database).await;
    Scripted::new(&world, "gauge", manifest()).await;
    let placeholder = write(&world, world.space, vec![insert(&source(&["north"]))]).await["new"].clone();
    compute(&world).await;
    assert_eq!(titles(&world, &placeholder).await, ["Harbor north"]);
    set_status(&world, "pending").await;
    refresh(&world).await;
    assert_eq!(root(&world, &placeholder).await["type"], "computed");
}

async fn a_change_request_can_change_a_source(database: TestDatabase) {
    let world = World::new(database).await;
    Scripted::new(&world, "gauge", manifest()).await;
    let placeholder = write(&world, world.space, vec![insert(&source(&["north"]))]).await["new"].clone();
    compute(&world).await;
    let request = in_space(&world, "createChangeRequest").json(json!({ "subject": "South" }));
    let request = request.expect(201).await;
    let within = |operation: &str| in_space(&world, operation).path("changeRequestId", id(&request));
    let change = json!({ "operation": "update_page", "page": placeholder, "computed": source(&["south"]) });
    let update = within("updateChangeRequestContent");
    update.json(json!({ "changes": [change] })).expect(200).await;
    within("mergeChangeRequest").expect(200).await;
    compute(&world).await;
    assert_eq!(titles(&world, &placeholder).await, ["Harbor south"]);
}

async fn computed_revisions_are_those_that_were_computed_last(database: TestDatabase) {
    let world = World::new(database).await;
    Scripted::new(&world, "gauge", manifest()).await;
    let mut north = source(&["north"]);
    let placeholder = write(&world, world.space, vec![insert(&north)]).await["new"].clone();
    compute(&world).await;
    let read = async |source: &Value| {
        let call = world.admin.client.call("getComputedRevision").space(world.space);
        let body = json!({ "source": source, "seed": placeholder });
        call.json(body).send().await
    };
    let pages = root(&world, &placeholder).await["pages"].clone();
    // Names of dependencies belong to the integration.
    north["dependencies"] = json!({});
    let revision = read(&north).await.expect(200);
    assert_eq!(revision["pages"][0]["pages"][0]["title"], pages[0]["title"]);
    assert_eq!(revision["pages"][0]["pages"][0]["id"], pages[0]["id"]);
    let unknown = json!({ "type": "integration:gauge:rivers", "props": {} });
    for source in [source(&["south"]), unknown] {
        let answer = read(&source).await;
        answer.has_detail("/body/source/type", "unknown-source");
    }
}

async fn computed_documents_are_those_that_were_computed_last(database: TestDatabase) {
    let world = World::new(database).await;
    Scripted::new(&world, "gauge", manifest()).await;
    let placeholder = write(&world, world.space, vec![insert(&source(&["north"]))]).await["new"].clone();
    compute(&world).await;
    let tides = root(&world, &placeholder).await["pages"][0]["pages"][0].clone();
    let page = in_space(&world, "getPageById").path("pageId", id(&tides));
    let page = page.expect(200).await;
    let read = |mut source: Value| {
        source["dependencies"] = json!({});
        let body = json!({ "source": source, "seed": placeholder });
        in_space(&world, "getComputedDocument").json(body)
    };
    let document = read(tides["computed"].clone()).expect(200).await;
    assert_eq!(document["nodes"], page["document"]["nodes"]);
    let mut other = tides["computed"].clone();
    other["props"]["id"] = json!("south-tides");
    let mut unknown = tides["computed"].clone();
    unknown["type"] = json!("integration:gauge:rivers");
    for source in [other, unknown] {
        read(source)
            .send()
            .await
            .has_detail("/body/source/type", "unknown-source");
    }
}

async fn a_new_space_begins_with_the_pages_of_a_source(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", manifest()).await;
    let everywhere = world.admin.client.call("updateIntegrationInstallation");
    let everywhere = everywhere.path("integrationName", "gauge");
    let everywhere = everywhere.path("installationId", &gauge.installation);
    everywhere.json(json!({ "space_selection": "all" })).expect(200).await;
    let create = |source: Value| {
        let call = world.admin.client.call("createSpace").here(&world);
        call.json(json!({ "title": "Tides", "computedSource": source }))
    };
    let space: NodeId = id(&create(source(&["north"])).expect(201).await).parse().unwrap();
    compute(&world).await;
    let pages = world.admin.client.call("listPages").space(space).expect(200).await;
    let root = &pages["pages"][0];
    assert_eq!(
        (&root["title"], &root["pages"][0]["title"]),
        (&json!("Harbors"), &json!("Harbor north"))
    );
    let unknown = json!({ "type": "integration:gauge:rivers", "props": {} });
    let refused = create(unknown).send().await;
    refused.has_detail("/body/computedSource/type", "unknown-source");
}

async fn unknown_sources_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    Scripted::new(&world, "gauge", manifest()).await;
    let request = in_space(&world, "createChangeRequest").json(json!({ "subject": "Tides" }));
    let request = request.expect(201).await;
    let body = |source: Value| json!({ "changes": [insert(&source)] });
    let write = |source: Value| in_space(&world, "updateSpaceContent").json(body(source));
    for kind in [
        "integration:gauge:rivers",
        "integration:other:harbors",
        "integration:gauge",
        "other:rivers",
    ] {
        let unknown = json!({ "type": kind, "props": {} });
        let in_request = in_space(&world, "updateChangeRequestContent").path("changeRequestId", id(&request));
        for call in [write(unknown.clone()), in_request.json(body(unknown))] {
            call.send()
                .await
                .has_detail("/body/changes/0/computed/type", "unknown-source");
        }
    }
    write(json!({ "type": "integration:gauge:harbors" })).expect(400).await;
    set_status(&world, "pending").await;
    write(source(&["north"])).expect(400).await;
}
