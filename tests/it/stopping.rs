//! The server's end: what is in flight finishes, nothing new begins.

use std::time::Duration;

use bindery::http::server::{Limits, bind, serve};
use poem::{Response, endpoint::make};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, sleep},
};

struct Slow {
    address: std::net::SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<anyhow::Result<()>>,
}

/// A server whose every answer takes `each`.
async fn slow(each: Duration, grace: Duration) -> Slow {
    let listener = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let service = make(move |_| async move {
        sleep(each).await;
        Response::builder().body("done")
    });
    let limits = Limits { connections: 2, grace };
    let ended = tokio::spawn(serve(listener, service, limits, async move { drop(stopped.await) }));
    Slow { address, stop, ended }
}

async fn ask(address: std::net::SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

#[tokio::test]
async fn requests_in_flight_finish_and_new_ones_find_nobody() {
    let server = slow(Duration::from_millis(500), Duration::from_secs(10)).await;
    let asked = tokio::spawn(ask(server.address));
    let idle = TcpStream::connect(server.address).await.unwrap();
    sleep(Duration::from_millis(200)).await;
    server.stop.send(()).unwrap();
    sleep(Duration::from_millis(100)).await;
    assert!(ask(server.address).await.is_err());
    assert!(asked.await.unwrap().unwrap().ends_with("done"));
    server.ended.await.unwrap().unwrap();
    drop(idle);
}

#[tokio::test]
async fn the_end_is_not_put_off_for_ever() {
    let server = slow(Duration::from_secs(60), Duration::from_millis(200)).await;
    let asked = tokio::spawn(ask(server.address));
    sleep(Duration::from_millis(200)).await;
    let begun = Instant::now();
    server.stop.send(()).unwrap();
    server.ended.await.unwrap().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10));
    asked.abort();
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_their_turn() {
    let server = slow(Duration::from_millis(300), Duration::from_secs(10)).await;
    let begun = Instant::now();
    let asked = [(); 4].map(|()| ask(server.address));
    for answer in futures_util::future::join_all(asked).await {
        assert!(answer.unwrap().ends_with("done"));
    }
    assert!(begun.elapsed() >= Duration::from_millis(600), "two at a time");
    server.stop.send(()).unwrap();
    server.ended.await.unwrap().unwrap();
}
