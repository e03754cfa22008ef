//! Merges by the real program, killed: a space holds all of a change request or nothing of it, and what was answered stays.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use platform::db::{Db, DbOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    process::Server,
    recount::counters_are_right,
    texts::without_title,
};

on_each_database![a_killed_merge_leaves_nothing_or_everything];

/// Pages that each change request changes: as many as one write may.
const PAGES: usize = 50;

/// In how many moments the server is killed.
const MOMENTS: u32 = 6;

async fn new_space(client: &Client) -> String {
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let create = client
        .call("createSpace")
        .path("organizationId", organizations["items"][0]["id"].as_str().unwrap());
    let space = create.json(json!({ "title": "Killed" })).expect(201).await;
    let space = space["id"].as_str().unwrap().to_owned();
    let pages = (0..PAGES).map(|number| {
        json!({ "operation": "insert_page", "title": format!("Page {number}"), "document": { "markdown": "Zero." } })
    });
    let changes = json!({ "changes": pages.collect::<Vec<_>>() });
    let write = client.call("updateSpaceContent").path("spaceId", &space);
    write.json(changes).expect(200).await;
    space
}

/// The pages that are written on, without the first page that every space is made with.
async fn page_ids(client: &Client, space: &str) -> Vec<Value> {
    let pages = client.call("listPages").path("spaceId", space).expect(200).await;
    let pages = pages["pages"].as_array().unwrap();
    let written = pages
        .iter()
        .filter(|page| page["title"].as_str().unwrap().starts_with("Page "));
    written.map(|page| page["id"].clone()).collect()
}

/// What is written on the pages; one text, unless a part of a merge has come through.
async fn texts(client: &Client, space: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for page in page_ids(client, space).await {
        let read = client.call("getPageById").path("spaceId", space);
        let read = read.path("pageId", page.as_str().unwrap()).query("format", "markdown");
        found.insert(without_title(&read.expect(200).await));
    }
    found
}

/// A change request that writes something on each page.
async fn propose(client: &Client, space: &str, text: &str) -> String {
    let create = client.call("createChangeRequest").path("spaceId", space);
    let request = create.json(json!({ "subject": text })).expect(201).await;
    let request = request["id"].as_str().unwrap().to_owned();
    let changes = page_ids(client, space)
        .await
        .into_iter()
        .map(|page| json!({ "operation": "update_page", "page": page, "document": { "markdown": text } }));
    let changes = json!({ "changes": changes.collect::<Vec<_>>() });
    let write = in_request(client, "updateChangeRequestContent", space, &request);
    write.json(changes).expect(200).await;
    request
}

fn in_request<'c>(client: &'c Client, operation: &str, space: &str, request: &str) -> Call<'c> {
    let call = client.call(operation).path("spaceId", space);
    call.path("changeRequestId", request)
}

/// Starts a merge and kills the server after a time. Answers whether the merge was answered.
async fn merge_and_kill(server: &mut Server, client: &Client, path: String, after: Duration) -> bool {
    let client = client.clone();
    let merge = tokio::spawn(async move {
        let answer = client.request(reqwest::Method::POST, &path).send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    });
    // The moments are spread over the time that a merge takes: none of them is waited for.
    tokio::time::sleep(after).await;
    server.kill();
    merge.await.unwrap()
}

async fn a_killed_merge_leaves_nothing_or_everything(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let mut server = Server::spawn(home.path(), &database);
    let mut client = server.ready().await;
    let space = new_space(&client).await;
    let first = propose(&client, &space, "Whole.").await;
    let started = Instant::now();
    let merge = in_request(&client, "mergeChangeRequest", &space, &first);
    assert_eq!(merge.expect(200).await["result"], "merge");
    let whole = started.elapsed();
    let (mut held, mut merged) = ("Whole.".to_owned(), 0);
    for moment in 0..MOMENTS {
        let text = format!("Attempt {moment}.");
        let request = propose(&client, &space, &text).await;
        let path = format!("/v1/spaces/{space}/change-requests/{request}/merge");
        let after = whole.mul_f64(f64::from(moment + 1) / f64::from(MOMENTS));
        let answered = merge_and_kill(&mut server, &client, path, after).await;
        let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
        counters_are_right(&db, &format!("after kill {moment}")).await;
        db.close().await.unwrap();
        server = Server::spawn(home.path(), &database);
        client = server.ready().await;
        let status = in_request(&client, "getChangeRequestById", &space, &request)
            .expect(200)
            .await;
        let complete = status["status"] == "merged";
        assert!(complete || !answered, "an answered merge is lost");
        if complete {
            (held, merged) = (text, merged + 1);
        }
        assert_eq!(texts(&client, &space).await, BTreeSet::from([held.clone()]));
        let found = client.call("searchSpaceContent").path("spaceId", &space);
        let found = found
            .query("query", held.trim_end_matches('.'))
            .query("limit", 1)
            .expect(200)
            .await;
        assert_eq!(found["count"], PAGES, "{held} in the index");
    }
    println!("{merged} of {MOMENTS} merges were complete");
}
