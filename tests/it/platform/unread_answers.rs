//! The memory of a real server whose clients ask much and read nothing.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream::FuturesUnordered};
use platform::db::Backend;
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};

use super::durability::Server;
use crate::support::{client::Client, database::TestDatabase};

const CONNECTIONS: usize = 5;
const STREAMS: usize = 100;

/// The lines of the page; all answers together have more than a gigabyte.
const LINES: usize = 3_200;

/// An answer that is made comes within this time, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// If no further answer comes for this time, none will.
const QUIET: Duration = Duration::from_secs(5);

/// What the server may grow by, in bytes.
const BOUND: usize = 400 * 1024 * 1024;

fn resident(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

/// Creates a space with one large page, and gives the path that reads it.
async fn large_page(client: &Client) -> String {
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let organization = organizations["items"][0]["id"].as_str().unwrap().to_owned();
    let create = client.call("createSpace").path("organizationId", organization);
    let space: Value = create.json(json!({ "title": "Large" })).expect(201).await;
    let space = space["id"].as_str().unwrap().to_owned();
    // As large as a text may be: its characters are limited, not its bytes.
    let markdown = format!("{}\n\n", "語".repeat(300)).repeat(LINES);
    let page = json!([{ "operation": "insert_page", "title": "Large", "document": { "markdown": markdown } }]);
    let call = client.call("updateSpaceContent").path("spaceId", &space);
    let written: Value = call.json(json!({ "changes": page })).expect(200).await;
    let page = written["changes"][0]["page"]["id"].as_str().unwrap();
    format!("/v1/spaces/{space}/content/page/{page}?format=markdown")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_answers_take_bounded_memory() {
    let home = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(Backend::Sqlite);
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let path = large_page(&client).await;
    let once = client.get(&path).await;
    let size = once.bytes().await.unwrap().len();
    assert!(size > LINES * 900);
    let before = resident(server.process());

    let address = client.base().strip_prefix("http://").unwrap().to_owned();
    let mut connections = Vec::new();
    let mut heads = FuturesUnordered::new();
    for _ in 0..CONNECTIONS {
        let stream = TcpStream::connect(&address).await.unwrap();
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(0);
        let (mut sender, connection) = builder.handshake::<_, Bytes>(stream).await.unwrap();
        let driver = tokio::spawn(async move { drop(connection.await) });
        for _ in 0..STREAMS {
            sender = sender.ready().await.unwrap();
            let request = poem::http::Request::get(format!("http://{address}{path}"));
            let request = request
                .header("authorization", client.authorization())
                .body(())
                .unwrap();
            heads.push(sender.send_request(request, true).unwrap().0);
        }
        connections.push((sender, driver));
    }
    // Every connection is worked on by sixteen; the answers to the others are not made while these are unread.
    let mut answers = Vec::new();
    for _ in 0..CONNECTIONS * 16 {
        let answer = timeout(PATIENCE, heads.next()).await.expect("an answer");
        answers.push(answer.unwrap().unwrap());
    }
    assert!(timeout(QUIET, heads.next()).await.is_err());
    let grown = resident(server.process()).saturating_sub(before);
    println!(
        "{} unread answers of {size} bytes: {} MiB more",
        answers.len(),
        grown >> 20
    );
    assert!(grown < BOUND, "{grown}");
    assert_eq!(client.get("/healthz").await.status(), 200);
}
