//! The record of broken connections to PostgreSQL, and of a server that cannot be reached.

use std::path::{Path, PathBuf};
use std::sync::{
    Arc, Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, FutureExt, select_ok};
use sea_orm::DbErr;
use sqlx::Connection;
use sqlx::pool::PoolConnectionMetadata;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{sleep, timeout};

use super::errors::{explain, is_connection_lost, is_login_refused, unavailable};

/// Whoever waits longer asks whether the server answers at all.
const SUSPICION: Duration = Duration::from_millis(500);

/// The time for an answer to that question; together with `SUSPICION` well below two seconds.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// The time for which an answer holds for others who wait.
const PROBE_TTL: Duration = Duration::from_millis(250);

/// PostgreSQL's `SSLRequest`, which it answers before a login: its length, and its code.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

tokio::task_local! {
    static CURRENT: Arc<Work>;
}

/// Something that needs a connection, or has one.
struct Work {
    has_connection: AtomicBool,
    /// The number of works that have one.
    connected: Arc<AtomicUsize>,
}

impl Work {
    fn set_connected(&self) {
        if !self.has_connection.swap(true, Ordering::Relaxed) {
            self.connected.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if *self.has_connection.get_mut() {
            self.connected.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

pub(super) struct Outage {
    options: PgConnectOptions,
    pool: OnceLock<PgPool>,
    /// When the server last did what it was asked for.
    answered: Mutex<Option<Instant>>,
    /// When a connection was last found broken. Those that were last used before are tested before they are used again.
    lost: Mutex<Option<Instant>>,
    /// When a connection was last found read-only. Those that were made before may be so for ever, and are not used again.
    read_only: Mutex<Option<Instant>>,
    connected: Arc<AtomicUsize>,
    /// One caller probes, the others wait for it.
    reached: tokio::sync::Mutex<Option<Probe>>,
    logged_in: tokio::sync::Mutex<Option<Probe>>,
}

/// When the server was last asked, and whether it answered.
#[derive(Clone, Copy)]
struct Probe {
    at: Instant,
    succeeded: bool,
}

impl Outage {
    pub fn new(options: PgConnectOptions) -> Self {
        Self {
            options,
            pool: OnceLock::new(),
            answered: Mutex::default(),
            lost: Mutex::default(),
            read_only: Mutex::default(),
            connected: Arc::default(),
            reached: tokio::sync::Mutex::default(),
            logged_in: tokio::sync::Mutex::default(),
        }
    }

    /// The connections that may still work while no others can be made.
    pub fn set_pool(&self, pool: &PgPool) {
        self.pool.get_or_init(|| pool.clone());
    }

    /// Notes that a connection is read-only. The server that it leads to may have become a standby, and new connections lead to the
    /// primary server.
    pub fn note_read_only(&self) {
        note_now(&self.read_only);
    }

    /// Notes that the current work was given a new connection.
    pub fn note_connection() {
        // Connections are also made for nobody in particular.
        let _ = CURRENT.try_with(|work| work.set_connected());
    }

    /// Awaits what needs a connection, unless none can be had or the server turns out to be out of reach.
    pub async fn watch<T>(&self, future: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        self.watch_work(false, future).await
    }

    /// Awaits what has a connection, unless the server turns out to be out of reach.
    pub async fn watch_connected<T>(&self, future: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        self.watch_work(true, future).await
    }

    async fn watch_work<T>(
        &self,
        is_connected: bool,
        future: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        let work = Arc::new(Work {
            has_connection: AtomicBool::new(false),
            connected: Arc::clone(&self.connected),
        });
        if is_connected {
            work.set_connected();
        }
        let result = tokio::select! {
            result = CURRENT.scope(Arc::clone(&work), future) => result,
            () = self.gone() => return Err(unavailable()),
        };
        match &result {
            Ok(_) => note_now(&self.answered),
            Err(error) if is_connection_lost(error) => note_now(&self.lost),
            Err(error) if is_login_refused(error) => {
                tracing::warn!(%error, "the database refuses the login");
                return Err(unavailable());
            }
            Err(_) => {}
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
                Err(error) if is_connection_lost(&error) => Err(report_lost(&error)),
                result => result.map_err(explain),
            },
            result => result.map_err(explain),
        }
    }

    /// Returns whether a connection of the pool can be used.
    pub fn test<'c>(
        &self,
        connection: &'c mut PgConnection,
        usage: &PoolConnectionMetadata,
    ) -> BoxFuture<'c, Result<bool, sqlx::Error>> {
        if happened_before(usage.age, noted(&self.read_only)) {
            return Box::pin(async { Ok(false) });
        }
        let suspect = happened_before(usage.idle_for, noted(&self.lost));
        Box::pin(async move {
            let works = async {
                timeout(PROBE_TIMEOUT, connection.ping())
                    .await
                    .is_ok_and(|ping| ping.is_ok())
            };
            let is_usable = !suspect || works.await;
            if is_usable {
                Self::note_connection();
            }
            Ok(is_usable)
        })
    }

    /// Completes when there is no connection and none can be made, or nothing comes from the server on those that there are.
    async fn gone(&self) {
        loop {
            sleep(SUSPICION).await;
            // While connections are in use, the wait is for one of them: it does not matter whether more can be made.
            let is_there = match self.connected.load(Ordering::Relaxed) {
                0 => probe(&self.logged_in, self.log_in()).await,
                _ => probe(&self.reached, first_answer(&self.options)).await,
            };
            if !is_there {
                return;
            }
        }
    }

    /// Succeeds if a connection can be made, or another one works: a server with much to do takes long for a login.
    async fn log_in(&self) -> Result<(), sqlx::Error> {
        if noted(&self.answered).is_some_and(|at| at.elapsed() < PROBE_TTL) {
            return Ok(());
        }
        let idle = async {
            let idle = self.pool.get().and_then(PgPool::try_acquire);
            idle.ok_or(sqlx::Error::PoolTimedOut)?.ping().await
        };
        let login = async { PgConnection::connect_with(&self.options).await?.close().await };
        select_ok([idle.boxed(), login.boxed()]).await.map(|((), _)| ())
    }
}

/// Asks the server, unless somebody did a moment ago.
async fn probe<T, E: std::fmt::Display>(
    last: &tokio::sync::Mutex<Option<Probe>>,
    question: impl Future<Output = Result<T, E>>,
) -> bool {
    let mut last = last.lock().await;
    if let Some(probe) = last.filter(|probe| probe.at.elapsed() < PROBE_TTL) {
        return probe.succeeded;
    }
    let succeeded = match timeout(PROBE_TIMEOUT, question).await {
        Ok(Ok(_)) => true,
        Ok(Err(error)) => {
            tracing::warn!(%error, "the database cannot be reached");
            false
        }
        Err(_) => {
            tracing::warn!("the database does not answer");
            false
        }
    };
    *last = Some(Probe {
        at: Instant::now(),
        succeeded,
    });
    succeeded
}

/// Returns the first byte that the server sends, without a login: callers have a connection already.
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

fn note_now(moment: &Mutex<Option<Instant>>) {
    *moment.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

fn noted(moment: &Mutex<Option<Instant>>) -> Option<Instant> {
    *moment.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether what is so long ago happened before the moment, if there was one.
fn happened_before(ago: Duration, moment: Option<Instant>) -> bool {
    match (moment, Instant::now().checked_sub(ago)) {
        (Some(moment), Some(happened)) => happened <= moment,
        (moment, None) => moment.is_some(),
        (None, _) => false,
    }
}

/// The error where each connection breaks, one after the other.
pub(super) fn report_lost(error: &DbErr) -> DbErr {
    tracing::warn!(%error, "connections to the database break");
    unavailable()
}
