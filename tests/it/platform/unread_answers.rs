//! The memory of a real server whose clients ask much, and read nothing or do not finish their requests.

use std::{net::IpAddr, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, stream::FuturesUnordered};
use h2::{
    Ping, PingPong, SendStream,
    client::{ResponseFuture, SendRequest},
};
use platform::db::Backend;
use poem::http::HeaderValue;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinHandle,
    time::timeout,
};

use crate::support::{
    client::Client,
    database::TestDatabase,
    process::{Server, memory},
};

/// The lines of the page, about as many as there may be.
const LINES: usize = 560;

/// An answer that is made comes within this time, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the server may grow by, in bytes.
const BOUND: usize = 400 * 1024 * 1024;

/// Creates a space with one large page, and gives the path that reads it.
async fn large_page(client: &Client, separator: &str) -> String {
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let organization = organizations["items"][0]["id"].as_str().unwrap().to_owned();
    let create = client.call("createSpace").path("organizationId", organization);
    let space: Value = create.json(json!({ "title": "Large" })).expect(201).await;
    let space = space["id"].as_str().unwrap().to_owned();
    let markdown = format!("{}{separator}", "語".repeat(300)).repeat(LINES);
    let page = json!([{ "operation": "insert_page", "title": "Large", "document": { "markdown": markdown } }]);
    let call = client.call("updateSpaceContent").path("spaceId", &space);
    let written: Value = call.json(json!({ "changes": page })).expect(200).await;
    let page = written["changes"][0]["page"]["id"].as_str().unwrap();
    format!("/v1/spaces/{space}/content/page/{page}")
}

/// Clients of a server that read nothing.
struct Readers {
    heads: FuturesUnordered<ResponseFuture>,
    _connections: Vec<(SendRequest<Bytes>, JoinHandle<()>)>,
}

impl Readers {
    async fn ask(
        client: &Client,
        path: &str,
        coding: Option<&'static str>,
        connections: usize,
        streams: usize,
    ) -> Self {
        let address = client.base().strip_prefix("http://").unwrap().to_owned();
        let heads = FuturesUnordered::new();
        let mut open = Vec::new();
        for _ in 0..connections {
            let stream = TcpStream::connect(&address).await.unwrap();
            let mut builder = h2::client::Builder::new();
            builder.initial_window_size(0);
            let (mut sender, connection) = builder.handshake::<_, Bytes>(stream).await.unwrap();
            let driver = tokio::spawn(async move { drop(connection.await) });
            for _ in 0..streams {
                sender = sender.ready().await.unwrap();
                let request = poem::http::Request::get(format!("http://{address}{path}"));
                let mut request = request
                    .header("authorization", client.authorization())
                    .body(())
                    .unwrap();
                if let Some(coding) = coding {
                    let coding = HeaderValue::from_static(coding);
                    request.headers_mut().insert("accept-encoding", coding);
                }
                heads.push(sender.send_request(request, true).unwrap().0);
            }
            open.push((sender, driver));
        }
        Self {
            heads,
            _connections: open,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_answers_take_bounded_memory() {
    const CONNECTIONS: usize = 16;
    let home = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(Backend::Sqlite);
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let path = large_page(&client, "\n\n").await + "?format=markdown";
    let once = client.get(&path).await;
    let size = once.bytes().await.unwrap().len();
    assert!(size > LINES * 900);
    let before = memory(server.process(), "VmRSS:");

    let mut readers = Readers::ask(&client, &path, None, CONNECTIONS, STREAMS).await;
    let mut answers = Vec::new();
    // The server refuses answers for which it has no room in time.
    while let Some(answer) = timeout(PATIENCE, readers.heads.next()).await.unwrap() {
        answers.push(answer.unwrap());
    }
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status().as_u16()).collect();
    assert!(statuses.contains(&200) && statuses.contains(&503), "{statuses:?}");
    let grown = memory(server.process(), "VmHWM:").saturating_sub(before);
    println!(
        "{} unread answers of {size} bytes: {} MiB more",
        statuses.len(),
        grown >> 20
    );
    assert!(grown < BOUND, "{grown}");
    assert_eq!(client.get("/healthz").await.status(), 200);
}

/// The same for the nodes of a text, compressed or not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_nodes_take_bounded_memory() {
    let home = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(Backend::Sqlite);
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let path = large_page(&client, " ").await;
    let once = client.get(&path).await;
    assert!(once.bytes().await.unwrap().len() > LINES * 900);
    let before = memory(server.process(), "VmRSS:");

    let plain = Readers::ask(&client, &path, None, 3, STREAMS).await;
    let compressed = Readers::ask(&client, &path, Some("gzip"), 3, STREAMS).await;
    let mut answers = Vec::new();
    for mut readers in [plain, compressed] {
        // All come, also refusals.
        while let Some(answer) = timeout(PATIENCE, readers.heads.next()).await.unwrap() {
            answers.extend(answer);
        }
    }
    assert!(answers.iter().any(|answer| answer.status() == 200), "{answers:?}");
    let grown = memory(server.process(), "VmHWM:").saturating_sub(before);
    println!("{} unread answers: {} MiB more", answers.len(), grown >> 20);
    assert!(grown < BOUND, "{grown}");
    assert_eq!(client.get("/healthz").await.status(), 200);
}

/// Requests of one connection at once.
const STREAMS: usize = 16;

/// A connection whose requests have many headers and bodies that do not come.
struct Heads {
    pings: PingPong,
    _streams: Vec<(ResponseFuture, SendStream<Bytes>)>,
    _connection: (SendRequest<Bytes>, JoinHandle<()>),
}

impl Heads {
    async fn send(client: &Client, headers: usize, streams: usize) -> Self {
        let address = client.base().strip_prefix("http://").unwrap();
        let stream = TcpStream::connect(address).await.unwrap();
        let (mut sender, mut connection) = h2::client::handshake(stream).await.unwrap();
        let pings = connection.ping_pong().unwrap();
        let driver = tokio::spawn(async move { drop(connection.await) });
        let mut open = Vec::new();
        for _ in 0..streams {
            sender = sender.ready().await.unwrap();
            let mut request = poem::http::Request::post(format!("http://{address}/v1/user/tokens"))
                .header("authorization", client.authorization())
                .header("content-type", "application/json");
            // A header is one byte on the way, from the second on.
            for _ in 0..headers {
                request = request.header("a", "");
            }
            open.push(sender.send_request(request.body(()).unwrap(), false).unwrap());
        }
        Self {
            pings,
            _streams: open,
            _connection: (sender, driver),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heads_in_flight_take_bounded_memory() {
    const CONNECTIONS: usize = 80;
    let home = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(Backend::Sqlite);
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let before = memory(server.process(), "VmRSS:");
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Heads::send(&client, 900, STREAMS).await);
    }
    // Answered after all heads that came before. On a machine at work the server closes the first connections, whose bodies do
    // not come, before the last ones are there.
    let mut answered = 0;
    for connection in &mut connections {
        let ping = connection.pings.ping(Ping::opaque());
        answered += usize::from(timeout(PATIENCE, ping).await.unwrap().is_ok());
    }
    assert!(answered > CONNECTIONS / 2, "{answered}");
    let grown = memory(server.process(), "VmHWM:").saturating_sub(before);
    println!("{} heads: {} MiB more", CONNECTIONS * STREAMS, grown >> 20);
    assert!(grown < BOUND, "{grown}");
    // Another address has room, and this one for probes.
    let elsewhere = reqwest::Client::builder().local_address(IpAddr::from([127, 0, 0, 2]));
    let user = elsewhere.build().unwrap().get(format!("{}/v1/user", client.base()));
    let user = user.header("authorization", client.authorization());
    assert_eq!(user.send().await.unwrap().status(), 200);
    assert_eq!(client.get("/healthz").await.status(), 200);
}

/// What has come of a head of HTTP/2 is unpacked, and takes many times its bytes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heads_that_are_not_complete_take_bounded_memory() {
    const CONNECTIONS: usize = 500;
    const START: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let home = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(Backend::Sqlite);
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let address = client.base().strip_prefix("http://").unwrap();
    let before = memory(server.process(), "VmRSS:");
    // One header, and then the same again and again; more of the head would follow.
    let block = [b"\x40\x01a\0".as_slice(), &[0xbe; 900]].concat();
    let length = u8::try_from(block.len() >> 8).unwrap();
    let frame = [
        &[0, length, (block.len() & 0xff) as u8, 1, 1, 0, 0, 0, 1],
        block.as_slice(),
    ]
    .concat();
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&[START, &frame].concat()).await.unwrap();
        open.push(stream);
    }
    // The server has read them when it has answered the last settings.
    for stream in &mut open {
        let mut answer = [0; 9];
        timeout(PATIENCE, stream.read_exact(&mut answer))
            .await
            .unwrap()
            .unwrap();
    }
    let grown = memory(server.process(), "VmHWM:").saturating_sub(before);
    println!("{CONNECTIONS} open heads: {} MiB more", grown >> 20);
    assert!(grown < BOUND / 4, "{grown}");
    assert_eq!(client.get("/healthz").await.status(), 200);
}
