//! Listening, and stopping without dropping anybody.

use std::{convert::Infallible, future::Future, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
};
use platform::config::Settings;
use poem::{
    Addr, Endpoint, Request, Response,
    http::uri::Scheme,
    web::{LocalAddr, RemoteAddr},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

/// Within this time a client has to send the head of a request, or, on an open connection, its next one.
const HEAD_TIME: Duration = Duration::from_secs(60);
const MAX_HEADERS: usize = 64;
/// A request's head may be this long.
const MAX_HEAD: usize = 32 * 1024;
const MAX_STREAMS: u32 = 100;

/// How many connections there may be, and how long the last requests have to finish.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub connections: usize,
    pub grace: Duration,
}

impl From<&Settings> for Limits {
    fn from(settings: &Settings) -> Self {
        Self {
            connections: settings.max_connections,
            grace: settings.shutdown_grace,
        }
    }
}

pub async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))
}

/// Serves until `stop` is over, then lets requests in flight finish.
///
/// The accepting loop is ours, and not the framework's, to bound connections, the size of heads and the time that
/// clients take to send them.
pub async fn serve<E>(
    listener: TcpListener,
    service: E,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()>
where
    E: Endpoint<Output = Response> + 'static,
{
    let local = LocalAddr(Addr::SocketAddr(listener.local_addr()?));
    let service = Arc::new(service);
    let connections = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let protocol = protocol();
    tokio::pin!(stop);
    loop {
        let accepted = async {
            // Never closed; waiting here leaves further clients in the system's queue.
            let permit = Arc::clone(&connections).acquire_owned().await.ok();
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                // Usually there are no file descriptors left; trying at once would only burn time.
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let connection = connect(&protocol, stream, local.clone(), peer, Arc::clone(&service));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // Clients that go away or do not speak HTTP are none of our failures.
            if let Err(error) = connection.await {
                tracing::debug!(%peer, error, "a connection ended early");
            }
            drop(permit);
        });
    }
    drop(listener);
    tracing::info!(connections = graceful.count(), "stopping");
    if timeout(limits.grace, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time and were cut off");
    }
    Ok(())
}

fn protocol() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(HEAD_TIME)
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(u32::try_from(MAX_HEAD).unwrap_or(u32::MAX));
    builder
}

/// A connection as a future that ends with it, and that can be asked to end after its current request.
fn connect<E>(
    protocol: &auto::Builder<TokioExecutor>,
    stream: TcpStream,
    local: LocalAddr,
    peer: SocketAddr,
    service: Arc<E>,
) -> impl hyper_util::server::graceful::GracefulConnection<Output = Result<(), Box<dyn std::error::Error + Send + Sync>>>
+ Send
+ use<E>
where
    E: Endpoint<Output = Response> + 'static,
{
    // Answers are written whole; holding back the rest of one only delays it.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%peer, %error, "a connection has no options");
    }
    let handler = service_fn(move |request: hyper::Request<Incoming>| {
        let service = Arc::clone(&service);
        let remote = RemoteAddr(Addr::SocketAddr(peer));
        let request = Request::from((request, local.clone(), remote, Scheme::HTTP));
        async move { Ok::<_, Infallible>(hyper::Response::from(service.get_response(request).await)) }
    });
    protocol.serve_connection(TokioIo::new(stream), handler).into_owned()
}
