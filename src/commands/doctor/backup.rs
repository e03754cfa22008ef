//! The age of the last backup.

use anyhow::{Context, bail};
use chrono::TimeDelta;
use platform::{
    backups::Backups,
    config::Settings,
    db::{Clock, IdSource},
};

use super::{Finding, database};

use crate::commands::output::time;

/// Checks that periodic backups are made. Whether others are too old is for the operator to say.
pub async fn last(settings: &Settings) -> anyhow::Result<Finding> {
    let Some(db) = database::open_migrated(settings).await else {
        return Ok(Finding::Fine("unknown without a database".to_owned()));
    };
    let clock = Clock::system();
    let backups = Backups::new(db.clone(), clock.clone(), IdSource::new(clock.clone()));
    let last = backups.last().await;
    db.close().await.context("cannot close the database cleanly")?;
    let last = last.context("cannot read when the last backup was made")?;
    let found = match last {
        Some(last) => format!("the last backup is of {}", time(last)),
        None => "no backup has been made".to_owned(),
    };
    let Some(place) = &settings.backup_to else {
        return Ok(Finding::Fine(found));
    };
    let late = TimeDelta::from_std(settings.backup_interval * 2)?;
    if last.is_none_or(|last| last.plus(late) < clock.now()) {
        bail!(
            "{found}, which is older than twice BINDERY_BACKUP_INTERVAL; `bindery jobs --kind make-backup` has the reason why none is \
             made in {place}"
        );
    }
    Ok(Finding::Fine(found))
}
