//! Texts and pages that are computed for a request.

use serde_json::{Value, json};

use crate::support::{
    computed::{add_computed, gripper, pinned, source},
    database::{TestDatabase, on_each_database},
    texts::new_space,
    world::World,
};

on_each_database![
    a_text_is_that_of_its_page,
    a_text_is_computed_from_a_version,
    pages_are_those_of_a_placeholder,
    unknown_parts_are_refused,
    guests_only_compute_what_their_space_shows,
    versions_from_before_have_pages,
];

fn text_source(spec: &str, props: Value) -> Value {
    let mut source = source(spec);
    source["props"] = props;
    source
}

fn operations(page: &str) -> Value {
    json!({ "doc": "operations", "page": page })
}

async fn a_text_is_that_of_its_page(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Interface", "gripper").await;
    let tree = world.admin.client.call("listPages").space(space).expect(200).await;
    let mut pages = vec![tree["pages"][1].clone()];
    let mut seen = 0;
    while let Some(page) = pages.pop() {
        let read = world.admin.client.call("getPageById").space(space);
        let read = read.path("pageId", page["id"].as_str().unwrap()).expect(200).await;
        let body = json!({ "source": page["computed"], "seed": page["computedSeed"] });
        let computed = world
            .admin
            .client
            .call("getComputedDocument")
            .space(space)
            .json(body)
            .expect(200)
            .await;
        if read.get("document").is_some() {
            assert_eq!(computed, read["document"], "{page}");
        }
        seen += 1;
        pages.extend(page["pages"].as_array().unwrap().iter().cloned());
    }
    assert_eq!(seen, 9);
    let all = json!({ "source": text_source("gripper", operations("tag:motion")), "seed": "any" });
    let all = world
        .admin
        .client
        .call("getComputedDocument")
        .space(space)
        .json(all)
        .expect(200)
        .await;
    let types = all["nodes"].as_array().unwrap().iter().map(|node| node["type"].clone());
    let types: Vec<Value> = types.collect();
    assert_eq!(types, ["paragraph", "openapi-operation", "openapi-operation"]);
}

async fn a_text_is_computed_from_a_version(database: TestDatabase) {
    let world = World::new(database).await;
    let first = world.process_document("gripper", &gripper()).await;
    let mut document = gripper();
    document["info"]["description"] = json!("Holds things.");
    world.process_document("gripper", &document).await;
    let text = async |mut source: Value| {
        source["props"] = json!({ "doc": "info", "page": "info" });
        let call = world.admin.client.call("getComputedDocument").space(world.space);
        let call = call.json(json!({ "source": source, "seed": "x" })).expect(200).await;
        call["nodes"][0]["nodes"][0]["leaves"][0]["text"].clone()
    };
    assert_eq!(text(source("gripper")).await, "Holds things.");
    assert_eq!(text(pinned(&first)).await, "Moves ");
    let mut latest = source("gripper");
    latest["dependencies"]["spec"]["value"] = Value::Null;
    assert_eq!(text(latest).await, "Holds things.");
}

async fn pages_are_those_of_a_placeholder(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "gripper").await;
    let revision = async |seed: &str| {
        let call = world.admin.client.call("getComputedRevision").space(space);
        call.json(json!({ "source": source("gripper"), "seed": seed }))
            .expect(200)
            .await
    };
    let computed = revision(&placeholder).await;
    assert_eq!(
        (&computed["files"], &computed["reusableContents"]),
        (&json!([]), &json!([]))
    );
    let tree = world.admin.client.call("listPages").space(space).expect(200).await;
    let of_space = &tree["pages"][1]["pages"];
    let (ids, of_revision) = (
        |pages: &Value| pages[0]["pages"][0]["id"].clone(),
        &computed["pages"][0]["pages"],
    );
    assert_eq!(ids(of_revision), ids(of_space));
    assert_eq!(of_revision[0]["path"], "gripper/motion");
    let other = revision("other").await;
    assert_ne!(ids(&other["pages"][0]["pages"]), ids(of_space));
    assert_eq!(other, revision("other").await);
}

async fn unknown_parts_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let send = async |operation: &str, source: Value| {
        let call = world.admin.client.call(operation).space(world.space);
        call.json(json!({ "source": source, "seed": "x" })).send().await
    };
    for page in ["operation:post /home", "tag:nothing", "info", "models"] {
        let answer = send("getComputedDocument", text_source("gripper", operations(page))).await;
        answer.has_detail("/body/source/props/page", "unknown-source");
    }
    let mut foreign = text_source("gripper", json!({ "doc": "models" }));
    foreign["dependencies"]["spec"]["value"] = json!({
        "object": "openapi-spec", "id": "x", "slug": "gripper", "lastVersion": world.foreign("versionId"),
    });
    for source in [
        text_source(&world.foreign("specSlug"), json!({ "doc": "models" })),
        foreign,
    ] {
        let answer = send("getComputedDocument", source).await;
        answer.has_detail("/body/source/dependencies/spec", "unknown-source");
    }
    let answer = send("getComputedRevision", source(&world.foreign("specSlug"))).await;
    answer.has_detail("/body/source/dependencies/spec", "unknown-source");
    let answer = send("getComputedDocument", text_source("gripper", json!({ "doc": "info" }))).await;
    answer.has_detail("/body/source/props/page", "required");
}

async fn guests_only_compute_what_their_space_shows(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    world.process_document("secret", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Interface", "gripper").await;
    let invite = world.admin.client.call("inviteToSpace").space(space);
    let guest = &world.guest;
    let body = json!({ "users": [guest.id.to_string()], "role": "read" });
    let answer = invite.json(body).send().await;
    assert!(answer.status < 300, "{}", answer.text);
    let send = async |spec: &str| {
        let call = guest.client.call("getComputedRevision").space(space);
        call.json(json!({ "source": source(spec), "seed": "x" })).send().await
    };
    assert_eq!(send("gripper").await.status, 200);
    send("secret")
        .await
        .has_detail("/body/source/dependencies/spec", "unknown-source");
}

async fn versions_from_before_have_pages(database: TestDatabase) {
    use entity::specifications::openapi_specs::outlines;
    use sea_orm::EntityTrait;

    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let work = |tx| async move { outlines::Entity::delete_many().exec(&tx).await };
    assert!(world.app().kernel.db.write(work).await.unwrap().rows_affected > 0);
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Interface", "gripper").await;
    let tree = world.admin.client.call("listPages").space(space).expect(200).await;
    assert_eq!(tree["pages"][1]["pages"].as_array().unwrap().len(), 4);
    let stored = outlines::Entity::find()
        .all(world.app().kernel.db.read())
        .await
        .unwrap();
    assert_eq!(stored.len(), 1);
}
