//! Whether the server can still write: a disk may be full, or have become read-only.

use chrono::TimeDelta;
use entity::timestamp::Timestamp;
use tokio::sync::Mutex;

use crate::app::App;

/// Each check writes to the disk, and everybody may ask.
const CACHE_TTL: TimeDelta = TimeDelta::seconds(5);

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
        let now = app.clock.now();
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
    if let Err(error) = app.db.check_writable().await {
        tracing::error!(%error, "cannot write to the database");
        return Err("database not writable");
    }
    // A remote store has its own monitoring, and a short outage of it leaves most operations working.
    if app.blobs.objects.is_local()
        && let Err(error) = app.blobs.objects.check(app.ids.next()).await
    {
        tracing::error!("cannot use the file store: {error:#}");
        return Err("file store not writable");
    }
    Ok(())
}
