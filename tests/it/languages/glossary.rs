//! The glossary of an organization.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    entries_are_inserted_replaced_and_deleted,
    a_batch_is_made_completely_or_not_at_all,
    words_are_those_of_known_languages,
    a_glossary_has_a_maximum_size,
    entries_are_sorted_by_their_words_in_a_language,
    long_entries_end_a_page_early,
];

fn update(world: &World) -> Call<'_> {
    world.create.client.call("updateGlossaryEntries").here(world)
}

async fn entries(world: &World) -> Vec<Value> {
    let list = world.read.client.call("listGlossaryEntries").here(world);
    list.expect(200).await["items"].as_array().unwrap().clone()
}

fn insert(word: &str) -> Value {
    json!({ "type": "insert", "translations": { "en": word } })
}

async fn entries_are_inserted_replaced_and_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let before = entries(&world).await;
    let operations =
        json!([insert("finger"), { "type": "insert", "translations": { "pt-br": "garra", "no": "griper" } }]);
    update(&world)
        .json(json!({ "operations": operations }))
        .expect(204)
        .await;
    let added = entries(&world).await;
    assert_eq!(added.len(), before.len() + 2);
    let (newest, first) = (&added[0], &added[1]);
    assert_eq!(newest["translations"], json!({ "no": "griper", "pt-br": "garra" }));
    assert_eq!(first["translations"], json!({ "en": "finger" }));

    let id = first["id"].as_str().unwrap();
    let operations = json!([
        { "type": "update", "id": id, "translations": { "de": "Finger" } },
        { "type": "delete", "id": newest["id"] },
    ]);
    update(&world)
        .json(json!({ "operations": operations }))
        .expect(204)
        .await;
    let get = |id: &Value| {
        let get = world.read.client.call("getGlossaryEntry").here(&world);
        get.path("glossaryEntryId", id.as_str().unwrap())
    };
    let changed = get(&first["id"]).expect(200).await;
    assert_eq!(changed["translations"], json!({ "de": "Finger" }));
    assert_eq!(changed["createdAt"], first["createdAt"]);
    assert!(changed["urls"]["location"].as_str().unwrap().ends_with(id));
    get(&newest["id"]).expect(404).await;
    update(&world).json(json!({ "operations": [] })).expect(204).await;
    let edit = world.review.client.call("updateGlossaryEntries").here(&world);
    edit.json(json!({ "operations": [] })).expect(403).await;
}

async fn a_batch_is_made_completely_or_not_at_all(database: TestDatabase) {
    let world = World::new(database).await;
    let before = entries(&world).await;
    let id = before[0]["id"].clone();
    let foreign = world.foreign("glossaryEntryId");
    for (unknown, at) in [
        (
            json!([insert("a"), { "type": "delete", "id": "06dk6a0v4c8g2k6o0s4u8e2i6q" }]),
            1,
        ),
        (json!([insert("a"), { "type": "delete", "id": foreign }]), 1),
        (
            json!([{ "type": "update", "id": "x", "translations": { "en": "b" } }]),
            0,
        ),
        (
            json!([{ "type": "delete", "id": id }, { "type": "delete", "id": id }]),
            1,
        ),
        (
            json!([{ "type": "delete", "id": id }, insert("c"), { "type": "update", "id": id, "translations": { "en": "b" } }]),
            2,
        ),
    ] {
        let answer = update(&world).json(json!({ "operations": unknown })).send().await;
        answer.has_detail(&format!("/body/operations/{at}/id"), "unknown");
    }
    assert_eq!(entries(&world).await, before);
}

async fn words_are_those_of_known_languages(database: TestDatabase) {
    let world = World::new(database).await;
    let before = entries(&world).await;
    for (translations, pointer, code) in [
        (json!({ "en": "a", "xx": "b" }), "/xx", "language"),
        (json!({ "EN": "a" }), "/EN", "language"),
        (json!({ "a/b~c": "a" }), "/a~1b~0c", "language"),
        (json!({ "en": "" }), "/en", "min-length"),
        (json!({ "en": "a\nb" }), "/en", "pattern"),
        (json!({ "en": "a\u{202e}b" }), "/en", "pattern"),
        (json!({ "en": "a\u{7}b" }), "/en", "pattern"),
        (json!({ "en": "\u{a0}" }), "/en", "pattern"),
        (json!({ "en": "\u{e0100}" }), "/en", "pattern"),
        (json!({ "en": "a".repeat(256) }), "/en", "max-length"),
        (json!({}), "", "min-properties"),
    ] {
        let operations = json!([insert("fine"), { "type": "insert", "translations": translations }]);
        let answer = update(&world).json(json!({ "operations": operations })).send().await;
        answer.has_detail(&format!("/body/operations/1/translations{pointer}"), code);
    }
    let longest = insert(&"ü".repeat(255));
    update(&world)
        .json(json!({ "operations": [longest] }))
        .expect(204)
        .await;
    assert_eq!(entries(&world).await.len(), before.len() + 1);
}

async fn a_glossary_has_a_maximum_size(database: TestDatabase) {
    let world = World::with(database, |flags| flags.body_limit = Some("1MiB".to_owned())).await;
    let kept = entries(&world).await.len();
    let many: Vec<Value> = (0..1000).map(|number| insert(&format!("word {number}"))).collect();
    for _ in 0..4 {
        update(&world).json(json!({ "operations": many })).expect(204).await;
    }
    let rest = &many[kept..];
    update(&world).json(json!({ "operations": rest })).expect(204).await;
    let refused = update(&world)
        .json(json!({ "operations": [insert("one more")] }))
        .expect(409)
        .await;
    assert_eq!(refused["error"]["type"], "too-many-glossary-entries");
    let newest = entries(&world).await[0]["id"].clone();
    let replace = json!([{ "type": "delete", "id": newest }, insert("instead")]);
    update(&world).json(json!({ "operations": replace })).expect(204).await;
    let too_many: Vec<Value> = (0..1001).map(|_| insert("word")).collect();
    let answer = update(&world).json(json!({ "operations": too_many })).send().await;
    answer.has_detail("/body/operations", "max-items");
}

async fn entries_are_sorted_by_their_words_in_a_language(database: TestDatabase) {
    let world = World::new(database).await;
    let without_word = entries(&world).await.len();
    let words = ["wrist", "Arm", "ärmel", "zone", "base", "arm"];
    let new = |word: &str| json!({ "type": "insert", "translations": { "pt-br": word, "en": "x" } });
    let mut operations: Vec<Value> = words.into_iter().map(new).collect();
    operations.push(insert("nothing else"));
    update(&world)
        .json(json!({ "operations": operations }))
        .expect(204)
        .await;
    let list = || {
        let list = world.read.client.call("listGlossaryEntries").here(&world);
        list.query("orderBy", "pt-br")
    };
    let word = |entry: &Value| entry["translations"]["pt-br"].as_str().unwrap_or("-").to_owned();
    let sorted = ["Arm", "arm", "base", "wrist", "zone", "ärmel"];
    let whole = list().expect(200).await;
    assert_eq!(whole["count"], sorted.len() + 1 + without_word);
    let found: Vec<String> = whole["items"].as_array().unwrap().iter().map(word).collect();
    assert_eq!(found[..sorted.len()], sorted);
    assert!(found[sorted.len()..].iter().all(|word| word == "-"), "{found:?}");
    let mut paged = Vec::new();
    let mut page = list().query("limit", 2).expect(200).await;
    loop {
        paged.extend(page["items"].as_array().unwrap().clone());
        let Some(next) = page["next"]["page"].as_str() else {
            break;
        };
        page = list().query("limit", 2).query("page", next).expect(200).await;
    }
    assert_eq!(Value::from(paged), whole["items"]);
    // A page of one order continues no other.
    let first = list().query("limit", 2).expect(200).await;
    let next = first["next"]["page"].as_str().unwrap();
    let other = world.read.client.call("listGlossaryEntries").here(&world);
    other.query("page", next).send().await.has_detail("/query/page", "page");
    let unknown = world.read.client.call("listGlossaryEntries").here(&world);
    unknown
        .query("orderBy", "xx")
        .send()
        .await
        .has_detail("/query/orderBy", "enum");
}

async fn long_entries_end_a_page_early(database: TestDatabase) {
    let world = World::with(database, |flags| flags.body_limit = Some("2MiB".to_owned())).await;
    let languages = [
        "en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "zh-tw", "yue", "ko", "ar", "hi", "nl", "pl",
        "tr", "sv", "no",
    ];
    let translations: serde_json::Map<String, Value> = languages
        .iter()
        .map(|language| ((*language).to_owned(), json!("x".repeat(255))))
        .collect();
    let operations = vec![json!({ "type": "insert", "translations": translations }); 250];
    update(&world)
        .json(json!({ "operations": operations }))
        .expect(204)
        .await;
    let list = || {
        let list = world.read.client.call("listGlossaryEntries").here(&world);
        list.query("orderBy", "en").query("limit", 1000)
    };
    let first = list().expect(200).await;
    let count = first["items"].as_array().unwrap().len();
    assert!((100..250).contains(&count), "{count}");
    let next = first["next"]["page"].as_str().unwrap();
    let rest = list().query("page", next).expect(200).await;
    assert_eq!(first["count"], count + rest["items"].as_array().unwrap().len());
}
