//! The real program, killed while it finds issues: those of each conversation are found once.

use std::{collections::BTreeSet, time::Duration};

use entity::conversations::conversations::{Column, Entity};
use platform::db::{Db, DbOptions};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::interval;

use crate::support::{
    conversations::{FINGERS, INVOICES, asking},
    database::{TestDatabase, on_each_database},
    jobs::make_due,
    process::{Server, first_organization, patiently},
};

on_each_database![a_killed_server_finds_the_issues_of_each_conversation_once];

const CONVERSATIONS: usize = 80;

/// Waits until so many conversations are processed.
async fn processed(db: &Db, count: usize) {
    let mut pauses = interval(Duration::from_millis(2));
    let processed = async {
        while Entity::find()
            .filter(Column::ProcessedAt.is_not_null())
            .count(db.read())
            .await
            .unwrap()
            < count as u64
        {
            pauses.tick().await;
        }
    };
    patiently("processed conversations", processed).await;
}

async fn a_killed_server_finds_the_issues_of_each_conversation_once(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let organization = first_organization(&client).await.unwrap();
    let call = |operation: &str| client.call(operation).path("organizationId", &organization);
    let questions = [FINGERS[0], INVOICES[0]].into_iter().cycle().take(CONVERSATIONS);
    let conversations = questions
        .enumerate()
        .map(|(number, question)| asking(&number.to_string(), question));
    let conversations = json!(conversations.collect::<Vec<Value>>());
    call("ingestConversation").json(conversations).expect(204).await;
    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    for count in [1, CONVERSATIONS / 4, CONVERSATIONS / 2] {
        processed(&db, count).await;
        server.kill();
        make_due(&db).await;
        server = Server::spawn(home.path(), &database);
    }
    let client = server.ready().await;
    let call = |operation: &str| client.call(operation).path("organizationId", &organization);
    processed(&db, CONVERSATIONS).await;
    db.close().await.unwrap();

    let issues: Value = call("listConversationsIssues").query("limit", 1000).expect(200).await;
    let issues = issues["items"].as_array().unwrap();
    let of: BTreeSet<&str> = issues
        .iter()
        .map(|item| item["issue"]["conversation"].as_str().unwrap())
        .collect();
    assert_eq!((issues.len(), of.len()), (CONVERSATIONS, CONVERSATIONS));
    let clusters = call("listConversationsIssuesClusters").expect(200).await;
    let clusters = clusters["items"].as_array().unwrap().iter();
    let sizes: u64 = clusters
        .map(|cluster| cluster["stats"]["issues"].as_u64().unwrap())
        .sum();
    assert_eq!(sizes, CONVERSATIONS as u64);
}
