//! Classification of database errors, the same on both databases.

use sea_orm::{DbErr, RuntimeErr};
use sqlx::error::{DatabaseError, ErrorKind};
use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;

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
    database_error(error).is_some_and(|error| {
        let code = error.try_downcast_ref::<PgDatabaseError>().map(PgDatabaseError::code);
        matches!(code, Some("40001" | "40P01"))
    })
}

/// Returns whether the connection to PostgreSQL was broken, so that another one may do better.
pub(super) fn is_connection_lost(error: &DbErr) -> bool {
    sqlx_error(error).is_some_and(|error| matches!(error, sqlx::Error::Io(_)) || is_shutting_down(error))
}

/// Returns whether PostgreSQL lets the server not log in: its password, user or database is not the right one any more.
pub(super) fn is_login_refused(error: &DbErr) -> bool {
    sqlx_error(error).is_some_and(|error| matches!(postgres_code(error), Some("28000" | "28P01" | "3D000")))
}

/// Returns whether PostgreSQL stops, has stopped this connection, or still starts.
fn is_shutting_down(error: &sqlx::Error) -> bool {
    matches!(postgres_code(error), Some("57P01" | "57P02" | "57P03"))
}

fn postgres_code(error: &sqlx::Error) -> Option<&str> {
    let error = error.as_database_error()?;
    error.try_downcast_ref::<PgDatabaseError>().map(PgDatabaseError::code)
}

/// Returns whether the error ends the transaction, even if the closure ignores it.
///
/// On SQLite these are failures of the machine, after which it may roll back the whole transaction and not only the
/// statement. On PostgreSQL these are conflicts with other transactions and broken connections, after which the closure
/// runs again.
pub(super) fn ends_transaction(error: &DbErr) -> bool {
    // The low byte of SQLite's result code: busy, no memory, interrupted, input/output, corrupt, full, not a database.
    const LOST: [i32; 7] = [5, 7, 9, 10, 11, 13, 26];
    let code = database_error(error).and_then(|error| error.try_downcast_ref::<SqliteError>()?.code());
    match code {
        Some(code) => code.parse::<i32>().is_ok_and(|code| LOST.contains(&(code & 0xff))),
        None => is_serialization_failure(error) || is_connection_lost(error),
    }
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
