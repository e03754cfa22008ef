//! Specifications processed by the real program, killed: each source becomes exactly one version.

use std::{path::Path, time::Duration};

use entity::platform::jobs::{Column, Entity, JobState};
use platform::db::{Db, DbOptions};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{interval, timeout};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    held_write::HeldWrite,
    jobs::{PATIENCE, end_leases},
    process::{Server, first_organization},
    specs::{Reply, SourceServer, document},
};

on_each_database![
    a_specification_whose_server_is_killed_during_its_processing_has_one_version,
    a_specification_whose_server_is_killed_after_its_version_was_stored_has_one_version,
];

const KIND: &str = "process-openapi-spec";

fn start(home: &Path, database: &TestDatabase) -> Server {
    Server::spawn_with(home, database, |command| {
        command.env("BINDERY_ALLOW_PRIVATE_ADDRESSES", "127.0.0.1");
    })
}

async fn create(client: &Client, source: Value) {
    let create = client
        .call("createOpenAPISpec")
        .path("organizationId", first_organization(client).await.unwrap());
    let body = json!({ "slug": "pets", "source": source });
    create.json(body).expect(201).await;
}

async fn read(client: &Client, operation: &str) -> Value {
    let organization = first_organization(client).await.unwrap();
    let call = client.call(operation).path("organizationId", organization);
    call.path("specSlug", "pets").expect(200).await
}

/// As time would do it, for the job that the killed server was running.
async fn end_lease(database: &TestDatabase) {
    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    let running = jobs(&db, JobState::Running).await;
    assert_eq!(running, 1, "the server was killed while it processed the specification");
    end_leases(&db).await;
    db.close().await.unwrap();
}

async fn jobs(db: &Db, state: JobState) -> u64 {
    let jobs = Entity::find()
        .filter(Column::Kind.eq(KIND))
        .filter(Column::State.eq(state));
    jobs.count(db.read()).await.unwrap()
}

/// Waits until the job has succeeded.
async fn succeeded(database: &TestDatabase) {
    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    let mut pauses = interval(Duration::from_millis(20));
    let succeeds = async {
        while jobs(&db, JobState::Succeeded).await == 0 {
            pauses.tick().await;
        }
    };
    assert!(timeout(PATIENCE, succeeds).await.is_ok(), "the job never ends");
    db.close().await.unwrap();
}

/// The id of the only version, which is the latest one.
async fn only_version(client: &Client) -> Value {
    let spec = read(client, "getOpenAPISpecBySlug").await;
    assert_eq!(spec["processingState"], "complete");
    let versions = read(client, "listOpenAPISpecVersions").await;
    assert_eq!(versions["items"].as_array().unwrap().len(), 1, "{versions:#}");
    let version = versions["items"][0]["id"].clone();
    assert_eq!(spec["lastVersion"], version);
    version
}

async fn a_specification_whose_server_is_killed_during_its_processing_has_one_version(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let sources = SourceServer::start().await;
    let mut source: Value = serde_json::from_str(&document("Pets")).unwrap();
    source["components"]["schemas"]["Pet"] = json!({ "$ref": "pet.json" });
    sources.set_text("/a.json", source.to_string());
    // The document is there, and another one that it refers to does not come.
    sources.set("/pet.json", Reply::Silence);
    let mut server = start(home.path(), &database);
    let client = server.ready().await;
    create(&client, sources.source("/a.json")).await;
    timeout(PATIENCE, sources.silent()).await.unwrap();
    assert_eq!(
        read(&client, "getOpenAPISpecBySlug").await["processingState"],
        "progress"
    );
    server.kill();
    end_lease(&database).await;

    sources.set_text("/pet.json", json!({ "type": "object", "title": "Pet" }).to_string());
    server = start(home.path(), &database);
    let client = server.ready().await;
    succeeded(&database).await;
    only_version(&client).await;
    let content = read(&client, "getLatestOpenAPISpecVersionContent").await;
    assert_eq!(content["filesystem"][0]["specification"]["info"]["title"], "Pets");
    assert!(content.to_string().contains("\"title\":\"Pet\""), "{content:#}");
}

async fn a_specification_whose_server_is_killed_after_its_version_was_stored_has_one_version(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let mut server = start(home.path(), &database);
    let client = server.ready().await;
    let succeeds = format!("NEW.kind = '{KIND}' AND NEW.state = 'succeeded'");
    let end = HeldWrite::on(&database, ("UPDATE", "jobs", &succeeds)).await;
    create(&client, json!({ "text": document("Pets") })).await;
    end.reached().await;
    let before = only_version(&client).await;
    server.kill();
    end.release().await;
    end_lease(&database).await;

    server = start(home.path(), &database);
    let client = server.ready().await;
    succeeded(&database).await;
    assert_eq!(only_version(&client).await, before);
}
