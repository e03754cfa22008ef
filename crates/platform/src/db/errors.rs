//! Classification of database errors, the same on both databases.

use std::sync::atomic::{AtomicBool, Ordering};

use sea_orm::{ConnAcquireErr, DbErr, RuntimeErr};
use sqlx::error::{DatabaseError, ErrorKind};
use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;
use wire::fault::DatabaseFault;

/// Returns whether another row has the same unique key.
pub fn is_unique_violation(error: &DbErr) -> bool {
    database_error(error).is_some_and(|error| error.kind() == ErrorKind::UniqueViolation)
}

/// Returns whether another row has the same value in a unique column. SQLite names the columns of an index, and PostgreSQL the
/// index, whose name has those of its columns.
pub fn violates_unique(error: &DbErr, column: &str) -> bool {
    is_unique_violation(error) && database_error(error).is_some_and(|error| error.message().contains(column))
}

/// Returns whether a row refers to an absent row, or a deleted row is still referred to.
pub fn is_foreign_key_violation(error: &DbErr) -> bool {
    database_error(error).is_some_and(|error| error.kind() == ErrorKind::ForeignKeyViolation)
}

/// Returns whether PostgreSQL aborted the transaction because of a concurrent one; a retry may succeed.
pub(super) fn is_serialization_failure(error: &DbErr) -> bool {
    matches!(postgres_code(error), Some("40001" | "40P01"))
}

/// Returns whether other writers were first. On SQLite these are other programs, which hold the lock of the file for longer than the
/// server waits.
fn is_contended(error: &DbErr) -> bool {
    match sqlite_code(error) {
        Some(code) => matches!(code & 0xff, 5 | 6),
        // PostgreSQL: a lock is not available, and a statement took too long or was cancelled.
        None => is_serialization_failure(error) || matches!(postgres_code(error), Some("55P03" | "57014")),
    }
}

/// Returns whether PostgreSQL refuses to write because it, the database or the connection is read-only.
pub(super) fn is_read_only(error: &DbErr) -> bool {
    matches!(postgres_code(error), Some("25006"))
}

/// Returns whether PostgreSQL does not support what was asked for. At the start of a write this means that the server is a standby,
/// which has no serializable transactions.
pub(super) fn is_unsupported(error: &DbErr) -> bool {
    matches!(postgres_code(error), Some("0A000"))
}

/// Returns whether nothing can be written until somebody makes room or makes the database writable.
pub(super) fn is_not_writable(error: &DbErr) -> bool {
    // PostgreSQL: insufficient resources, the disk is full, no memory, a limit of the configuration.
    const EXHAUSTED: [&str; 4] = ["53000", "53100", "53200", "53400"];
    match sqlite_code(error) {
        // Read-only, full, cannot open (such as the log on a disk that is read-only).
        Some(code) => matches!(code & 0xff, 8 | 13 | 14) || is_failed_write(code),
        None => is_read_only(error) || postgres_code(error).is_some_and(|code| EXHAUSTED.contains(&code)),
    }
}

/// Returns whether the operating system refused SQLite to change a file: to write, sync, truncate or delete it, or to make the shared
/// index of the log larger.
fn is_failed_write(code: i32) -> bool {
    const CODES: [i32; 9] = [778, 1034, 1290, 1546, 2570, 4618, 4874, 5130, 5386];
    CODES.contains(&code)
}

/// `true` once SQLite has met a damaged page, until the process ends: an operator has to restore the file.
static IS_DAMAGED: AtomicBool = AtomicBool::new(false);

/// Returns whether SQLite has met a damaged page of the database.
pub fn is_damaged() -> bool {
    IS_DAMAGED.load(Ordering::Relaxed)
}

/// Notes whether a result code of SQLite tells of damage: corrupt, not a database.
pub(super) fn note_damage(code: i32) {
    if matches!(code & 0xff, 11 | 26) {
        IS_DAMAGED.store(true, Ordering::Relaxed);
    }
}

/// The error of a database to which no connection can be had.
pub(super) fn unavailable() -> DbErr {
    DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)
}

/// Gives a failure that passes the form that callers are told by.
pub(super) fn explain(error: DbErr) -> DbErr {
    sqlite_code(&error).into_iter().for_each(note_damage);
    if is_not_writable(&error) {
        DatabaseFault::NotWritable(error).into()
    } else if is_contended(&error) {
        DatabaseFault::Contended(error).into()
    } else {
        error
    }
}

/// The same for the failure of a commit, which may have happened if the database broke off.
pub(super) fn explain_commit(error: DbErr) -> DbErr {
    let broke_off = match sqlite_code(&error) {
        // SQLite may find the commit in its log when it opens the database again.
        Some(code) => is_failed_write(code),
        None => is_connection_lost(&error) || matches!(error, DbErr::ConnectionAcquire(_)),
    };
    if broke_off {
        DatabaseFault::UnknownOutcome(error).into()
    } else {
        explain(error)
    }
}

/// Returns whether the connection to PostgreSQL was broken, so that another one may do better.
pub(super) fn is_connection_lost(error: &DbErr) -> bool {
    matches!(sqlx_error(error), Some(sqlx::Error::Io(_))) || is_shutting_down(error)
}

/// Returns whether PostgreSQL lets the server not log in: its password, user or database is not the right one any more.
pub(super) fn is_login_refused(error: &DbErr) -> bool {
    matches!(postgres_code(error), Some("28000" | "28P01" | "3D000"))
}

/// Returns whether PostgreSQL stops, has stopped this connection, or still starts.
fn is_shutting_down(error: &DbErr) -> bool {
    matches!(postgres_code(error), Some("57P01" | "57P02" | "57P03"))
}

/// Returns the next step of an operator whose database cannot be opened.
pub fn advice(error: &DbErr) -> Option<&'static str> {
    match (postgres_code(error), sqlite_code(error).map(|code| code & 0xff)) {
        (Some("28000" | "28P01"), _) => Some("Correct the user and the password in BINDERY_DATABASE_URL"),
        (Some("3D000"), _) => Some("Create it, such as with `createdb`, or correct the name in BINDERY_DATABASE_URL"),
        // Read-only, cannot open.
        (_, Some(8 | 14)) => Some("Make the file and its directory writable for the user of the server"),
        (_, Some(26)) => Some("Move this file away, or name the file of the database in BINDERY_DATABASE_URL"),
        _ if matches!(sqlx_error(error), Some(sqlx::Error::Io(_))) => {
            Some("Start PostgreSQL, or correct the host and the port in BINDERY_DATABASE_URL")
        }
        _ => None,
    }
}

fn postgres_code(error: &DbErr) -> Option<&str> {
    let error = database_error(error)?.try_downcast_ref::<PgDatabaseError>()?;
    Some(error.code())
}

/// Returns whether the error ends the transaction, even if the closure ignores it.
///
/// On SQLite these are failures of the machine, after which it may roll back the whole transaction and not only the
/// statement. On PostgreSQL these are conflicts with other transactions and broken connections, after which the closure
/// runs again. On both, nothing more can be written if the disk is full or the database is read-only.
pub(super) fn ends_transaction(error: &DbErr) -> bool {
    // The low byte of SQLite's result code: busy, no memory, interrupted, input/output, corrupt, not a database.
    const LOST: [i32; 6] = [5, 7, 9, 10, 11, 26];
    let lost = match sqlite_code(error) {
        Some(code) => LOST.contains(&(code & 0xff)),
        None => is_serialization_failure(error) || is_connection_lost(error),
    };
    lost || is_not_writable(error)
}

/// Returns SQLite's extended result code.
fn sqlite_code(error: &DbErr) -> Option<i32> {
    let code = database_error(error)?.try_downcast_ref::<SqliteError>()?.code()?;
    code.parse().ok()
}

fn database_error(error: &DbErr) -> Option<&dyn DatabaseError> {
    sqlx_error(error)?.as_database_error()
}

fn sqlx_error(error: &DbErr) -> Option<&sqlx::Error> {
    match error {
        DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error))
        | DbErr::Conn(RuntimeErr::SqlxError(error)) => Some(error),
        _ => None,
    }
}
