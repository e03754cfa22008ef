//! Listening and graceful stop.

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

/// The time for the head of a request, and for the next one on an open connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
const MAX_HEADERS: usize = 64;
/// The most bytes of a request's head.
const MAX_HEAD_BYTES: usize = 32 * 1024;
const MAX_STREAMS: u32 = 100;

/// The number of connections, and the time for the last requests to finish.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    pub connections: usize,
    pub grace: Duration,
}

impl From<&Settings> for ConnectionLimits {
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

/// Serves until `stop` completes, then lets requests in flight finish.
///
/// The framework's accept loop is not used, because it does not bound connections, the size of heads and the time to send
/// them.
pub async fn serve<E>(
    listener: TcpListener,
    service: E,
    limits: ConnectionLimits,
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
            // The semaphore is never closed. While it waits, further clients stay in the system's queue.
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
                tracing::warn!(%error, "cannot accept a connection; retrying");
                // Usually the process has no file descriptors left, and an immediate retry would fail too.
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let connection = connect(&protocol, stream, local.clone(), peer, Arc::clone(&service));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // Clients that disconnect or do not speak HTTP are no failures of the server.
            if let Err(error) = connection.await {
                tracing::debug!(%peer, error, "a connection ended early");
            }
            drop(permit);
        });
    }
    drop(listener);
    tracing::info!(connections = graceful.count(), "stopping");
    if timeout(limits.grace, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish within BINDERY_SHUTDOWN_GRACE and were cancelled");
    }
    Ok(())
}

fn protocol() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(HEAD_TIMEOUT)
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(u32::try_from(MAX_HEAD_BYTES).unwrap_or(u32::MAX));
    builder
}

/// Serves one connection. The returned future can be told to end after the current request.
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
    // Responses are written whole, so Nagle's algorithm would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%peer, %error, "cannot set the options of a connection");
    }
    let handler = service_fn(move |request: hyper::Request<Incoming>| {
        let service = Arc::clone(&service);
        let remote = RemoteAddr(Addr::SocketAddr(peer));
        let request = Request::from((request, local.clone(), remote, Scheme::HTTP));
        async move { Ok::<_, Infallible>(hyper::Response::from(service.get_response(request).await)) }
    });
    protocol.serve_connection(TokioIo::new(stream), handler).into_owned()
}
