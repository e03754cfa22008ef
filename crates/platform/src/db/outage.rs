//! The record of broken connections to PostgreSQL, and of a server that cannot be reached.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use sea_orm::{ConnAcquireErr, DbErr};
use sqlx::Connection;
use sqlx::pool::PoolConnectionMetadata;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{sleep, timeout};

use super::errors::is_connection_lost;

/// Whoever waits longer asks whether the server can be reached at all.
const SUSPICION: Duration = Duration::from_millis(500);

/// The time for an answer to that question; together with `SUSPICION` well below two seconds.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// The time for which an answer holds for others who wait.
const PROBE_TTL: Duration = Duration::from_millis(250);

/// PostgreSQL's `SSLRequest`, which it answers before a login: its length, and its code.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

pub(super) struct Outage {
    options: PgConnectOptions,
    /// When a connection was last found broken. Those that were last used before are tested before they are used again.
    lost: Mutex<Option<Instant>>,
    /// When the server was last probed, and whether it was reached. One caller probes, the others wait for it.
    probed: tokio::sync::Mutex<Option<(Instant, bool)>>,
}

impl Outage {
    pub fn new(options: PgConnectOptions) -> Self {
        Self {
            options,
            lost: Mutex::default(),
            probed: tokio::sync::Mutex::default(),
        }
    }

    /// Awaits `work`, unless the server turns out to be out of reach.
    pub async fn watch<T>(&self, work: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        let result = tokio::select! {
            result = work => result,
            () = self.out_of_reach() => return Err(unavailable()),
        };
        if result.as_ref().is_err_and(is_connection_lost) {
            *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        result
    }

    /// Runs `work`, and once more if its connection was broken: by then the other broken ones are not used any more.
    pub async fn retry<T, F>(&self, work: impl Fn() -> F) -> Result<T, DbErr>
    where
        F: Future<Output = Result<T, DbErr>>,
    {
        match self.watch(work()).await {
            Err(error) if is_connection_lost(&error) => match self.watch(work()).await {
                Err(error) if is_connection_lost(&error) => Err(unavailable()),
                result => result,
            },
            result => result,
        }
    }

    /// Returns whether a connection of the pool can be used.
    pub fn test<'c>(
        &self,
        connection: &'c mut PgConnection,
        usage: &PoolConnectionMetadata,
    ) -> BoxFuture<'c, Result<bool, sqlx::Error>> {
        let lost = *self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let suspect = match (lost, Instant::now().checked_sub(usage.idle_for)) {
            (Some(lost), Some(used)) => used <= lost,
            (lost, _) => lost.is_some(),
        };
        Box::pin(async move {
            let works = async {
                timeout(PROBE_TIMEOUT, connection.ping())
                    .await
                    .is_ok_and(|ping| ping.is_ok())
            };
            Ok(!suspect || works.await)
        })
    }

    /// Completes when the server cannot be reached.
    async fn out_of_reach(&self) {
        loop {
            sleep(SUSPICION).await;
            if !self.is_within_reach().await {
                return;
            }
        }
    }

    async fn is_within_reach(&self) -> bool {
        let mut probed = self.probed.lock().await;
        if let Some((at, reached)) = *probed
            && at.elapsed() < PROBE_TTL
        {
            return reached;
        }
        let answer = timeout(PROBE_TIMEOUT, first_answer(&self.options)).await;
        let reached = answer.is_ok_and(|answer| answer.is_ok());
        if !reached {
            tracing::warn!("the database cannot be reached");
        }
        *probed = Some((Instant::now(), reached));
        reached
    }
}

/// Returns the first byte that the server sends. There is no login: a server with much to do, or with too many clients, takes
/// long for one, and is there all the same.
async fn first_answer(options: &PgConnectOptions) -> std::io::Result<u8> {
    let (host, port) = (options.get_host(), options.get_port());
    let directory = options.get_socket().map(PathBuf::as_path);
    let directory = directory.or_else(|| host.starts_with('/').then(|| Path::new(host)));
    if let Some(directory) = directory {
        return ask(UnixStream::connect(directory.join(format!(".s.PGSQL.{port}"))).await?).await;
    }
    ask(TcpStream::connect((host, port)).await?).await
}

async fn ask(mut server: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<u8> {
    server.write_all(&SSL_REQUEST).await?;
    server.read_u8().await
}

fn unavailable() -> DbErr {
    DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)
}
