//! The engine of insight events: it keeps them, and answers what is asked of them.
//!
//! A batch is committed to the inbox (`insight_batches`) before its sender gets an answer. The job that drains the inbox gives
//! the engine one chunk of batches after another, and the engine deletes those that it has stored.

pub mod batches;
mod clickhouse;
mod database;

use std::{collections::HashSet, error::Error, fmt, sync::Arc};

use entity::{
    ids::{InsightChunkId, SiteId},
    timestamp::Timestamp,
};
use futures_util::future::BoxFuture;
use insights::{Damaged, Event, Query, Value};
use openapi::{
    error::{ApiError, ErrorRule},
    work::off_runtime,
};
use platform::{config::Settings, jobs::JobError};
use sea_orm::DbErr;

use self::{clickhouse::ClickHouseEngine, database::DatabaseEngine};
use crate::kernel::Kernel;

/// The engine of this server.
pub fn open(kernel: &Kernel, settings: &Settings) -> Arc<dyn Engine> {
    match &settings.insights_url {
        Some(address) => Arc::new(ClickHouseEngine::new(kernel, address.clone())),
        None => Arc::new(DatabaseEngine::new(kernel)),
    }
}

/// Batches of one site that the engine takes together. The same chunk has the same batches at each attempt.
pub struct Chunk {
    pub id: InsightChunkId,
    pub site: SiteId,
    /// The number of batches.
    pub batches: u64,
    /// Their events, in the order of the batches.
    pub events: Vec<Event>,
}

/// A part of the events of a site, in the order of their times, and among equal times of all that they hold.
pub struct ExportRange {
    /// From ≤ time < to.
    pub from: Timestamp,
    pub to: Timestamp,
    /// Events that are left out at the beginning.
    pub skip: usize,
    pub limit: usize,
}

pub trait Engine: Send + Sync + 'static {
    /// Stores the events of a chunk, and deletes its batches: those that still have its id. A second attempt does not store them twice.
    fn store<'a>(&'a self, chunk: Chunk) -> BoxFuture<'a, Result<(), EngineError>>;

    /// Does the work that keeps reading quick, after chunks have been stored.
    fn merge(&self) -> BoxFuture<'_, Result<(), EngineError>>;

    /// Answers a checked query. Rows have the columns of [`Query::selected`].
    fn aggregate<'a>(&'a self, site: SiteId, query: Query) -> BoxFuture<'a, Result<Vec<Vec<Value>>, EngineError>>;

    /// Reads a part of the events of a site.
    fn export<'a>(&'a self, site: SiteId, range: ExportRange) -> BoxFuture<'a, Result<Vec<Event>, EngineError>>;

    /// Deletes the stored events of visitors of a site.
    fn delete_visitors<'a>(
        &'a self,
        site: SiteId,
        visitors: &'a HashSet<u64>,
    ) -> BoxFuture<'a, Result<(), EngineError>>;

    /// Deletes the stored events of a site.
    fn delete_site<'a>(&'a self, site: SiteId) -> BoxFuture<'a, Result<(), EngineError>>;

    /// Returns whether a site has stored events of the days (UTC) from that of `from` on, and before that of `to`.
    fn has_events<'a>(&'a self, from: Timestamp, to: Timestamp) -> BoxFuture<'a, Result<bool, EngineError>>;

    /// Deletes the stored events of all days (UTC) before the one of `time`.
    fn delete_before<'a>(&'a self, time: Timestamp) -> BoxFuture<'a, Result<(), EngineError>>;
}

#[derive(Debug)]
pub enum EngineError {
    /// The answer would have too many groups.
    TooManyGroups,
    /// The database of this server.
    Database(DbErr),
    /// The engine is out of reach for the moment.
    Away(String),
    /// Stored events cannot be read.
    Damaged,
    /// Another process changed what this one works on. The next attempt finds what is left.
    Stale,
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyGroups => f.write_str("the answer has too many groups"),
            Self::Database(error) => write!(f, "{error}"),
            Self::Away(reason) => write!(f, "the engine of insight events cannot be reached: {reason}"),
            Self::Damaged => write!(f, "{Damaged}"),
            Self::Stale => f.write_str("another process works on the same insight events"),
        }
    }
}

impl Error for EngineError {}

impl From<DbErr> for EngineError {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

impl From<Damaged> for EngineError {
    fn from(Damaged: Damaged) -> Self {
        Self::Damaged
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::TooManyGroups => Self::invalid_member(
                "/body/groupBy",
                ErrorRule::TooManyGroups,
                "The answer would have more than a million groups, or need too much memory. Group by fewer columns, or ask for a \
                 shorter range.",
            ),
            EngineError::Database(error) => error.into(),
            EngineError::Away(_) | EngineError::Stale => {
                Self::overloaded("Insights are not available at present.", RETRY_AFTER)
            }
            EngineError::Damaged => Self::internal(Damaged),
        }
    }
}

impl From<EngineError> for JobError {
    fn from(error: EngineError) -> Self {
        Self::Retryable(error.to_string())
    }
}

/// Seconds after which a caller tries again when the engine is away.
const RETRY_AFTER: u32 = 10;

/// Runs a computation on many events beside other requests.
pub fn compute<T>(work: impl FnOnce() -> T) -> T {
    off_runtime(true, work)
}
