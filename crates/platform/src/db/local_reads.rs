//! Reads of SQLite on the thread that needs the rows.
//!
//! A statement of a small read takes less time than handing it to another thread and its rows back. A thread of the
//! runtime serves other requests as well: before a statement that took long before, they are given to another thread.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, StatementStatus, ToSql, params_from_iter};
use sea_orm::sea_query::Value;
use sea_orm::{DbErr, RuntimeErr, Statement};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;
use wire::fault::DatabaseFault;

use super::connect::BUSY_TIMEOUT;
use super::connect::CACHED_STATEMENTS;
use super::errors::note_damage;
use super::page_bytes::PageBytes;
use super::sqlite::closed;

/// A statement that takes more steps of SQLite's machine is slow: these are a few milliseconds. Time itself also passes
/// while the thread waits for a processor.
const SLOW: i32 = 1_000_000;

/// The most texts of slow statements that are remembered.
const MAX_SLOW: usize = 1_000;

/// The most connections that are kept while nobody uses them: more threads read at once only in bursts.
const MAX_IDLE: usize = 16;

/// Connections of the threads that read; they cannot write.
pub(super) struct LocalReads {
    file: PathBuf,
    /// The most recently used connection is used next, because its page cache is most likely useful.
    idle: Mutex<Vec<Connection>>,
    /// `true` after the database was closed. Each statement holds the lock for reading.
    closed: RwLock<bool>,
    /// The texts of statements that took long, and whether there are any.
    slow: RwLock<HashSet<String>>,
    has_slow: AtomicBool,
    statements: Arc<AtomicU64>,
}

impl LocalReads {
    pub fn new(file: PathBuf, statements: Arc<AtomicU64>) -> Self {
        Self {
            file,
            idle: Mutex::default(),
            closed: RwLock::new(false),
            slow: RwLock::default(),
            has_slow: AtomicBool::new(false),
            statements,
        }
    }

    /// Runs a query and decodes each of its rows.
    pub fn rows<T>(&self, query: &Statement, decode: impl Fn(&Row<'_>) -> Result<T, DbErr>) -> Result<Vec<T>, DbErr> {
        let is_closed = self.closed.read().unwrap_or_else(PoisonError::into_inner);
        if *is_closed {
            return Err(closed());
        }
        self.statements.fetch_add(1, Ordering::Relaxed);
        if self.is_slow(&query.sql) {
            return blocking(|| self.run(query, &decode));
        }
        self.run(query, &decode)
    }

    fn run<T>(&self, query: &Statement, decode: &impl Fn(&Row<'_>) -> Result<T, DbErr>) -> Result<Vec<T>, DbErr> {
        let values = query.values.as_ref().map_or(&[][..], |values| &values.0);
        // Dropped after a failure, and a new one is opened when it is needed.
        let connection = self.acquire().map_err(query_error)?;
        let rows = match run(&connection, &query.sql, values, decode) {
            Err(Failure::Sqlite(error)) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                blocking(|| run_patiently(&connection, &query.sql, values, decode))
            }
            result => result,
        };
        let Found { rows, steps } = rows.map_err(Failure::into_error)?;
        if steps > SLOW {
            self.note_slow(&query.sql);
        }
        let mut idle = self.idle();
        if idle.len() < MAX_IDLE {
            idle.push(connection);
        }
        Ok(rows)
    }

    fn is_slow(&self, sql: &str) -> bool {
        self.has_slow.load(Ordering::Relaxed) && self.slow.read().unwrap_or_else(PoisonError::into_inner).contains(sql)
    }

    fn note_slow(&self, sql: &str) {
        let mut slow = self.slow.write().unwrap_or_else(PoisonError::into_inner);
        if slow.len() < MAX_SLOW {
            slow.insert(sql.to_owned());
            self.has_slow.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for the running reads, then closes all connections; further reads fail.
    pub fn close(&self) {
        *self.closed.write().unwrap_or_else(PoisonError::into_inner) = true;
        self.idle().clear();
    }

    fn acquire(&self) -> rusqlite::Result<Connection> {
        let idle = self.idle().pop();
        match idle {
            Some(connection) => Ok(connection),
            None => open(&self.file),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open(file: &PathBuf) -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    // A read rarely waits for a lock, and never on a thread that others need.
    connection.busy_timeout(Duration::ZERO)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    if cfg!(debug_assertions) {
        connection.pragma_update(None, "reverse_unordered_selects", true)?;
    }
    Ok(connection)
}

/// The rows of a statement, and the steps that it took.
struct Found<T> {
    rows: Vec<T>,
    steps: i32,
}

enum Failure {
    Sqlite(rusqlite::Error),
    Decode(DbErr),
}

impl Failure {
    fn into_error(self) -> DbErr {
        match self {
            Self::Sqlite(error) => query_error(error),
            Self::Decode(error) => error,
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn run<T>(
    connection: &Connection,
    sql: &str,
    values: &[Value],
    decode: &impl Fn(&Row<'_>) -> Result<T, DbErr>,
) -> Result<Found<T>, Failure> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(values.iter().map(Parameter)))?;
    let (mut decoded, mut page) = (Vec::new(), PageBytes::begin());
    while let Some(row) = rows.next()? {
        decoded.push(decode(row).map_err(Failure::Decode)?);
        if let Some(page) = &mut page
            && !page.count(bytes_of(row))
        {
            break;
        }
    }
    drop(rows);
    if let Some(page) = page {
        page.end();
    }
    Ok(Found {
        rows: decoded,
        steps: statement.reset_status(StatementStatus::VmStep),
    })
}

/// The bytes of the texts and other long values of a row.
fn bytes_of(row: &Row<'_>) -> usize {
    let values = (0..row.as_ref().column_count()).filter_map(|column| row.get_ref(column).ok());
    let bytes = values.map(|value| match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 0,
    });
    bytes.sum()
}

/// Waits for another process that holds a lock, such as one that closes or recovers the database.
fn run_patiently<T>(
    connection: &Connection,
    sql: &str,
    values: &[Value],
    decode: &impl Fn(&Row<'_>) -> Result<T, DbErr>,
) -> Result<Found<T>, Failure> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let found = run(connection, sql, values, decode);
    connection.busy_timeout(Duration::ZERO)?;
    found
}

/// Runs what may take long while another thread takes over the tasks of this one.
fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

/// A value as the driver of the other connections binds it.
struct Parameter<'a>(&'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        fn integer<'a>(number: Option<impl Into<i64>>) -> Option<ToSqlOutput<'a>> {
            number.map(|number| ToSqlOutput::from(number.into()))
        }
        fn borrowed<'a>(value: Option<impl Into<ValueRef<'a>>>) -> Option<ToSqlOutput<'a>> {
            value.map(|value| ToSqlOutput::Borrowed(value.into()))
        }
        let bound = match self.0 {
            Value::Bool(value) => integer(*value),
            Value::TinyInt(value) => integer(*value),
            Value::SmallInt(value) => integer(*value),
            Value::Int(value) => integer(*value),
            Value::BigInt(value) => integer(*value),
            Value::TinyUnsigned(value) => integer(*value),
            Value::SmallUnsigned(value) => integer(*value),
            Value::Unsigned(value) => integer(*value),
            Value::BigUnsigned(Some(value)) => Some(i64::try_from(*value).map_err(unsupported)?.into()),
            Value::BigUnsigned(None) => None,
            Value::Float(value) => value.map(|value| f64::from(value).into()),
            Value::Double(value) => value.map(Into::into),
            Value::String(value) => borrowed(value.as_deref()),
            Value::Bytes(value) => borrowed(value.as_deref()),
            Value::Uuid(value) => borrowed(value.as_ref().map(|id| id.as_bytes().as_slice())),
            Value::Json(value) => value.as_ref().map(|value| value.to_string().into()),
            other => return Err(unsupported(format!("no column holds values like {other:?}"))),
        };
        Ok(bound.unwrap_or(ToSqlOutput::Borrowed(ValueRef::Null)))
    }
}

fn unsupported<E>(error: E) -> rusqlite::Error
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    rusqlite::Error::ToSqlConversionFailure(error.into())
}

/// A large sort needs room on the disk.
fn query_error(error: rusqlite::Error) -> DbErr {
    if let Some(error) = error.sqlite_error() {
        note_damage(error.extended_code);
    }
    let query_error = DbErr::Query(RuntimeErr::Internal(error.to_string()));
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => DatabaseFault::NotWritable(query_error).into(),
        _ => query_error,
    }
}
