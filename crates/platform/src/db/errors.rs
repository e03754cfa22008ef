//! What a database error means, on either database.

use sea_orm::{DbErr, RuntimeErr};
use sqlx::error::{DatabaseError, ErrorKind};
use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;

/// Another row has the key that this one wanted.
pub fn is_unique_violation(error: &DbErr) -> bool {
    database_error(error).is_some_and(|error| error.kind() == ErrorKind::UniqueViolation)
}

/// The row refers to one that does not exist, or is referred to by one that would be left behind.
pub fn is_foreign_key_violation(error: &DbErr) -> bool {
    database_error(error).is_some_and(|error| error.kind() == ErrorKind::ForeignKeyViolation)
}

/// PostgreSQL could not run the transaction as if it were alone; run again, it may well succeed.
pub(super) fn is_serialization_failure(error: &DbErr) -> bool {
    database_error(error).is_some_and(|error| {
        let code = error.try_downcast_ref::<PgDatabaseError>().map(PgDatabaseError::code);
        matches!(code, Some("40001" | "40P01"))
    })
}

/// The transaction cannot go on, even if its closure would.
///
/// On SQLite those are failures of the machine, which may make it roll back everything and not only the statement. On
/// PostgreSQL they are conflicts with other transactions, which are answered by running the closure again.
pub(super) fn ends_transaction(error: &DbErr) -> bool {
    // The low byte of SQLite's result code: busy, no memory, interrupted, input/output, corrupt, full, not a database.
    const LOST: [i32; 7] = [5, 7, 9, 10, 11, 13, 26];
    let code = database_error(error).and_then(|error| error.try_downcast_ref::<SqliteError>()?.code());
    match code {
        Some(code) => code.parse::<i32>().is_ok_and(|code| LOST.contains(&(code & 0xff))),
        None => is_serialization_failure(error),
    }
}

fn database_error(error: &DbErr) -> Option<&dyn DatabaseError> {
    match error {
        DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error))
        | DbErr::Conn(RuntimeErr::SqlxError(error)) => error.as_database_error(),
        _ => None,
    }
}
