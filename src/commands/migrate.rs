//! `bindery migrate`

use anyhow::Context;
use platform::config::{Flags, MissingKey, Settings};

use super::{connect, logs, output::say};

pub async fn run(flags: &Flags) -> anyhow::Result<()> {
    let settings = Settings::load(flags, MissingKey::Pretend)?;
    logs::start(settings.log_format, logs::FOR_COMMANDS);
    let db = connect(&settings).await?;
    let pending = db.pending_migrations().await.context("the database cannot be read")?;
    db.migrate().await.context("the database cannot be migrated")?;
    for name in &pending {
        say(&format!("applied {name}\n"))?;
    }
    say(&format!("{} is up to date\n", settings.database_for_display()))?;
    db.close().await.context("the database did not close cleanly")
}
