//! Periodic backups.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use platform::{
    archives::{archive_name, prune},
    config::{BlobAddress, Settings},
    jobs::{JobContext, JobError, JobKind, Kinds, PeriodicJob},
};
use tokio::{runtime::Handle, sync::oneshot, task::spawn_blocking};

use super::{
    make::{Target, make},
    summary,
};
use crate::{app::App, kernel::Kernel};

/// Makes a backup when the last one is older than the interval.
pub struct MakeBackup(Arc<Parts>);

struct Parts {
    kernel: Kernel,
    settings: Settings,
    place: BlobAddress,
}

/// Adds the job, if the settings name a place for backups.
pub fn with_backups(kinds: Kinds, app: &App, settings: &Settings) -> Kinds {
    match &settings.backup_to {
        Some(place) => kinds.with_periodic(MakeBackup(Arc::new(Parts {
            kernel: app.kernel.clone(),
            settings: settings.clone(),
            place: place.clone(),
        }))),
        None => kinds,
    }
}

impl JobKind for MakeBackup {
    const NAME: &'static str = "make-backup";
    const TIME_LIMIT: Duration = Duration::from_secs(24 * 3600);
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let Parts { kernel, settings, .. } = &*self.0;
        let interval = TimeDelta::from_std(settings.backup_interval).unwrap_or(TimeDelta::MAX);
        let last = kernel.backups.last().await?;
        if last.is_some_and(|last| last.is_recent(kernel.clock.now(), interval)) {
            return Ok(());
        }
        let parts = Arc::clone(&self.0);
        Ok(on_own_thread(async move { parts.make().await }).await?)
    }
}

impl PeriodicJob for MakeBackup {
    /// Of looking whether a backup is due.
    const INTERVAL: TimeDelta = TimeDelta::minutes(1);
}

impl Parts {
    async fn make(&self) -> anyhow::Result<()> {
        let place = &self.place;
        if let BlobAddress::Local(directory) = place {
            std::fs::create_dir_all(directory)?;
        }
        let target = Target::Address(place.join(&archive_name(self.kernel.clock.now())));
        let trailer = make(&self.kernel, &self.settings, &target).await?;
        prune(place, self.settings.backup_keep).await?;
        tracing::info!(%place, content = summary(&trailer), "made a backup");
        Ok(())
    }
}

/// Runs work that keeps its thread busy, until this future is dropped.
async fn on_own_thread<T: Send + 'static>(
    work: impl Future<Output = anyhow::Result<T>> + Send + 'static,
) -> anyhow::Result<T> {
    let (_stop, stopped) = oneshot::channel::<()>();
    let runtime = Handle::current();
    let run = move || {
        runtime.block_on(async {
            tokio::select! {
                done = work => done,
                _ = stopped => anyhow::bail!("the backup was stopped"),
            }
        })
    };
    spawn_blocking(run).await?
}
