//! Whether the server can still write: a disk may be full, or have become read-only.

use std::time::Duration;

use chrono::TimeDelta;
use entity::timestamp::Timestamp;
use tokio::{sync::Mutex, time::timeout};

use crate::app::App;

/// Each check writes to the disk, and everybody may ask.
const CACHE_TTL: TimeDelta = TimeDelta::seconds(5);

/// Whoever asks wants to know soon, and no usual write takes so long.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// The state of the last check.
#[derive(Default)]
pub struct Writable(Mutex<Option<Checked>>);

struct Checked {
    at: Timestamp,
    result: Result<(), &'static str>,
}

impl Writable {
    /// Returns what cannot be written.
    pub async fn check(&self, app: &App) -> Result<(), &'static str> {
        let mut last = self.0.lock().await;
        let now = app.kernel.clock.now();
        if let Some(Checked { at, result }) = &*last
            && (*at..at.plus(CACHE_TTL)).contains(&now)
        {
            return *result;
        }
        let result = write(app).await;
        *last = Some(Checked { at: now, result });
        result
    }
}

async fn write(app: &App) -> Result<(), &'static str> {
    let written = timeout(TIME_LIMIT, app.kernel.db.check_writable()).await;
    if let Err(error) = written.map_err(anyhow::Error::from).and_then(|written| Ok(written?)) {
        tracing::error!("cannot write to the database: {error:#}");
        return Err("database not writable");
    }
    // A remote store has its own monitoring, and a short outage of it leaves most operations working.
    if app.kernel.blobs.objects.is_local()
        && let Err(error) = app.kernel.blobs.objects.check(app.kernel.ids.next()).await
    {
        tracing::error!("cannot use the file store: {error:#}");
        return Err("file store not writable");
    }
    Ok(())
}
