//! What runs fetch.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use entity::exchange::import_runs::Model;
use platform::outbound::{FetchError, FetchLimits, Fetched, OnBehalf, Oversize};

use super::outcome::OutcomeProblem;
use crate::areas::exchange::{
    Exchange,
    git::SyncError,
    import::{ImportSource, MAX_FILE},
};

/// The time of one request.
pub const FETCH_TIME: Duration = Duration::from_secs(30);

/// What was fetched.
pub struct Source {
    pub source: ImportSource,
    /// The addresses of the files of a website.
    pub addresses: HashMap<String, String>,
    pub problems: Vec<OutcomeProblem>,
}

/// Fetches what is at an address, within the rules for outgoing requests.
pub async fn get(exchange: &Exchange, row: &Model, url: &str, until: Instant) -> Result<Fetched, FetchError> {
    let limits = FetchLimits {
        bytes: usize::try_from(MAX_FILE).unwrap_or(usize::MAX),
        oversize: Oversize::Refuse,
        time: FETCH_TIME.min(until.saturating_duration_since(Instant::now())),
        on_behalf: OnBehalf {
            tenant: *row.organization_id.as_uuid(),
            user: Some(*row.created_by.as_uuid()),
        },
    };
    exchange.kernel.outbound.get(url, limits).await
}

pub async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, SyncError> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(anyhow::Error::from)?)
}
