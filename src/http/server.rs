//! Listening and graceful stop.

use std::{convert::Infallible, future::Future, io::ErrorKind, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::anyhow;
use http_body_util::BodyExt;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use poem::{
    Addr, Body, Endpoint, Request, Response,
    http::uri::Scheme,
    web::{LocalAddr, RemoteAddr},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    time::{sleep, timeout},
};

use super::connections::{self, AnswerBody, Connection, Connections, Fate, Refused, Transport, Upload, UploadStatus};
pub use super::connections::{ConnectionLimits, TimeLimits};

/// The most headers of a request of HTTP/1, and the most bytes of its head.
const MAX_HEADERS: usize = 64;
const MAX_HEAD_BYTES: usize = 32 * 1024;

/// The same of HTTP/2, as it counts them (RFC 9113, section 6.5.2): names, values and 32 for each header.
const MAX_HTTP2_HEAD_BYTES: u32 = 32 * 1024;

/// Requests of one connection of HTTP/2 at once.
const MAX_STREAMS: u32 = 16;

/// The bytes of bodies that a connection of HTTP/2 may send before somebody reads them. A client that is 50 ms away can send 2.5 MB a
/// second.
const WINDOW: u32 = 128 * 1024;

/// What the protocol keeps of each answer while the client takes no more.
const MAX_SEND_BYTES: usize = 16 * 1024;

/// The time for the protocol to end an idle connection in good order.
const FAREWELL: Duration = Duration::from_secs(1);

/// The time to notice, at the stop, what had arrived before.
const SETTLE: Duration = Duration::from_millis(10);

pub async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let advice = match error.kind() {
            ErrorKind::AddrInUse => "Another program uses this port. Stop it, or choose another port with --listen",
            ErrorKind::AddrNotAvailable => {
                "This machine has no such address. --listen 0.0.0.0:4000 stands for all that it has"
            }
            ErrorKind::PermissionDenied => "Ports below 1024 need a privilege. Choose another port with --listen",
            _ => "Choose another address with --listen",
        };
        anyhow!("cannot listen on {address}: {error}. {advice}")
    })
}

/// Serves until `stop` completes, then lets requests in flight finish.
///
/// The framework's accept loop is not used, because it does not bound connections, the size of heads and the time that
/// clients may take.
pub async fn serve<E>(
    listener: TcpListener,
    service: E,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()>
where
    E: Endpoint<Output = Response> + 'static,
{
    let (grace, times) = (limits.grace, limits.times);
    let connections = Connections::new(limits);
    let (stopping, stopped) = watch::channel(false);
    let server = Server {
        local: LocalAddr(Addr::SocketAddr(listener.local_addr()?)),
        service: Arc::new(service),
        protocol: protocol(&times),
        stopped,
    };
    tokio::pin!(stop);
    loop {
        let admitted = tokio::select! {
            admitted = accept(&listener, &connections) => admitted,
            () = &mut stop => break,
        };
        if let Some((open, stream, peer)) = admitted {
            let connection = server.connection(&open, stream, peer);
            tokio::spawn(drive(open, connection, peer, server.stopped.clone()));
        }
    }
    drop((listener, server));
    tracing::info!(connections = stopping.receiver_count(), "stopping");
    // Fails if there is no connection.
    let _ = stopping.send(true);
    if timeout(grace, stopping.closed()).await.is_err() {
        tracing::warn!("some requests did not finish within BINDERY_SHUTDOWN_GRACE and were cancelled");
    }
    Ok(())
}

/// Accepts a connection and waits until there is room for it; meanwhile further clients stay in the system's queue.
async fn accept(listener: &TcpListener, connections: &Connections) -> Option<(Connection, TcpStream, SocketAddr)> {
    let (stream, peer) = match listener.accept().await {
        Ok(accepted) => accepted,
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection; retrying");
            // Usually the process has no file descriptors left, and an immediate retry would fail too.
            sleep(Duration::from_millis(50)).await;
            return None;
        }
    };
    let open = connections.admit(peer).await;
    if open.is_none() {
        tracing::debug!(%peer, "refused a connection: the address has too many");
    }
    Some((open?, stream, peer))
}

fn protocol(times: &TimeLimits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(times.idle)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_send_buf_size(MAX_SEND_BYTES)
        .max_header_list_size(MAX_HTTP2_HEAD_BYTES);
    builder
}

/// A connection of the protocol, to be polled to its end.
trait Protocol: Future<Output = Result<(), Box<dyn std::error::Error + Send + Sync>>> + Send {
    /// Ends after the current requests.
    fn finish(self: std::pin::Pin<&mut Self>);
}

impl<S> Protocol for auto::Connection<'static, TokioIo<Transport>, S, TokioExecutor>
where
    S: hyper::service::Service<hyper::Request<Incoming>, Response = hyper::Response<AnswerBody>, Error = Infallible>
        + Send,
    S::Future: Send + 'static,
{
    fn finish(self: std::pin::Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// Serves a connection until it ends, has to end, or the server stops.
async fn drive(open: Connection, connection: impl Protocol, peer: SocketAddr, mut stopped: watch::Receiver<bool>) {
    tokio::pin!(connection);
    let mut finishing = false;
    loop {
        let ended = tokio::select! {
            // A request that has arrived is begun before the connection is ended.
            biased;
            ended = connection.as_mut() => ended,
            fate = open.activity.over() => match fate {
                Fate::Idle => {
                    connection.as_mut().finish();
                    timeout(FAREWELL, connection.as_mut()).await.unwrap_or(Ok(()))
                }
                Fate::Overdue => Err("the client took too long".into()),
            },
            () = stop(&mut stopped), if !finishing => {
                finishing = true;
                open.activity.stop();
                connection.as_mut().finish();
                continue;
            }
        };
        // Clients that disconnect or do not speak HTTP are no failures of the server.
        if let Err(error) = ended {
            tracing::debug!(%peer, error, "a connection ended early");
        }
        return;
    }
}

async fn stop(stopped: &mut watch::Receiver<bool>) {
    // The sender outlives all connections.
    drop(stopped.wait_for(|stopped| *stopped).await);
    sleep(SETTLE).await;
}

struct Server<E> {
    local: LocalAddr,
    service: Arc<E>,
    protocol: auto::Builder<TokioExecutor>,
    stopped: watch::Receiver<bool>,
}

impl<E: Endpoint<Output = Response> + 'static> Server<E> {
    fn connection(&self, open: &Connection, stream: TcpStream, peer: SocketAddr) -> impl Protocol + use<E> {
        // Responses are written whole, so Nagle's algorithm would only delay them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%peer, %error, "cannot set the options of a connection");
        }
        let (service, local, stopped) = (Arc::clone(&self.service), self.local.clone(), self.stopped.clone());
        let (transport, requests) = (open.transport(stream), open.requests());
        let handler = service_fn(move |request: hyper::Request<Incoming>| {
            let (service, in_flight) = (Arc::clone(&service), requests.begin());
            let addresses = (local.clone(), RemoteAddr(Addr::SocketAddr(peer)));
            let mut request = guarded(request, in_flight.times(), addresses, stopped.clone());
            if in_flight.is_refused() {
                request.set_data(Refused);
            }
            async move {
                // On the heap, so that requests are small.
                let response = Box::pin(service.get_response(request)).await;
                Ok::<_, Infallible>(connections::send(response, in_flight))
            }
        });
        let connection = self.protocol.serve_connection(TokioIo::new(transport), handler);
        connection.into_owned()
    }
}

/// Returns the request with a body that may not keep the server waiting for ever.
fn guarded(
    request: hyper::Request<Incoming>,
    times: TimeLimits,
    (local, remote): (LocalAddr, RemoteAddr),
    stopped: watch::Receiver<bool>,
) -> Request {
    let status = UploadStatus::default();
    let request = Upload::new(request, times, status.clone(), stopped);
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(status);
    Request::from_parts((parts, local, remote, Scheme::HTTP).into(), Body::from(body.boxed()))
}
