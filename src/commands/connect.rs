//! The data directory and the database of a command. Each error names the next step of the operator.

use std::{fs, path::Path};

use anyhow::{Context, bail};
use platform::{
    config::{Flags, MissingKey, Settings},
    db::{Db, DbOptions, advice},
};
use sea_orm::DbErr;
use secrecy::ExposeSecret;

use super::{first_run, logs, private_files};

use crate::app::App;

/// Opens the application for a command that may run beside a server.
pub async fn open(flags: &Flags) -> anyhow::Result<App> {
    let mut settings = Settings::load(flags, MissingKey::Wait)?;
    logs::start_for_command(settings.log_format);
    let db = connect_with_key(&mut settings).await?;
    let context = "cannot read the migrations of the database";
    if db.is_new().await.context(context)? {
        bail!(
            "the database {} is empty. Start the server, which prepares it, or name the data directory of the server with \
             --data-dir",
            settings.database_for_display()
        );
    }
    anyhow::ensure!(
        db.pending_migrations().await.context(context)?.is_empty(),
        "the database has pending migrations; run `bindery migrate` first"
    );
    with_ids(db, &settings).await
}

/// Opens the application with the newest schema, and makes what it needs to start.
pub async fn open_migrated(settings: &mut Settings) -> anyhow::Result<App> {
    let db = connect_with_key(settings).await?;
    db.migrate().await.context("cannot migrate the database")?;
    let app = with_ids(db, settings).await?;
    app.kernel.blobs.objects.open()?;
    Ok(app)
}

async fn with_ids(db: Db, settings: &Settings) -> anyhow::Result<App> {
    let app = App::new(db, settings);
    app.kernel
        .continue_ids()
        .await
        .context("cannot read the newest audit event")?;
    Ok(app)
}

/// Opens the database, and makes the secret key if the database is new.
async fn connect_with_key(settings: &mut Settings) -> anyhow::Result<Db> {
    let db = connect(settings).await?;
    if settings.lacks_secret_key() {
        let context = "cannot find out whether the database is in use";
        let is_used = !db.is_new().await.context(context)? && first_run::has_users(db.read()).await.context(context)?;
        settings.complete_secret_key(is_used)?;
    }
    Ok(db)
}

/// Opens the database, unless another version made it.
pub async fn connect(settings: &Settings) -> anyhow::Result<Db> {
    create_data_dir(&settings.data_dir)?;
    private_files::tighten(settings);
    let is_restored = settings.restore_marker().exists();
    anyhow::ensure!(
        !is_restored || settings.missing_sqlite_file().is_none(),
        settings.restore_is_unfinished()
    );
    let shown = settings.database_for_display();
    let opened = Db::connect(settings.database_url.expose_secret(), &DbOptions::default()).await;
    let db = opened.map_err(|error| explained(error, &shown))?;
    if let Err(DbErr::Migration(refusal)) = db.pending_migrations().await {
        bail!("cannot use the database {shown}: {refusal}");
    }
    if is_restored {
        let is_new = db
            .is_new()
            .await
            .context("cannot read the migrations of the database")?;
        anyhow::ensure!(!is_new, settings.restore_is_unfinished());
        // The restore was interrupted after its last step, or has just ended.
        remove_marker(&settings.restore_marker())?;
    }
    Ok(db)
}

fn remove_marker(marker: &Path) -> anyhow::Result<()> {
    match fs::remove_file(marker) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", marker.display()))
        }
        _ => Ok(()),
    }
}

/// An error of opening the database, with the next step.
pub fn explained(error: DbErr, database: &str) -> anyhow::Error {
    let advice = advice(&error).map(|advice| format!(". {advice}")).unwrap_or_default();
    anyhow::anyhow!("cannot open the database {database}: {error}{advice}")
}

fn create_data_dir(directory: &Path) -> anyhow::Result<()> {
    let shown = directory.display();
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot create the data directory {shown}; choose another one with --data-dir"))?;
    check_writable(directory).with_context(|| {
        format!(
            "the data directory {shown} is not writable; make it writable for the user of the server, or choose another one \
             with --data-dir"
        )
    })
}

/// Checks that files can be made in the directory and removed from it.
pub fn check_writable(directory: &Path) -> std::io::Result<()> {
    let probe = directory.join(format!(".probe.{}", std::process::id()));
    fs::write(&probe, "")?;
    fs::remove_file(&probe)
}
