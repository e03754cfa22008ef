//! Runs of translations: what is sent to the engine, and what becomes of the result.

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{
    database::{TestDatabase, on_each_database},
    engine::{Fault, TranslationEngine},
    jobs::{PATIENCE, end_leases},
    texts::without_title,
    translations::{FIRST, SECOND, TranslatedSpace},
    world::World,
};

on_each_database![
    only_changed_segments_are_sent,
    without_an_engine_the_result_has_the_words_of_the_source,
    corrections_by_hand_stay,
    a_new_translation_of_a_corrected_place_is_proposed,
    a_locked_result_gets_change_requests,
    pages_come_move_and_go_with_the_source,
    broken_translations_stay_in_the_source_language,
    titles_of_engines_keep_the_rules,
    a_killed_run_pays_for_nothing_twice,
    terms_of_the_glossary_are_observed,
];

async fn only_changed_segments_are_sent(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    let ended = book.first_run().await;
    assert_eq!(
        (&ended["status"], &ended["engine"], ended.get("problem")),
        (&json!("completed"), &json!("deepl"), None)
    );
    let stats = &ended["stats"];
    assert_eq!(
        (&stats["runs"], &stats["latestPages"], &stats["latestUntranslated"]),
        (&json!(1), &json!(2), &json!(0))
    );
    assert_eq!(stats["totalWords"], stats["latestWords"]);
    assert!(stats["latestWords"].as_u64().unwrap() > 10);
    let mut sent = book.engine.take_texts();
    sent.sort();
    sent.dedup();
    assert!(
        sent.contains(&"Mind <g id=\"1\">your</g> hands.".to_owned()),
        "{sent:?}"
    );
    assert!(sent.iter().all(|text| !text.contains("screw --out")), "{sent:?}");

    let first = book.page(&book.result, 0).await;
    assert_eq!(first["title"], "CARE OF IT");
    let text = first["markdown"].as_str().unwrap();
    assert!(
        text.contains("OPEN [THE MANUAL](https://tidewater.example/m) AND PRESS `stop`."),
        "{text}"
    );
    assert!(text.contains("MIND **YOUR** HANDS."), "{text}");
    let second = book.text(&book.result, 1).await;
    let link = format!("SEE [CARE](/pages/{})", book.pages[0]);
    assert!(second.contains("screw --out") && second.contains(&link), "{second}");
    assert_eq!(
        book.text(&book.source, 1).await,
        SECOND.replace("CARE", &book.pages[0]).trim_end()
    );
    let search = book.world.read.client.call("searchSpaceContent").space(&book.result);
    assert_eq!(
        search.query("query", "manual").expect(200).await["items"][0]["id"],
        json!(book.pages[0])
    );

    // Nothing has changed, so nothing is sent or written.
    let revision = ended["result"]["revision"].clone();
    let again = book.run().await;
    assert_eq!(book.engine.take_texts(), Vec::<String>::new());
    assert_eq!(
        (&again["result"]["revision"], &again["stats"]["latestWords"]),
        (&revision, &json!(0))
    );
    assert_eq!(again["stats"]["totalWords"], stats["totalWords"]);

    book.write(
        &book.source,
        1,
        &SECOND.replace("CARE", &book.pages[0]).replace("four", "the two"),
    )
    .await;
    let third = book.run().await;
    assert_eq!(book.engine.take_texts(), ["Loosen the two screws."]);
    assert_eq!(
        (&third["stats"]["latestPages"], &third["stats"]["latestWords"]),
        (&json!(1), &json!(4))
    );
    assert!(book.text(&book.result, 1).await.contains("LOOSEN THE TWO SCREWS."));
    assert_ne!(third["result"]["revision"], revision);
}

async fn without_an_engine_the_result_has_the_words_of_the_source(database: TestDatabase) {
    let world = World::new(database).await;
    let book = TranslatedSpace::in_world(world, TranslationEngine::start().await).await;
    let ended = book.first_run().await;
    assert_eq!(
        (&ended["status"], &ended["engine"]),
        (&json!("completed"), &json!("none"))
    );
    let stats = &ended["stats"];
    assert_eq!(
        (&stats["runs"], &stats["latestWords"], &stats["latestPages"]),
        (&json!(1), &json!(0), &json!(0))
    );
    for page in [0, 1] {
        assert_eq!(book.text(&book.result, page).await, book.text(&book.source, page).await);
    }
    assert_eq!(stats["latestUntranslated"], 0);
    book.write(&book.source, 0, "New words.").await;
    book.run().await;
    assert_eq!(book.text(&book.result, 0).await, "New words.");
}

async fn corrections_by_hand_stay(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.first_run().await;
    book.correct().await;
    book.write(&book.source, 0, &FIRST.replace("and press", "and then press"))
        .await;
    book.engine.take_texts();
    let ended = book.run().await;
    assert_eq!(book.engine.take_texts().len(), 1);
    let text = book.text(&book.result, 0).await;
    assert!(
        text.contains("Hands off!") && text.contains("AND THEN PRESS `stop`."),
        "{text}"
    );
    assert_eq!(book.requests().await, Vec::<Value>::new());
    // The same again changes nothing.
    let again = book.run().await;
    assert_eq!(again["result"], ended["result"]);
    assert_eq!(book.text(&book.result, 0).await, text);
}

async fn a_new_translation_of_a_corrected_place_is_proposed(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.first_run().await;
    book.correct().await;
    let changed = FIRST
        .replace("Mind **your** hands.", "Mind **all** fingers.")
        .replace("and press", "and then press");
    book.write(&book.source, 0, &changed).await;
    book.run().await;
    let text = book.text(&book.result, 0).await;
    assert!(text.contains("Hands off!") && text.contains("AND THEN PRESS"), "{text}");
    let [request] = book.requests().await.try_into().unwrap();
    let get = book
        .world
        .read
        .client
        .call("getPageInChangeRequestById")
        .space(&book.result);
    let get = get.path("changeRequestId", request["id"].as_str().unwrap());
    let proposed = get
        .path("pageId", &book.pages[0])
        .query("format", "markdown")
        .query("format.markdown.refs", "stable")
        .expect(200)
        .await;
    let proposed = without_title(&proposed);
    assert!(
        proposed.contains("MIND **ALL** FINGERS.") && proposed.contains("AND THEN PRESS"),
        "{proposed}"
    );

    // Proposed once.
    book.run().await;
    assert_eq!(book.requests().await.len(), 1);
    let merge = book.world.create.client.call("mergeChangeRequest").space(&book.result);
    let merged = merge
        .path("changeRequestId", request["id"].as_str().unwrap())
        .expect(200)
        .await;
    assert_eq!(merged["result"], "merge");
    assert_eq!(book.text(&book.result, 0).await, proposed);
    book.run().await;
    assert_eq!(book.text(&book.result, 0).await, proposed);
}

async fn a_locked_result_gets_change_requests(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.first_run().await;
    let lock = book.world.admin.client.call("updateSpaceById").space(&book.result);
    lock.json(json!({ "editMode": "locked" })).expect(200).await;
    let before = book.text(&book.result, 1).await;
    book.write(&book.source, 1, "Loosen two screws.").await;
    let ended = book.run().await;
    assert_eq!(
        (&ended["status"], &ended["stats"]["latestPages"]),
        (&json!("completed"), &json!(1))
    );
    assert_eq!(book.text(&book.result, 1).await, before);
    assert_eq!(book.requests().await.len(), 1);
}

async fn pages_come_move_and_go_with_the_source(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.first_run().await;
    let added = book
        .change(
            &book.source,
            json!([
                { "operation": "delete_page", "page": book.pages[1] },
                { "operation": "update_page", "page": book.pages[0], "title": "Safety" },
                { "operation": "insert_page", "title": "Below", "into": book.pages[0], "document": { "markdown": "Deep *inside*." } },
            ]),
        )
        .await;
    let below = added["changes"][2]["page"]["id"].as_str().unwrap();
    book.engine.take_texts();
    book.run().await;
    let mut sent = book.engine.take_texts();
    sent.sort();
    assert_eq!(sent, ["Below", "Deep <g id=\"1\">inside</g>.", "Safety"]);
    let reader = &book.world.read.client;
    let pages = reader.call("listPages").space(&book.result).expect(200).await;
    assert_eq!(pages["pages"].as_array().unwrap().len(), 1, "{pages}");
    assert_eq!(
        (&pages["pages"][0]["title"], &pages["pages"][0]["pages"][0]["id"]),
        (&json!("SAFETY"), &json!(below))
    );
    let get = book
        .world
        .read
        .client
        .call("getPageById")
        .space(&book.result)
        .path("pageId", &book.pages[1]);
    get.expect(404).await;
}

async fn titles_of_engines_keep_the_rules(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.engine
        .fail([Fault::Hidden, Fault::Hidden, Fault::Hidden, Fault::Hidden]);
    let ended = book.first_run().await;
    assert_eq!(ended["stats"]["latestUntranslated"], 0, "{ended}");
    assert_eq!(book.page(&book.result, 0).await["title"], "CARE OF IT");
}

async fn broken_translations_stay_in_the_source_language(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    let faults = [Fault::TooFew, Fault::WithoutTags, Fault::WithoutTags];
    book.engine.fail(faults);
    let ended = book.first_run().await;
    assert_eq!(ended["status"], "completed");
    let untranslated = ended["stats"]["latestUntranslated"].as_u64().unwrap();
    assert!(untranslated > 0, "{ended}");
    let text = book.text(&book.result, 0).await;
    assert!(text.contains("Mind **your** hands.") && text.contains("CARE"), "{text}");
    // The next run asks for these alone.
    let sent = book.engine.take_texts().len();
    let again = book.run().await;
    assert_eq!(book.engine.take_texts().len() as u64, untranslated);
    assert!(sent as u64 > untranslated);
    assert_eq!(again["stats"]["latestUntranslated"], 0);
    assert!(book.text(&book.result, 0).await.contains("MIND **YOUR** HANDS."));
}

async fn a_killed_run_pays_for_nothing_twice(database: TestDatabase) {
    let engine = TranslationEngine::start().await;
    let url = engine.url.clone();
    let world = World::with(database, |flags| {
        flags.translation_engine = Some("deepl".to_owned());
        flags.translation_url = Some(url);
        flags.translation_requests = Some("1".to_owned());
        flags.body_limit = Some("1MiB".to_owned());
    })
    .await;
    let book = TranslatedSpace::in_world(world, engine).await;
    let many: Vec<String> = (0..60).map(|number| format!("Sentence number {number}.")).collect();
    book.write(&book.source, 0, &many.join("\n\n")).await;
    // Two requests are answered, and the process dies during the third.
    book.engine.fail([Fault::Answer, Fault::Answer, Fault::Wait]);
    let mut runner = book.world.translation_runner();
    let process = tokio::spawn(async move { runner.run_due().await });
    timeout(PATIENCE, book.engine.waiting()).await.unwrap();
    process.abort();
    process.await.unwrap_err();
    let before = book.engine.take_requests();
    end_leases(&book.world.app().kernel.db).await;
    let ended = book.first_run().await;
    let after = book.engine.take_texts();
    assert_eq!(
        (&ended["status"], &ended["stats"]["runs"]),
        (&json!("completed"), &json!(1))
    );
    // Only the request without an answer was sent again.
    assert_eq!(before.len(), 3);
    assert!(before[2].texts.iter().all(|text| after.contains(text)));
    let answered: Vec<&String> = before[..2].iter().flat_map(|request| &request.texts).collect();
    assert!(
        answered.len() > 20 && answered.iter().all(|text| !after.contains(text)),
        "{answered:?}"
    );
    assert!(book.text(&book.result, 0).await.contains("SENTENCE NUMBER 59."));
    assert!(ended["stats"]["latestWords"].as_u64().unwrap() >= 180);
}

async fn terms_of_the_glossary_are_observed(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.first_run().await;
    book.engine.take_texts();
    let update = book.world.create.client.call("updateGlossaryEntries").here(&book.world);
    let operations = json!([
        { "type": "insert", "translations": { "en": "hands", "de": "hands" } },
        { "type": "insert", "translations": { "en": "screws", "de": "Schrauben" } },
        { "type": "insert", "translations": { "en": "elsewhere", "de": "anderswo" } },
        { "type": "insert", "translations": { "fr": "mains", "de": "hands" } },
    ]);
    update.json(json!({ "operations": operations })).expect(204).await;
    let ended = book.run().await;
    let requests = book.engine.take_requests();
    assert_eq!(requests[0].body["context"], "hands = hands\nscrews = Schrauben");
    let mut sent: Vec<&str> = requests
        .iter()
        .flat_map(|request| &request.texts)
        .map(String::as_str)
        .collect();
    sent.sort_unstable();
    // The engine gets a second chance to use the term, and is believed then.
    assert_eq!(
        sent,
        [
            "Loosen four screws.",
            "Loosen four screws.",
            "Mind <g id=\"1\">your</g> hands."
        ]
    );
    assert_eq!(
        (&ended["stats"]["latestGlossaryMisses"], &ended["stats"]["latestWords"]),
        (&json!(1), &json!(6))
    );
}
