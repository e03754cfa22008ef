//! The database, and what it says of hostnames.

use anyhow::{Context, bail};
use platform::{
    config::Settings,
    db::{Clock, Db, DbOptions, ServerSettings},
};
use secrecy::ExposeSecret;

use super::{super::connect::explained, Finding};

use crate::{app::App, areas::publishing::custom_hostnames};

/// The oldest PostgreSQL that the tests run on.
const OLDEST_POSTGRES: u32 = 15;

/// Clocks of several nodes and of the database may differ by this much.
const TOLERATED_SECONDS: f64 = 60.0;

/// Opens the database, unless the server is still to create it: an absent SQLite file would be created here.
async fn open(settings: &Settings) -> anyhow::Result<Option<Db>> {
    if settings.missing_sqlite_file().is_some() {
        return Ok(None);
    }
    let db = Db::connect(settings.database_url.expose_secret(), &DbOptions::default()).await;
    Ok(Some(
        db.map_err(|error| explained(error, &settings.database_for_display()))?,
    ))
}

/// Opens a database whose tables this version can read. `None`: there is none.
pub async fn open_migrated(settings: &Settings) -> Option<Db> {
    let db = open(settings).await.ok()??;
    let pending = db.pending_migrations().await;
    pending.is_ok_and(|pending| pending.is_empty()).then_some(db)
}

pub async fn database(settings: &Settings) -> anyhow::Result<Finding> {
    let shown = settings.database_for_display();
    let Some(db) = open(settings).await? else {
        return Ok(Finding::Fine(format!(
            "{shown} does not exist yet; the server creates it"
        )));
    };
    let found = examine(&db, &shown).await;
    let closed = db.close().await;
    let found = found?;
    closed.with_context(|| format!("cannot close {shown} cleanly"))?;
    Ok(found)
}

async fn examine(db: &Db, shown: &str) -> anyhow::Result<Finding> {
    db.ping().await.with_context(|| format!("{shown} does not respond"))?;
    let server = db.server_settings().await;
    let server = server.with_context(|| format!("cannot read the settings of {shown}"))?;
    let warning = server.as_ref().map(judge).transpose()?.flatten();
    let pending = db
        .pending_migrations()
        .await
        .with_context(|| format!("cannot read the migrations of {shown}"))?;
    if !pending.is_empty() {
        let names = pending.join(", ");
        return Ok(Finding::Fine(format!(
            "{shown} will be migrated at the next start: {names}"
        )));
    }
    db.check_writable()
        .await
        .with_context(|| format!("cannot write to {shown}"))?;
    Ok(match warning {
        Some(warning) => Finding::Warning(format!("{warning}; {shown} is up to date")),
        None => Finding::Fine(format!("{shown} is up to date")),
    })
}

/// What is wrong with a PostgreSQL server. `None`: nothing.
fn judge(server: &ServerSettings) -> anyhow::Result<Option<String>> {
    if server.encoding != "UTF8" {
        bail!(
            "the database has the encoding {}; create it with ENCODING 'UTF8'",
            server.encoding
        );
    }
    let difference = (server.now - Clock::system().now().to_utc().timestamp() as f64).abs();
    if difference > TOLERATED_SECONDS {
        bail!("the clocks of this machine and of the database differ by {difference:.0} s; set them");
    }
    let mut warnings = Vec::new();
    if !server.unsafe_settings.is_empty() {
        warnings.push(format!(
            "PostgreSQL can lose acknowledged writes, because of {} = off",
            server.unsafe_settings.join(" and ")
        ));
    }
    if server.major_version < OLDEST_POSTGRES {
        warnings.push(format!(
            "PostgreSQL {} is older than {OLDEST_POSTGRES}, the oldest that is tested",
            server.major_version
        ));
    }
    let wanted = DbOptions::default().connections;
    if server.connections < wanted {
        warnings.push(format!(
            "PostgreSQL takes {} connections, and each process of the server has up to {wanted}; raise max_connections, or the \
             limit of the database or the role",
            server.connections
        ));
    }
    Ok((!warnings.is_empty()).then(|| warnings.join("; ")))
}

/// Looks up the records of custom hostnames at which sites are shown.
pub async fn hostnames(settings: &Settings) -> anyhow::Result<Finding> {
    let fine = |text: &str| Ok(Finding::Fine(text.to_owned()));
    let Some(db) = open_migrated(settings).await else {
        return fine("there is no database that could name hostnames");
    };
    let app = App::new(db, settings);
    let failing = custom_hostnames::failing(&app.kernel).await;
    app.kernel
        .db
        .close()
        .await
        .context("cannot close the database cleanly")?;
    let failing = failing.context("cannot read the custom hostnames")?;
    match failing.first() {
        None => fine("the DNS records of all custom hostnames are right"),
        Some(first) => Ok(Finding::Warning(format!(
            "the DNS records of {} custom hostnames are wrong, and they end when that lasts for a day: {first}",
            failing.len()
        ))),
    }
}
