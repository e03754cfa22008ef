//! Runs that follow each other, begin by themselves, are cancelled, or fail.

use chrono::TimeDelta;
use entity::platform::jobs::{Column, Entity, JobState};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::timeout};

use crate::support::{
    database::{TestDatabase, on_each_database},
    engine::Fault,
    jobs::{PATIENCE, cancel_job},
    translations::{SECOND, TranslatedSpace, create, insert},
};

on_each_database![
    a_run_that_is_asked_for_during_another_one_follows_it,
    a_run_that_waits_for_an_engine_is_hurried,
    runs_are_cancelled,
    an_operator_cancels_the_job_of_a_run,
    a_run_that_never_ends_is_told,
    a_translation_that_ends_ends_its_run,
    changes_of_the_source_lead_to_a_run,
    only_untranslated_texts_are_looked_at_again,
    the_engine_gets_few_requests_at_once,
];

/// A process that runs translations. Ends with the number of runs that succeeded.
fn process(book: &TranslatedSpace) -> JoinHandle<usize> {
    let mut runner = book.world.translation_runner();
    tokio::spawn(async move { runner.run_due().await.unwrap() })
}

async fn ended(process: JoinHandle<usize>) -> usize {
    timeout(PATIENCE, process).await.unwrap().unwrap()
}

async fn ask(book: &TranslatedSpace, operation: &str) {
    let call = book.world.create.client.call(operation).here(&book.world);
    call.path("translationId", &book.id).expect(204).await;
}

async fn set_auto_run(book: &TranslatedSpace, auto_run: bool) {
    let instructions = book.read().await["instructions"].clone();
    let update = book.world.create.client.call("updateTranslation").here(&book.world);
    let body = json!({ "instructions": instructions, "autoRun": auto_run });
    let updated = update.path("translationId", &book.id).json(body).expect(200).await;
    assert_eq!(updated["autoRun"], auto_run);
}

async fn second_page(book: &TranslatedSpace, words: &str) {
    let text = SECOND.replace("CARE", &book.pages[0]).replace("four screws", words);
    book.write(&book.source, 1, &text).await;
}

fn state(translation: &Value) -> (&Value, &Value) {
    (&translation["status"], &translation["stats"]["runs"])
}

async fn a_run_that_is_asked_for_during_another_one_follows_it(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.engine.fail([Fault::Hold]);
    let first = process(&book);
    timeout(PATIENCE, book.engine.waiting()).await.unwrap();
    second_page(&book, "five screws").await;
    ask(&book, "runTranslation").await;
    ask(&book, "runTranslation").await;
    assert_eq!(book.read().await["status"], "running");
    // Another process has nothing to do meanwhile.
    assert_eq!(ended(process(&book)).await, 0);
    book.engine.release();
    assert_eq!(ended(first).await, 2);
    let translation = book.read().await;
    assert_eq!(state(&translation), (&json!("completed"), &json!(2)));
    assert!(book.text(&book.result, 1).await.contains("LOOSEN FIVE SCREWS."));
    let mut texts = book.engine.take_texts();
    let sent = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), sent, "{texts:?}");
}

async fn a_run_that_waits_for_an_engine_is_hurried(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.engine
        .fail([(); 5].map(|()| Fault::Status(503, "Retry-After: 0\r\n")));
    assert_eq!(book.world.run_translations().await, 0);
    assert_eq!((book.world.run_translations().await, book.engine.faults_left()), (0, 0));
    ask(&book, "runTranslation").await;
    let translation = book.first_run().await;
    assert_eq!(state(&translation), (&json!("completed"), &json!(1)));
    assert_eq!(book.world.run_translations().await, 0);
}

async fn runs_are_cancelled(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    ask(&book, "cancelTranslationRun").await;
    let translation = book.read().await;
    assert_eq!(state(&translation), (&json!("completed"), &json!(0)));
    assert!(translation["problem"].as_str().unwrap().contains("cancelled"));
    assert_eq!(book.world.run_translations().await, 0);

    ask(&book, "runTranslation").await;
    book.engine.fail([Fault::Hold]);
    let running = process(&book);
    timeout(PATIENCE, book.engine.waiting()).await.unwrap();
    ask(&book, "runTranslation").await;
    ask(&book, "cancelTranslationRun").await;
    assert_eq!(book.read().await["status"], "completed");
    // The run that was to follow is cancelled, too.
    assert_eq!(ended(running).await, 0);
    assert_eq!(book.world.run_translations().await, 0);
    assert!(book.text(&book.result, 1).await.contains("Loosen four screws."));

    let translation = book.run().await;
    assert_eq!(state(&translation), (&json!("completed"), &json!(1)));
    assert_eq!(translation.get("problem"), None);
    assert!(book.text(&book.result, 1).await.contains("LOOSEN FOUR SCREWS."));
    let before = book.read().await;
    ask(&book, "cancelTranslationRun").await;
    assert_eq!(book.read().await, before);
}

async fn an_operator_cancels_the_job_of_a_run(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    cancel_job(book.world.app(), "run-translation").await;
    let translation = book.read().await;
    assert_eq!(translation["status"], "completed");
    assert!(translation["problem"].as_str().unwrap().contains("cancelled"));
    let translation = book.run().await;
    assert_eq!(state(&translation), (&json!("completed"), &json!(1)));
}

async fn a_run_that_never_ends_is_told(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    let exhausted = Entity::update_many()
        .col_expr(Column::Attempts, Expr::value(12))
        .filter(Column::Kind.eq("run-translation"));
    let work = move |tx| async move { exhausted.exec(&tx).await.map(drop) };
    book.world.app().kernel.db.write(work).await.unwrap();
    assert_eq!(book.world.run_translations().await, 0);
    let translation = book.read().await;
    assert_eq!(state(&translation), (&json!("completed"), &json!(0)));
    assert!(translation["problem"].as_str().unwrap().contains("failed"));
}

async fn a_translation_that_ends_ends_its_run(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    ask(&book, "deleteTranslation").await;
    let jobs = Entity::find().filter(Column::Kind.eq("run-translation"));
    let job = jobs.one(book.world.app().kernel.db.read()).await.unwrap().unwrap();
    assert_eq!(job.state, JobState::Cancelled);
    assert_eq!(book.world.run_translations().await, 0);
    assert_eq!(book.engine.take_texts(), Vec::<String>::new());
}

async fn changes_of_the_source_lead_to_a_run(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.first_run().await;
    let minute = TimeDelta::minutes(1);
    let runs = async || {
        book.world.start_translation_runs().await;
        book.world.run_translations().await
    };
    second_page(&book, "five screws").await;
    book.world.service.advance(minute);
    assert_eq!(runs().await, 0);

    // What has changed before counts, too.
    set_auto_run(&book, true).await;
    book.world.service.advance(minute);
    assert_eq!(runs().await, 1);
    assert!(book.text(&book.result, 1).await.contains("LOOSEN FIVE SCREWS."));

    // Changes in a row lead to one run, some time after the first.
    second_page(&book, "six screws").await;
    second_page(&book, "seven screws").await;
    assert_eq!(runs().await, 0);
    book.world.service.advance(minute);
    assert_eq!(runs().await, 1);
    assert!(book.text(&book.result, 1).await.contains("LOOSEN SEVEN SCREWS."));
    book.world.service.advance(minute);
    assert_eq!(runs().await, 0);

    // So does a merge.
    let create = book.world.create.client.call("createChangeRequest").space(&book.source);
    let request = create.json(json!({ "subject": "Screws" })).expect(201).await;
    let request = request["id"].as_str().unwrap();
    let text = SECOND
        .replace("CARE", &book.pages[0])
        .replace("four screws", "all screws");
    let change = book.world.create.client.call("updateChangeRequestContent");
    let changes = json!([{ "operation": "update_page", "page": book.pages[1], "document": { "markdown": text } }]);
    let change = change.space(&book.source).path("changeRequestId", request);
    change.json(json!({ "changes": changes })).expect(200).await;
    book.world.service.advance(minute);
    assert_eq!(runs().await, 0);
    let merge = book.world.create.client.call("mergeChangeRequest").space(&book.source);
    merge.path("changeRequestId", request).expect(200).await;
    book.world.service.advance(minute);
    assert_eq!(runs().await, 1);
    assert!(book.text(&book.result, 1).await.contains("LOOSEN ALL SCREWS."));

    set_auto_run(&book, false).await;
    second_page(&book, "no screws").await;
    book.world.service.advance(minute);
    assert_eq!(runs().await, 0);
}

async fn only_untranslated_texts_are_looked_at_again(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    // No engine takes a text of this length.
    let long = "Loosen the screws and tighten them again. ".repeat(300);
    insert(&book.world, &book.source, "Long", &long).await;
    book.first_run().await;
    let statements = async || {
        let before = book.world.app().kernel.db.statements();
        let translation = book.run().await;
        assert_eq!(translation["stats"]["latestUntranslated"], 1);
        book.world.app().kernel.db.statements() - before
    };
    statements().await;
    let few = statements().await;
    for number in 0..30 {
        let text = format!("Text number {number}.");
        insert(&book.world, &book.source, &format!("Page {number}"), &text).await;
    }
    book.run().await;
    book.engine.take_texts();
    let many = statements().await;
    assert_eq!(book.engine.take_texts(), Vec::<String>::new());
    assert!(many <= few + 4, "{many} statements instead of {few}");
}

async fn the_engine_gets_few_requests_at_once(database: TestDatabase) {
    // Two at once, if nobody has set another number.
    let book = TranslatedSpace::new(database, None).await;
    for language in ["fr", "es", "it"] {
        let made = create(&book.world, &book.world.create, &book.source, language);
        made.expect(201).await;
    }
    book.engine.fail([(); 4].map(|()| Fault::Hold));
    let processes = [(); 4].map(|()| process(&book));
    let held = |count| timeout(PATIENCE, book.engine.held(count));
    held(2).await.unwrap();
    // Requests that do not wait for their turn come meanwhile.
    for _ in 0..20 {
        book.read().await;
    }
    for number in 3..=4 {
        assert_eq!(held(0).await.unwrap(), number - 1);
        book.engine.release();
        held(number).await.unwrap();
    }
    book.engine.release();
    book.engine.release();
    let mut succeeded = 0;
    for process in processes {
        succeeded += ended(process).await;
    }
    assert_eq!(succeeded, 4);
}
