//! The server's end: requests in flight finish, and no new ones begin.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bindery::http::server::{ConnectionLimits, bind, serve};
use poem::{Response, endpoint::make};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::{Semaphore, mpsc, oneshot},
    task::JoinHandle,
    time::timeout,
};

/// More than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server whose requests wait until the test lets them go on.
struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<anyhow::Result<()>>,
    /// One for each request that has reached its handler.
    entered: mpsc::UnboundedReceiver<()>,
    released: Arc<Semaphore>,
}

impl Server {
    async fn start(grace: Duration) -> Self {
        let listener = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let (enter, entered) = mpsc::unbounded_channel();
        let released = Arc::new(Semaphore::new(0));
        let gate = Arc::clone(&released);
        let service = make(move |_| {
            let (enter, gate) = (enter.clone(), Arc::clone(&gate));
            async move {
                enter.send(()).unwrap();
                gate.acquire().await.unwrap().forget();
                Response::builder().body("done")
            }
        });
        let limits = ConnectionLimits {
            connections: 2,
            grace,
            ..ConnectionLimits::default()
        };
        let ended = tokio::spawn(serve(listener, service, limits, async move { drop(stopped.await) }));
        Self {
            address,
            stop,
            ended,
            entered,
            released,
        }
    }

    /// Waits until another request is in its handler.
    async fn entered(&mut self) {
        patiently("a request", self.entered.recv()).await.unwrap();
    }

    fn release(&self, requests: usize) {
        self.released.add_permits(requests);
    }
}

async fn patiently<F: Future>(what: &str, awaited: F) -> F::Output {
    let Ok(done) = timeout(PATIENCE, awaited).await else {
        panic!("{what}: waited for in vain");
    };
    done
}

/// Sends a request on a connection of its own, and reads until that is closed.
async fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// A connection that has had an answer and stays open.
async fn idle_connection(server: &mut Server) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    server.entered().await;
    server.release(1);
    let mut answer = Vec::new();
    while !answer.ends_with(b"done") {
        assert!(stream.read_buf(&mut answer).await.unwrap() > 0);
    }
    stream
}

#[tokio::test]
async fn requests_in_flight_finish_and_new_ones_are_refused() {
    let mut server = Server::start(PATIENCE).await;
    let idle = idle_connection(&mut server).await;
    let asked = tokio::spawn(ask(server.address));
    server.entered().await;
    server.stop.send(()).unwrap();
    assert!(patiently("the refusal", ask(server.address)).await.is_err());
    server.released.add_permits(1);
    assert!(asked.await.unwrap().unwrap().ends_with("done"));
    patiently("the end", server.ended).await.unwrap().unwrap();
    drop(idle);
}

#[tokio::test]
async fn the_end_is_not_put_off_for_ever() {
    let mut server = Server::start(Duration::from_millis(50)).await;
    let asked = tokio::spawn(ask(server.address));
    server.entered().await;
    server.stop.send(()).unwrap();
    patiently("the end", server.ended).await.unwrap().unwrap();
    asked.abort();
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_their_turn() {
    let mut server = Server::start(PATIENCE).await;
    let asked = [(); 4].map(|()| tokio::spawn(ask(server.address)));
    server.entered().await;
    server.entered().await;
    // Time for a third to come in, if the server lets it.
    assert!(
        timeout(Duration::from_millis(300), server.entered.recv())
            .await
            .is_err(),
        "two at a time"
    );
    server.release(4);
    for answer in asked {
        assert!(patiently("an answer", answer).await.unwrap().unwrap().ends_with("done"));
    }
    server.stop.send(()).unwrap();
    patiently("the end", server.ended).await.unwrap().unwrap();
}
