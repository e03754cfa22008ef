//! Runs of translations with an engine that fails, and limits of words.

use serde_json::json;

use crate::support::{
    content::leave_room,
    database::{TestDatabase, on_each_database},
    engine::{Fault, TranslationEngine},
    translations::TranslatedSpace,
    world::World,
};

on_each_database![
    an_engine_that_refuses_ends_the_run,
    answers_before_a_failure_are_stored,
    rejected_texts_stay_in_the_source_language,
    an_engine_that_rejects_everything_gets_few_requests,
    an_engine_that_is_down_is_asked_again_later,
    words_are_limited,
    a_long_segment_leaves_the_limit_to_shorter_ones,
    repeated_requests_count_for_the_day,
    a_run_whose_result_would_be_too_large_says_so,
];

async fn an_engine_that_refuses_ends_the_run(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.engine.fail([Fault::Status(403, "")]);
    let ended = book.first_run().await;
    assert_eq!(
        (&ended["status"], &ended["stats"]["latestWords"]),
        (&json!("completed"), &json!(0))
    );
    assert!(ended["problem"].as_str().unwrap().contains("403"), "{ended}");
    assert!(book.text(&book.result, 1).await.contains("Loosen four screws."));
    let again = book.run().await;
    assert_eq!(again.get("problem"), None);
    assert!(book.text(&book.result, 1).await.contains("LOOSEN FOUR SCREWS."));
}

async fn answers_before_a_failure_are_stored(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    // The request for the segments whose tags are lost fails.
    book.engine.fail([Fault::WithoutTags, Fault::Status(403, "")]);
    let ended = book.first_run().await;
    assert!(ended["problem"].as_str().unwrap().contains("403"), "{ended}");
    assert!(ended["stats"]["latestWords"].as_u64().unwrap() > 0, "{ended}");
    assert!(book.text(&book.result, 1).await.contains("LOOSEN FOUR SCREWS."));
    let untranslated = ended["stats"]["latestUntranslated"].as_u64().unwrap();
    book.engine.take_texts();
    book.run().await;
    assert_eq!(book.engine.take_texts().len() as u64, untranslated);
}

async fn rejected_texts_stay_in_the_source_language(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    // The batch is halved down to a single text.
    book.engine.fail([(); 3].map(|()| Fault::Status(400, "")));
    let ended = book.first_run().await;
    assert_eq!(
        (
            &ended["status"],
            ended.get("problem"),
            &ended["stats"]["latestUntranslated"]
        ),
        (&json!("completed"), None, &json!(1))
    );
    let sizes: Vec<usize> = book
        .engine
        .take_requests()
        .iter()
        .map(|request| request.texts.len())
        .collect();
    assert_eq!((sizes.len(), sizes[2]), (5, 1), "{sizes:?}");
    let again = book.run().await;
    assert_eq!(book.engine.take_texts().len(), 1);
    assert_eq!(again["stats"]["latestUntranslated"], 0);
}

async fn an_engine_that_rejects_everything_gets_few_requests(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    let many: Vec<String> = (0..300).map(|number| format!("Sentence number {number}.")).collect();
    book.write(&book.source, 0, &many.join("\n\n")).await;
    book.engine.fail([(); 1000].map(|()| Fault::Status(400, "")));
    let ended = book.first_run().await;
    assert_eq!(ended["status"], "completed");
    assert!(ended["problem"].as_str().unwrap().contains("400"), "{ended}");
    let requests = book.engine.take_requests().len();
    assert!(requests < 100, "{requests}");
}

async fn an_engine_that_is_down_is_asked_again_later(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.engine
        .fail([(); 5].map(|()| Fault::Status(503, "Retry-After: 0\r\n")));
    assert_eq!(book.world.run_translations().await, 0);
    assert_eq!(
        (&book.read().await["status"], book.engine.faults_left()),
        (&json!("running"), 0)
    );
    book.world.service.advance(chrono::TimeDelta::minutes(2));
    let ended = book.first_run().await;
    assert_eq!(
        (&ended["status"], &ended["stats"]["runs"]),
        (&json!("completed"), &json!(1))
    );
    assert!(book.text(&book.result, 1).await.contains("LOOSEN FOUR SCREWS."));
}

async fn words_are_limited(database: TestDatabase) {
    let book = TranslatedSpace::new(database, Some("5")).await;
    let ended = book.first_run().await;
    assert_eq!(ended["status"], "completed");
    assert!(ended["stats"]["latestWords"].as_u64().unwrap() <= 5, "{ended}");
    assert!(ended["stats"]["latestUntranslated"].as_u64().unwrap() > 0);
    assert!(ended["problem"].as_str().unwrap().contains("limit"), "{ended}");
    // Each run goes on where the last one ended.
    let again = book.run().await;
    assert!(
        again["stats"]["totalWords"].as_u64() > ended["stats"]["totalWords"].as_u64(),
        "{again}"
    );
}

async fn a_long_segment_leaves_the_limit_to_shorter_ones(database: TestDatabase) {
    let book = TranslatedSpace::new(database, Some("2")).await;
    let ended = book.first_run().await;
    // A title has three words, the other one two.
    assert_eq!(ended["stats"]["latestWords"], 2, "{ended}");
    assert!(ended["problem"].as_str().unwrap().contains("limit"), "{ended}");
}

async fn repeated_requests_count_for_the_day(database: TestDatabase) {
    let engine = TranslationEngine::start().await;
    let url = engine.url.clone();
    let world = World::with(database, |flags| {
        flags.translation_engine = Some("deepl".to_owned());
        flags.translation_url = Some(url);
        flags.translation_words_per_day = Some("40".to_owned());
    })
    .await;
    let book = TranslatedSpace::in_world(world, engine).await;
    // The book has 19 words, which are sent twice.
    book.engine.fail([Fault::TooFew]);
    let ended = book.first_run().await;
    assert_eq!(
        (&ended["stats"]["latestWords"], ended.get("problem")),
        (&json!(19), None)
    );
    book.engine.take_texts();
    book.write(&book.source, 1, "Loosen two screws.").await;
    let ended = book.run().await;
    assert!(ended["problem"].as_str().unwrap().contains("limit"), "{ended}");
    assert_eq!(book.engine.take_texts(), Vec::<String>::new());
    book.world.service.advance(chrono::TimeDelta::days(2));
    let ended = book.run().await;
    assert_eq!(
        (&ended["stats"]["latestWords"], ended.get("problem")),
        (&json!(3), None)
    );
}

async fn a_run_whose_result_would_be_too_large_says_so(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    let world = &book.world;
    // Content that nobody has changed would be replaced by what the run makes.
    book.write(&book.result, 1, "Loosen four screws by hand.\n").await;
    leave_room(world.app(), world.create.id, book.result.parse().unwrap(), 0).await;
    let titled = |title: &str| json!([{ "operation": "update_page", "page": book.pages[0], "title": title }]);
    book.change(&book.source, titled("Care of the gripper and all its fingers"))
        .await;
    let ended = book.first_run().await;
    assert_eq!(ended["status"], "completed");
    assert!(
        ended["problem"]
            .as_str()
            .is_some_and(|problem| problem.contains("at most")),
        "{ended}"
    );
    assert_eq!(book.page(&book.result, 0).await["title"], "Care of it");
    book.change(&book.source, titled("Care")).await;
    let again = book.run().await;
    assert_eq!(again.get("problem"), None, "{again}");
}
