//! SQLite: connections that read, and one writer with a queue of closures. Closures that wait together share a commit.

mod readers;
mod writer;

use sea_orm::{DbErr, RuntimeErr};

pub(super) use self::readers::Readers;
pub(super) use self::writer::Writer;

pub(super) fn closed() -> DbErr {
    DbErr::Conn(RuntimeErr::Internal("the database is closed".to_owned()))
}
