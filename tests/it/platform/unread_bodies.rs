//! Bodies that wait for their turn or for their rest: what the server keeps of them is bounded.

use std::time::Duration;

use bindery::http::server::ConnectionLimits;
use bytes::Bytes;
use h2::SendStream;
use h2::client::{ResponseFuture, SendRequest};
use platform::db::Backend;
use poem::http::HeaderMap;
use reqwest::Method;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::{JoinHandle, yield_now},
    time::timeout,
};

use crate::support::{client::Client, database::TestDatabase, service::Service};

struct Setting {
    service: Service,
    token: String,
}

/// A connection, and the task that drives it.
struct Connection {
    sender: SendRequest<Bytes>,
    driver: JoinHandle<Result<(), h2::Error>>,
}

impl Setting {
    async fn new(body_bytes: usize) -> Self {
        let limit = |limits: &mut ConnectionLimits| {
            limits.body_bytes_per_address = body_bytes;
            limits.times.receive = Duration::from_secs(60);
        };
        let service = Service::start_limited(TestDatabase::new(Backend::Sqlite), limit).await;
        let token = service.new_token("someone@tidewater.example").await;
        Self { token, service }
    }

    async fn connect(&self) -> Connection {
        let address = self.service.base.strip_prefix("http://").unwrap();
        let stream = TcpStream::connect(address).await.unwrap();
        let (sender, connection) = h2::client::handshake(stream).await.unwrap();
        Connection {
            sender,
            driver: tokio::spawn(connection),
        }
    }

    /// Begins to make a token; `length` is what the head says of the body.
    async fn post(&self, connection: &mut Connection, length: Option<usize>) -> (ResponseFuture, SendStream<Bytes>) {
        let mut request = poem::http::Request::post(format!("{}/v1/user/tokens", self.service.base))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json");
        if let Some(length) = length {
            request = request.header("content-length", length);
        }
        let mut sender = connection.sender.clone().ready().await.unwrap();
        sender.send_request(request.body(()).unwrap(), false).unwrap()
    }

    /// Begins as many requests as are worked on at once; their bodies do not come.
    async fn take_turns(&self, connection: &mut Connection) -> Vec<(ResponseFuture, SendStream<Bytes>)> {
        let mut streams = Vec::new();
        for _ in 0..16 {
            streams.push(self.post(connection, Some(100)).await);
        }
        streams
    }

    async fn check_room_for_others(&self) {
        let other = Client::new(&self.service.base).with_token(&self.token);
        assert_eq!(other.get("/v1/user").await.status(), 200);
    }
}

const LABEL: &str = "{\"label\": \"x\"}";

#[tokio::test]
async fn bodies_that_may_come_have_bounded_memory() {
    // For two connections with all that they may send, and little more.
    let setting = Setting::new(1_200_000).await;
    let mut connections = Vec::new();
    let mut streams = Vec::new();
    for length in [Some(1_000_000), None, Some(1_000_000)] {
        let mut connection = setting.connect().await;
        streams.push(setting.post(&mut connection, length).await);
        connections.push(connection);
    }
    let (refused, _) = streams.pop().unwrap();
    let refused = refused.await.unwrap();
    assert_eq!(
        (refused.status().as_u16(), &refused.headers()["retry-after"]),
        (503, &"1".parse().unwrap())
    );
    setting.check_room_for_others().await;
    // A usual body has room, and further ones of a connection take no more.
    for connection in &mut connections {
        let (answer, mut body) = setting.post(connection, Some(LABEL.len())).await;
        body.send_data(LABEL.into(), true).unwrap();
        assert_eq!(answer.await.unwrap().status(), 201);
    }
    // Bodies that end make room.
    let (answer, mut body) = streams.pop().unwrap();
    body.send_data(LABEL.into(), true).unwrap();
    assert_eq!(answer.await.unwrap().status(), 201);
    let (answer, mut body) = setting.post(&mut connections[2], None).await;
    body.send_data(LABEL.into(), true).unwrap();
    assert_eq!(answer.await.unwrap().status(), 201);
}

/// A frame of one byte takes hundreds.
#[tokio::test]
async fn small_frames_that_nobody_reads_have_bounded_memory() {
    let setting = Setting::new(600_000).await;
    let mut connection = setting.connect().await;
    let _streams = setting.take_turns(&mut connection).await;
    let (answer, mut body) = setting.post(&mut connection, None).await;
    for _ in 0..200_000 {
        if body.send_data(" ".into(), false).is_err() {
            break;
        }
        yield_now().await;
    }
    assert!(answer.await.is_err());
    drop(connection.driver.await);
    setting.check_room_for_others().await;
}

/// They are short on the wire, and take half a megabyte each.
#[tokio::test]
async fn trailers_that_nobody_reads_have_bounded_memory() {
    let setting = Setting::new(600_000).await;
    let mut connection = setting.connect().await;
    let streams = setting.take_turns(&mut connection).await;
    let (_first, mut body) = setting.post(&mut connection, Some(0)).await;
    body.send_trailers(HeaderMap::new()).unwrap();
    // There is room for one. The request is refused, or the connection ends, as the frames come together or not.
    let (answer, mut body) = setting.post(&mut connection, Some(0)).await;
    body.send_trailers(HeaderMap::new()).unwrap();
    let answer = answer.await.map_or(503, |answer| answer.status().as_u16());
    assert_eq!(answer, 503);
    setting.check_room_for_others().await;
    drop((streams, connection));
    // All of it is given back, as soon as the server sees that the streams have ended.
    let mut connection = setting.connect().await;
    let mut is_given_back = false;
    for _ in 0..1000 {
        let (answer, mut body) = setting.post(&mut connection, Some(LABEL.len())).await;
        body.send_data(LABEL.into(), false).unwrap();
        body.send_trailers(HeaderMap::new()).unwrap();
        is_given_back = answer.await.unwrap().status() == 201;
        if is_given_back {
            break;
        }
    }
    assert!(is_given_back);
}

#[tokio::test]
async fn bodies_of_http1_that_stop_have_bounded_memory() {
    let setting = Setting::new(100_000).await;
    let address = setting.service.base.strip_prefix("http://").unwrap();
    let token = &setting.token;
    let head = format!(
        "POST /v1/user/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: 32000\r\n\r\n"
    );
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        open.push(stream);
        // The head is taken in before the next one.
        setting.check_room_for_others().await;
    }
    let mut refused = TcpStream::connect(address).await.unwrap();
    refused.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    refused.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 503");
    // A usual one has room, and so has a large one after the others have ended.
    let client = Client::new(&setting.service.base).with_token(token);
    let post = async || {
        let request = client
            .request(Method::POST, "/v1/user/tokens")
            .body(format!("{LABEL:<30000}"));
        request
            .header("content-type", "application/json")
            .send()
            .await
            .unwrap()
            .status()
    };
    assert_eq!(post().await, 503);
    for mut stream in open {
        stream.write_all(format!("{LABEL:<32000}").as_bytes()).await.unwrap();
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 201");
    }
    assert_eq!(post().await, 201);
}

/// Each of them reserves memory for as much as may come.
#[tokio::test]
async fn slow_bodies_of_one_user_leave_room_for_others() {
    let database = TestDatabase::new(Backend::Sqlite);
    let service = Service::start_with(database, |flags| flags.body_limit = Some("10MiB".to_owned())).await;
    let (slow, other) = (
        service.new_token("slow@tidewater.example").await,
        service.new_token("other@tidewater.example").await,
    );
    let head = format!(
        "POST /v1/user/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {slow}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n9C40\r\n{}",
        " ".repeat(40_000)
    );
    let mut open = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(service.base.strip_prefix("http://").unwrap())
            .await
            .unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        open.push(stream);
    }
    // The first of them has reserved what it may take.
    let most = 150 * 1024 * 1024;
    while timeout(Duration::from_millis(1), service.app.kernel.work.reserve(most))
        .await
        .is_ok()
    {
        yield_now().await;
    }
    let client = Client::new(&service.base).with_token(&other);
    let request = client
        .request(Method::POST, "/v1/user/tokens")
        .body(format!("{LABEL:<60000}"));
    let answer = request.header("content-type", "application/json").send().await.unwrap();
    assert_eq!(answer.status(), 201);
}
