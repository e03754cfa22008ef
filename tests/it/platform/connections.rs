//! Clients that keep the server waiting, or take more than their share: with limits so short that the test need not wait.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bindery::http::server::{ConnectionLimits, TimeLimits, bind, serve};
use bytes::Bytes;
use futures_util::stream;
use openapi::work::{RequestPermits, WorkLimits};
use platform::db::Backend;
use poem::{Body, Request, Response, endpoint::make};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    sync::{Semaphore, mpsc, oneshot},
    task::JoinHandle,
    time::{interval, timeout},
};

use crate::support::{database::TestDatabase, service::Service};

/// More than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Shorter than what any other limit of a test allows.
const SHORT: Duration = Duration::from_millis(200);

const LARGE: usize = 48 * 1024 * 1024;
/// More than there is for one sender beside a large answer.
const SPARE: usize = 20 * 1024 * 1024;
/// The memory of a server.
const MEMORY: usize = 2 << 30;
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0";
/// The first bytes of a head to which more belongs, for as long as it does not come.
const HALF_HEAD: &[u8] = b"\0\0\x01\x01\x01\0\0\0\x01\x82";
const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const GET_LARGE: &[u8] = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n";

fn patient() -> TimeLimits {
    TimeLimits {
        start: PATIENCE,
        idle: PATIENCE,
        receive: PATIENCE,
        send: PATIENCE,
        receive_at_stop: PATIENCE,
        rate: 1,
    }
}

struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<anyhow::Result<()>>,
    /// One for each request to `/wait` that has reached its handler.
    entered: mpsc::UnboundedReceiver<()>,
    released: Arc<Semaphore>,
    /// Large answers that are still held.
    held: Arc<AtomicUsize>,
    /// The sender of the requests to `/counted`.
    permits: RequestPermits,
}

struct Held(Arc<AtomicUsize>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Server {
    async fn start(times: TimeLimits, adjust: impl FnOnce(&mut ConnectionLimits)) -> Self {
        let listener = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let (enter, entered) = mpsc::unbounded_channel();
        let released = Arc::new(Semaphore::new(0));
        let held = Arc::new(AtomicUsize::new(0));
        let (gate, count) = (Arc::clone(&released), Arc::clone(&held));
        let limits_of_work = WorkLimits::new(MEMORY);
        let permits = RequestPermits::new(limits_of_work.clone(), 0);
        let service = make(move |request: Request| {
            let (enter, gate, count) = (enter.clone(), Arc::clone(&gate), Arc::clone(&count));
            let limits_of_work = limits_of_work.clone();
            async move {
                match request.uri().path() {
                    "/wait" => {
                        enter.send(()).unwrap();
                        gate.acquire().await.unwrap().forget();
                        Response::builder().body("done")
                    }
                    "/large" => Response::builder().body(vec![b'x'; LARGE]),
                    "/counted" => {
                        let permits = RequestPermits::new(limits_of_work, 0);
                        permits.keep_for_answer(LARGE).await.unwrap();
                        let mut response = Response::builder().body(vec![b'x'; LARGE]);
                        response.set_data(permits);
                        response
                    }
                    "/stream" => {
                        count.fetch_add(1, Ordering::SeqCst);
                        enter.send(()).unwrap();
                        let parts = stream::unfold(Held(count), |held| async {
                            Some((Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 65536])), held))
                        });
                        Response::builder().body(Body::from_bytes_stream(parts))
                    }
                    "/read" => match request.into_body().into_bytes().await {
                        Ok(_) => Response::builder().body("read"),
                        Err(_) => Response::builder().body("cut off"),
                    },
                    _ => Response::builder().body("done"),
                }
            }
        });
        let mut limits = ConnectionLimits {
            times,
            grace: PATIENCE,
            ..ConnectionLimits::default()
        };
        adjust(&mut limits);
        let ended = tokio::spawn(serve(listener, service, limits, async move { drop(stopped.await) }));
        Self {
            address,
            stop: Some(stop),
            ended,
            entered,
            released,
            held,
            permits,
        }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A connection that has had an answer and stays open.
    async fn idle(&self) -> TcpStream {
        let mut stream = self.connect().await;
        ask(&mut stream).await.unwrap();
        stream
    }

    /// A connection whose request is being worked on.
    async fn busy(&mut self) -> TcpStream {
        let mut stream = self.connect().await;
        stream
            .write_all(b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .unwrap();
        patiently("a request", self.entered.recv()).await.unwrap();
        stream
    }
}

async fn patiently<F: Future>(what: &str, awaited: F) -> F::Output {
    let Ok(done) = timeout(PATIENCE / 2, awaited).await else {
        panic!("{what}: waited for in vain");
    };
    done
}

/// Asks on an open connection; an error if it was closed.
async fn ask(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(GET).await?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"done") {
        if stream.read_buf(&mut answer).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

/// Reads until the server closes the connection, in order or not.
async fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = async {
        while let Ok(count) = stream.read_buf(&mut bytes).await {
            if count == 0 {
                break;
            }
        }
    };
    patiently("the end of the connection", read).await;
    bytes
}

#[tokio::test]
async fn a_connection_has_to_begin() {
    let times = TimeLimits {
        start: SHORT,
        ..patient()
    };
    let server = Server::start(times, |_| {}).await;
    let settled = [PREFACE, SETTINGS].concat();
    for beginning in [
        b"",
        &PREFACE[..10],
        PREFACE,
        settled.as_slice(),
        b"GET / HTTP/1.1\r\nHos",
    ] {
        let mut stream = server.connect().await;
        stream.write_all(beginning).await.unwrap();
        rest(&mut stream).await;
        server.idle().await;
    }
}

#[tokio::test]
async fn a_head_may_not_come_in_drops() {
    let times = TimeLimits {
        start: SHORT,
        ..patient()
    };
    let server = Server::start(times, |_| {}).await;
    let (mut reader, mut writer) = server.connect().await.into_split();
    writer.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
    let drip = async {
        let mut ticks = interval(Duration::from_millis(20));
        while writer.write_all(b"a: b\r\n").await.is_ok() {
            ticks.tick().await;
        }
    };
    let mut bytes = Vec::new();
    let ((), read) = patiently("the end", async { tokio::join!(drip, reader.read_to_end(&mut bytes)) }).await;
    drop(read);
    assert!(!bytes.starts_with(b"HTTP/1.1 200"));
    server.idle().await;
}

#[tokio::test]
async fn an_idle_connection_ends() {
    let times = TimeLimits {
        idle: SHORT,
        ..patient()
    };
    let server = Server::start(times, |_| {}).await;
    rest(&mut server.idle().await).await;
}

#[tokio::test]
async fn a_body_may_neither_stop_nor_drip() {
    let head = b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{";
    let times = TimeLimits {
        receive: SHORT,
        ..patient()
    };
    let server = Server::start(times, |_| {}).await;
    let mut stops = server.connect().await;
    stops.write_all(head).await.unwrap();
    assert!(rest(&mut stops).await.ends_with(b"cut off"));

    // Each byte comes in time, but at 50 bytes a second instead of 10,000.
    let times = TimeLimits {
        receive: SHORT,
        rate: 10_000,
        ..patient()
    };
    let server = Server::start(times, |_| {}).await;
    let (mut reader, mut writer) = server.connect().await.into_split();
    writer.write_all(head).await.unwrap();
    let drip = tokio::spawn(async move {
        let mut ticks = interval(SHORT / 10);
        while writer.write_all(b" ").await.is_ok() {
            ticks.tick().await;
        }
    });
    let mut answer = Vec::new();
    while !answer.ends_with(b"cut off") {
        assert!(patiently("the answer", reader.read_buf(&mut answer)).await.unwrap() > 0);
    }
    drip.abort();
}

/// Through the whole service: the body that stops has an answer in the usual form.
#[tokio::test]
async fn a_body_that_stops_is_answered() {
    let service = Service::start_limited(TestDatabase::new(Backend::Sqlite), |limits| {
        limits.times = TimeLimits {
            receive: SHORT,
            ..patient()
        };
    })
    .await;
    let token = service.new_token("someone@tidewater.example").await;
    let mut stream = TcpStream::connect(service.base.strip_prefix("http://").unwrap())
        .await
        .unwrap();
    let head = format!(
        "POST /v1/user/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let answer = String::from_utf8(rest(&mut stream).await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(body["error"]["type"], "timeout");
}

/// A client with a small buffer, so that the server notices soon that nothing is read.
async fn narrow(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(address).await.unwrap()
}

#[tokio::test]
async fn clients_that_do_not_read_are_cut_off() {
    let times = TimeLimits {
        send: SHORT,
        ..patient()
    };
    let mut server = Server::start(times, |_| {}).await;
    let mut stream = narrow(server.address).await;
    stream
        .write_all(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    server.entered.recv().await.unwrap();
    dropped(&server.held).await;
    server.idle().await;
}

#[tokio::test]
async fn slow_readers_are_cut_off() {
    let times = TimeLimits {
        send: SHORT,
        rate: 1_000_000_000,
        ..patient()
    };
    let server = Server::start(times, |_| {}).await;
    let mut stream = narrow(server.address).await;
    stream.write_all(GET_LARGE).await.unwrap();
    let mut read = 0;
    let mut bytes = [0; 4096];
    let mut ticks = interval(Duration::from_millis(2));
    while let Ok(count) = patiently("more", stream.read(&mut bytes)).await {
        if count == 0 {
            break;
        }
        read += count;
        ticks.tick().await;
    }
    assert!(read < LARGE, "the whole answer came");
    server.idle().await;
}

async fn dropped(held: &AtomicUsize) {
    let gone = async {
        let mut ticks = interval(Duration::from_millis(5));
        while held.load(Ordering::SeqCst) > 0 {
            ticks.tick().await;
        }
    };
    patiently("the answers are freed", gone).await;
}

/// An HTTP/2 client whose streams never get a window.
async fn stalling(address: SocketAddr) -> (h2::client::SendRequest<Bytes>, JoinHandle<()>) {
    let stream = TcpStream::connect(address).await.unwrap();
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(0);
    let (sender, connection) = builder.handshake(stream).await.unwrap();
    let driver = tokio::spawn(async move { drop(connection.await) });
    (sender.ready().await.unwrap(), driver)
}

fn request(address: SocketAddr, path: &str) -> poem::http::Request<()> {
    let uri = format!("http://{address}{path}");
    poem::http::Request::builder().uri(uri).body(()).unwrap()
}

#[tokio::test]
async fn a_connection_has_sixteen_requests_at_once() {
    let mut server = Server::start(patient(), |_| {}).await;
    let (mut sender, driver) = stalling(server.address).await;
    let mut answers = Vec::new();
    for _ in 0..17 {
        sender = patiently("the client", sender.ready()).await.unwrap();
        answers.push(sender.send_request(request(server.address, "/stream"), true).unwrap());
    }
    for _ in 0..16 {
        patiently("a request", server.entered.recv()).await.unwrap();
    }
    // Time for another to come in, if the server lets it.
    assert!(timeout(SHORT, server.entered.recv()).await.is_err());
    assert_eq!(server.held.load(Ordering::SeqCst), 16);
    driver.abort();
    drop((answers, sender));
    dropped(&server.held).await;
}

#[tokio::test]
async fn a_stalled_stream_ends_its_connection() {
    let times = TimeLimits {
        send: SHORT,
        ..patient()
    };
    let mut server = Server::start(times, |_| {}).await;
    let (mut sender, driver) = stalling(server.address).await;
    let mut answers = Vec::new();
    for _ in 0..4 {
        let (answer, _) = sender.send_request(request(server.address, "/stream"), true).unwrap();
        answers.push(patiently("a head", answer).await.unwrap());
        server.entered.recv().await.unwrap();
    }
    dropped(&server.held).await;
    patiently("the end", driver).await.unwrap();
    server.idle().await;
}

#[tokio::test]
async fn an_answer_counts_until_it_is_sent() {
    let server = Server::start(patient(), |_| {}).await;
    let mut slow = narrow(server.address).await;
    slow.write_all(b"GET /counted HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    slow.readable().await.unwrap();
    assert!(server.permits.keep_for_answer(SPARE).await.is_err());
    let answer = rest(&mut slow).await;
    assert!(answer.starts_with(b"HTTP/1.1 200") && answer.len() > LARGE);
    server.permits.keep_for_answer(SPARE).await.unwrap();
}

/// Answers without bodies, to requests that come one after the other: nothing of them is taken.
#[tokio::test]
async fn requests_whose_answers_are_not_read_end() {
    let times = TimeLimits {
        send: SHORT,
        ..patient()
    };
    let server = Server::start(times, |_| {}).await;
    let mut stream = narrow(server.address).await;
    let many = b"HEAD / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx".repeat(1000);
    let flood = async { while stream.write_all(&many).await.is_ok() {} };
    patiently("the end", flood).await;
    server.idle().await;
}

#[tokio::test]
async fn a_new_connection_waits_until_another_ends() {
    let server = Server::start(patient(), |limits| limits.connections = 2).await;
    let (first, mut second) = (server.idle().await, server.idle().await);
    let mut new = server.connect().await;
    assert!(timeout(SHORT, ask(&mut new)).await.is_err());
    ask(&mut second).await.unwrap();
    drop(first);
    new.readable().await.unwrap();
}

#[tokio::test]
async fn one_address_has_a_part_of_the_connections() {
    let mut server = Server::start(patient(), |limits| limits.per_address = 2).await;
    let idle = server.idle().await;
    let busy = server.busy().await;
    let mut refused = server.connect().await;
    assert!(rest(&mut refused).await.is_empty());
    drop(idle);
    // As soon as the server has seen the end.
    let admitted = async { while ask(&mut server.connect().await).await.is_err() {} };
    patiently("a connection", admitted).await;
    server.released.add_permits(1);
    drop(busy);
}

#[tokio::test]
async fn clients_behind_a_proxy_share_its_address() {
    let mut server = Server::start(patient(), |limits| {
        limits.per_address = 1;
        limits.proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let busy = server.busy().await;
    let mut idle = server.idle().await;
    ask(&mut idle).await.unwrap();
    server.released.add_permits(1);
    drop(busy);
}

#[tokio::test]
async fn a_half_sent_body_does_not_hold_up_the_end() {
    let times = TimeLimits {
        receive_at_stop: SHORT,
        ..patient()
    };
    let mut server = Server::start(times, |_| {}).await;
    let mut half = server.connect().await;
    half.write_all(b"POST /read HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n")
        .await
        .unwrap();
    // The server asks for the body, so it is being read.
    let mut asked = Vec::new();
    while !asked.ends_with(b"\r\n\r\n") {
        assert!(half.read_buf(&mut asked).await.unwrap() > 0);
    }
    half.write_all(b"{").await.unwrap();
    server.stop.take().unwrap().send(()).unwrap();
    patiently("the end", server.ended).await.unwrap().unwrap();
    assert!(rest(&mut half).await.ends_with(b"cut off"));
}

#[tokio::test]
async fn connections_without_a_head_do_not_delay_shutdown() {
    let settled = [PREFACE, SETTINGS].concat();
    let half_head = [settled.as_slice(), HALF_HEAD].concat();
    for beginning in [
        b"",
        &PREFACE[..10],
        PREFACE,
        settled.as_slice(),
        half_head.as_slice(),
        b"GET / HTTP/1.1\r\nHos",
    ] {
        let times = TimeLimits {
            receive_at_stop: SHORT,
            ..patient()
        };
        let mut server = Server::start(times, |_| {}).await;
        let mut first = server.connect().await;
        first.write_all(beginning).await.unwrap();
        let mut second = server.idle().await;
        second.write_all(b"GET / HTTP/1.1\r\nHos").await.unwrap();
        let (sender, driver) = stalling(server.address).await;
        server.stop.take().unwrap().send(()).unwrap();
        patiently("the end", server.ended).await.unwrap().unwrap();
        rest(&mut first).await;
        rest(&mut second).await;
        drop(sender);
        driver.abort();
    }
}

#[tokio::test]
async fn a_head_that_has_come_before_the_end_is_answered() {
    let times = TimeLimits {
        receive_at_stop: SHORT,
        ..patient()
    };
    let mut server = Server::start(times, |_| {}).await;
    let mut new = server.connect().await;
    let mut idle = server.idle().await;
    for stream in [&mut new, &mut idle] {
        stream
            .write_all(b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .unwrap();
    }
    server.stop.take().unwrap().send(()).unwrap();
    for _ in 0..2 {
        patiently("a request", server.entered.recv()).await.unwrap();
    }
    // Longer than a client may take that has sent no head.
    assert!(timeout(SHORT * 2, server.entered.recv()).await.is_err());
    server.released.add_permits(2);
    for stream in [&mut new, &mut idle] {
        assert!(rest(stream).await.ends_with(b"done"));
    }
    patiently("the end", server.ended).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_answer_is_sent_to_its_end_after_the_stop() {
    let times = TimeLimits {
        receive_at_stop: SHORT,
        ..patient()
    };
    let mut server = Server::start(times, |_| {}).await;
    let mut slow = server.connect().await;
    slow.write_all(GET_LARGE).await.unwrap();
    slow.readable().await.unwrap();
    server.stop.take().unwrap().send(()).unwrap();
    // The client takes nothing for longer than one may take that has sent no head.
    assert!(timeout(SHORT * 3, &mut server.ended).await.is_err());
    assert!(rest(&mut slow).await.len() > LARGE);
    patiently("the end", server.ended).await.unwrap().unwrap();
}
