//! Runs of translations by the real program, killed: what the engine has answered is not sent to it again.

use std::{path::Path, time::Duration};

use platform::db::{Db, DbOptions};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{interval, timeout};

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    engine::{Fault, TranslationEngine},
    jobs::{PATIENCE, end_leases},
    process::Server,
};

on_each_database![a_run_of_a_killed_server_pays_for_nothing_twice];

fn start(home: &Path, database: &TestDatabase, engine: &TranslationEngine) -> Server {
    Server::spawn_with(home, database, |command| {
        command
            .env("BINDERY_TRANSLATION_ENGINE", "deepl")
            .env("BINDERY_TRANSLATION_URL", &engine.url)
            .env("BINDERY_TRANSLATION_REQUESTS", "1");
    })
}

/// A translation of a space with many sentences; its run begins at once.
async fn translate(client: &Client) -> (String, String) {
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let organization = organizations["items"][0]["id"].as_str().unwrap().to_owned();
    let in_organization = |operation: &str| client.call(operation).path("organizationId", &organization);
    let space = in_organization("createSpace").json(json!({ "title": "Source" }));
    let space = space.expect(201).await["id"].clone();
    let sentences: Vec<String> = (0..60).map(|number| format!("Sentence number {number}.")).collect();
    let page = json!({
        "operation": "insert_page", "title": "Sentences", "document": { "markdown": sentences.join("\n\n") },
    });
    let write = client
        .call("updateSpaceContent")
        .path("spaceId", space.as_str().unwrap());
    write.json(json!({ "changes": [page] })).expect(200).await;
    let body = json!({ "source": { "space": space, "language": "en" }, "language": "de" });
    let made = in_organization("createTranslation").json(body).expect(201).await;
    (organization, made["id"].as_str().unwrap().to_owned())
}

/// Waits until the run has ended.
async fn ended<'c>(get: impl Fn() -> Call<'c>) -> Value {
    let mut pauses = interval(Duration::from_millis(50));
    loop {
        pauses.tick().await;
        let read = get().expect(200).await;
        if read["status"] == "completed" {
            return read;
        }
    }
}

async fn a_run_of_a_killed_server_pays_for_nothing_twice(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let engine = TranslationEngine::start().await;
    // Two requests are answered, and the program is killed during the third.
    engine.fail([Fault::Answer, Fault::Answer, Fault::Wait]);
    let mut server = start(home.path(), &database, &engine);
    let client = server.ready().await;
    let (organization, translation) = translate(&client).await;
    timeout(PATIENCE, engine.waiting()).await.unwrap();
    server.kill();
    let before = engine.take_requests();
    assert_eq!(before.len(), 3);
    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    end_leases(&db).await;
    db.close().await.unwrap();

    server = start(home.path(), &database, &engine);
    let client = server.ready().await;
    let get = || {
        let call = client.call("getTranslation").path("organizationId", &organization);
        call.path("translationId", &translation)
    };
    let ended = timeout(PATIENCE, ended(get)).await.unwrap();
    assert_eq!(ended["stats"]["runs"], 1);
    let after = engine.take_texts();
    assert!(before[2].texts.iter().all(|text| after.contains(text)));
    let answered: Vec<&String> = before[..2].iter().flat_map(|request| &request.texts).collect();
    assert!(
        answered.len() > 20 && answered.iter().all(|text| !after.contains(text)),
        "{answered:?}"
    );
}
