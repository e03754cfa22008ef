//! Translations: creating, reading, changing and ending them.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    targets::{safe_documents, unsafe_documents},
    translations::create,
    world::{Person, World},
};

on_each_database![
    a_translation_is_created_changed_and_ended,
    instructions_have_no_targets_that_run_in_a_browser,
    a_space_has_one_translation_into_a_language,
    creators_of_translations_need_a_level,
    translations_are_seen_by_those_who_read_the_source,
    losing_the_source_changes_nothing,
    a_translation_outlives_its_source,
];

fn at<'a>(world: &World, person: &'a Person, operation: &str, translation: &Value) -> Call<'a> {
    let call = person.client.call(operation).here(world);
    call.path("translationId", translation["id"].as_str().unwrap())
}

async fn a_translation_is_created_changed_and_ended(database: TestDatabase) {
    let world = World::new(database).await;
    let source = world.space.to_string();
    let made = create(&world, &world.create, &source, "fr").expect(201).await;
    assert_eq!(made["status"], "pending");
    assert_eq!(made["source"], json!({ "space": source, "language": "en" }));
    assert_eq!((&made["language"], &made["stats"]["runs"]), (&json!("fr"), &json!(0)));
    assert_eq!(made["permissions"], json!({ "view": true, "edit": true }));
    assert_eq!(made["instructions"]["nodes"], json!([]));
    let result = made["result"]["space"].as_str().unwrap();
    let space = world.create.client.call("getSpaceById").space(result).expect(200).await;
    assert_eq!((&space["title"], &space["language"]), (&json!("French"), &json!("fr")));
    assert_eq!(space["parent"], world.collection.to_string());
    assert_eq!(space["revision"], made["result"]["revision"]);
    let pages = |space: &str| world.read.client.call("listPages").space(space).expect(200);
    assert_eq!(
        pages(result).await["pages"][0]["id"],
        pages(&source).await["pages"][0]["id"]
    );

    let read = at(&world, &world.read, "getTranslation", &made).expect(200).await;
    assert_eq!(read["permissions"], json!({ "view": true, "edit": false }));
    let instructions = json!({ "object": "document", "data": {}, "nodes": [{
        "object": "block", "type": "paragraph", "nodes": [
            { "object": "text", "leaves": [{ "object": "leaf", "text": "Be brief.", "marks": [] }] },
        ],
    }] });
    let body = json!({ "instructions": instructions });
    let update = at(&world, &world.edit, "updateTranslation", &made).json(body.clone());
    let changed = update.expect(200).await;
    assert_eq!(changed["instructions"]["nodes"], instructions["nodes"]);
    at(&world, &world.comment, "updateTranslation", &made)
        .json(body)
        .expect(403)
        .await;
    at(&world, &world.comment, "runTranslation", &made).expect(403).await;
    at(&world, &world.comment, "deleteTranslation", &made).expect(403).await;
    for _ in 0..2 {
        at(&world, &world.edit, "runTranslation", &made).expect(204).await;
    }
    for _ in 0..2 {
        at(&world, &world.edit, "deleteTranslation", &made).expect(204).await;
    }
    at(&world, &world.admin, "getTranslation", &made).expect(404).await;
    at(&world, &world.admin, "runTranslation", &made).expect(404).await;
    world.read.client.call("getSpaceById").space(result).expect(200).await;
}

async fn instructions_have_no_targets_that_run_in_a_browser(database: TestDatabase) {
    let world = World::new(database).await;
    let create_with = |language: &str, instructions: &Value| {
        let source = json!({ "space": world.space.to_string(), "language": "en" });
        let call = world.create.client.call("createTranslation").here(&world);
        call.json(json!({ "source": source, "language": language, "instructions": instructions }))
    };
    let refused = unsafe_documents().map(|(document, pointer)| (document, format!("/body/instructions{pointer}")));
    for (instructions, pointer) in &refused {
        let answer = create_with("fr", instructions).send().await;
        answer.has_detail(pointer, "unsafe-target");
    }
    let mut made = Value::Null;
    for (language, instructions) in ["fr", "it", "sv", "nl"].into_iter().zip(safe_documents()) {
        made = create_with(language, &instructions).expect(201).await;
        assert_eq!(made["instructions"], instructions);
    }
    let update_with = |instructions: &Value| {
        let call = at(&world, &world.create, "updateTranslation", &made);
        call.json(json!({ "instructions": instructions }))
    };
    for (instructions, pointer) in &refused {
        let answer = update_with(instructions).send().await;
        answer.has_detail(pointer, "unsafe-target");
    }
    let read = at(&world, &world.read, "getTranslation", &made).expect(200).await;
    assert_eq!(read["instructions"], made["instructions"]);
    for instructions in safe_documents() {
        assert_eq!(
            update_with(&instructions).expect(200).await["instructions"],
            instructions
        );
    }
}

async fn a_space_has_one_translation_into_a_language(database: TestDatabase) {
    let world = World::new(database).await;
    let source = world.space.to_string();
    create(&world, &world.create, &source, "it").expect(201).await;
    let refused = create(&world, &world.create, &source, "it").expect(409).await;
    assert_eq!(refused["error"]["type"], "translation-taken");
    let answer = create(&world, &world.create, &source, "en").send().await;
    answer.has_detail("/body/language", "same-language");
    let both = [(); 2].map(|()| create(&world, &world.create, &source, "sv").send());
    let [one, other] = both;
    let (one, other) = tokio::join!(one, other);
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409], "{} {}", one.text, other.text);
}

async fn creators_of_translations_need_a_level(database: TestDatabase) {
    let world = World::new(database).await;
    let source = world.space.to_string();
    create(&world, &world.review, &source, "fr").expect(403).await;
    create(&world, &world.guest, &source, "fr").expect(404).await;
    create(&world, &world.create, &world.other_space.to_string(), "fr")
        .expect(404)
        .await;
    create(&world, &world.create, "x", "fr").expect(404).await;
    let create = world.create.client.call("createTranslation").here(&world);
    create
        .json(json!({ "language": "fr" }))
        .send()
        .await
        .has_detail("/body/source", "required");
}

/// The id of a space that only its maker sees, and admins; and a translation of it.
async fn translation_of_hidden_space(world: &World) -> (String, Value) {
    let hidden = world.new_space("Hidden").await["id"].as_str().unwrap().to_owned();
    let update = world.admin.client.call("updateSpaceById").space(&hidden);
    update.json(json!({ "defaultLevel": null })).expect(200).await;
    let made = create(world, &world.admin, &hidden, "fr").expect(201).await;
    (hidden, made)
}

async fn translations_are_seen_by_those_who_read_the_source(database: TestDatabase) {
    let world = World::new(database).await;
    let (_, made) = translation_of_hidden_space(&world).await;
    let ids = async |person: &Person| {
        let list = person.client.call("listTranslations").here(&world).expect(200).await;
        let items = list["items"].as_array().unwrap().clone();
        items.into_iter().map(|item| item["id"].clone()).collect::<Vec<Value>>()
    };
    assert!(ids(&world.admin).await.contains(&made["id"]));
    assert!(!ids(&world.create).await.contains(&made["id"]));
    at(&world, &world.create, "getTranslation", &made).expect(404).await;
    at(&world, &world.create, "runTranslation", &made).expect(404).await;
    at(&world, &world.create, "deleteTranslation", &made).expect(204).await;
    at(&world, &world.admin, "getTranslation", &made).expect(200).await;
}

/// While the request is on its way.
async fn losing_the_source_changes_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let (hidden, made) = translation_of_hidden_space(&world).await;
    let set_on = async |space: &str, role: Value| {
        let call = world.admin.client.call("updateUserPermissionInSpace").space(space);
        let call = call.path("userId", world.create.id).json(json!({ "role": role }));
        call.expect(204).await;
    };
    set_on(made["result"]["space"].as_str().unwrap(), json!("edit")).await;
    let set = async |role: Value| set_on(&hidden, role).await;
    let body = json!({ "instructions": { "object": "document", "data": {}, "nodes": [] } });
    let update = || at(&world, &world.create, "updateTranslation", &made).json(body.clone());
    set(json!("read")).await;
    let (status, answer) = update().send_head().await.send().await;
    assert_eq!(status, 200, "{answer}");
    let late = update().send_head().await;
    set(json!(null)).await;
    let (status, answer) = late.send().await;
    assert_eq!(status, 404, "{answer}");
}

async fn a_translation_outlives_its_source(database: TestDatabase) {
    let world = World::new(database).await;
    let source = world.new_space("Short-lived").await;
    let source = source["id"].as_str().unwrap();
    let made = create(&world, &world.admin, source, "fr").expect(201).await;
    world
        .admin
        .client
        .call("deleteSpaceById")
        .space(source)
        .expect(204)
        .await;
    at(&world, &world.read, "getTranslation", &made).expect(200).await;
    world.run_translations().await;
    let ended = at(&world, &world.read, "getTranslation", &made).expect(200).await;
    assert_eq!(
        (&ended["status"], &ended["stats"]["runs"]),
        (&json!("completed"), &json!(0))
    );
    let list = world
        .read
        .client
        .call("listTranslations")
        .here(&world)
        .expect(200)
        .await;
    assert_eq!(list["items"][0]["id"], made["id"]);
    at(&world, &world.admin, "runTranslation", &made).expect(204).await;
    world.run_translations().await;
    at(&world, &world.admin, "deleteTranslation", &made).expect(204).await;
}
