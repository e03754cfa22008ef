//! SQLite: connections that read, and the one writer, for which closures queue; those that wait together share a commit.

mod job;
mod readers;
mod writer;

use sea_orm::{DbErr, RuntimeErr};

pub(super) use self::readers::Readers;
pub(super) use self::writer::Writer;

fn stopped() -> DbErr {
    DbErr::Conn(RuntimeErr::Internal("the database is closed".to_owned()))
}
