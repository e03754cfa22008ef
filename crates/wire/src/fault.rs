//! Faults of the database.

use std::{error::Error, fmt, io};

use sea_orm::{DbErr, RuntimeErr, SqlxError};

/// A failure of the database that passes, and that only the database layer can tell from others: [`DbErr`] carries it to the answer.
#[derive(Debug)]
pub enum DatabaseFault {
    /// Nothing was written: the disk is full, or the database is read-only.
    NotWritable(DbErr),
    /// Nothing was written: other writers were first, again and again.
    Contended(DbErr),
    /// The connection broke during a commit, which may have happened.
    UnknownOutcome(DbErr),
    /// There is no permit for a large read, because other requests have all of them.
    Overloaded,
}

impl DatabaseFault {
    /// The fault that an error carries.
    pub fn of(error: &DbErr) -> Option<&Self> {
        let (DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error))) = error
        else {
            return None;
        };
        match &**error {
            SqlxError::Io(error) => error.get_ref()?.downcast_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for DatabaseFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotWritable(error) => write!(f, "the database cannot be written: {error}"),
            Self::Contended(error) => write!(f, "other writers did not let the database be written: {error}"),
            Self::UnknownOutcome(error) => write!(f, "the outcome of a commit is unknown: {error}"),
            Self::Overloaded => f.write_str("too many large requests at once"),
        }
    }
}

impl Error for DatabaseFault {}

impl From<DatabaseFault> for DbErr {
    fn from(fault: DatabaseFault) -> Self {
        Self::Conn(RuntimeErr::SqlxError(SqlxError::Io(io::Error::other(fault)).into()))
    }
}
