//! `bindery migrate`

use anyhow::Context;
use platform::config::{Flags, MissingKey, Settings};

use super::{connect::connect, logs, output::print};

pub async fn run(flags: &Flags) -> anyhow::Result<()> {
    let settings = Settings::load(flags, MissingKey::Pretend)?;
    logs::start_for_command(settings.log_format);
    let db = connect(&settings).await?;
    let pending = db
        .pending_migrations()
        .await
        .context("cannot read the migrations of the database")?;
    db.migrate().await.context("cannot migrate the database")?;
    for name in &pending {
        print(&format!("applied {name}\n"))?;
    }
    print(&format!("{} is up to date\n", settings.database_for_display()))?;
    db.close().await.context("cannot close the database cleanly")
}
