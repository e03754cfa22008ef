//! `bindery doctor`

use std::{path::Path, process::ExitCode};

use anyhow::{Context, bail};
use chrono::{DateTime, Utc};
use clap::Args;
use platform::{
    blobs::BlobStorage,
    config::{BlobAddress, Flags, MissingKey, Settings},
    db::{Backend, Clock, Db, DbOptions, IdSource},
};
use secrecy::ExposeSecret;
use serde_json::json;

use super::{
    connect::{check_writable, explained},
    logs,
    output::print,
};

use crate::{areas::exchange::git_program, http::documents};

/// No process of this version runs before its release; an earlier time means a wrong clock.
const EARLIEST: &str = "2026-01-01T00:00:00Z";

#[derive(Debug, Args)]
pub struct Command {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A check with its result.
struct Check {
    name: &'static str,
    found: anyhow::Result<String>,
}

impl Command {
    pub async fn run(self, flags: &Flags) -> anyhow::Result<ExitCode> {
        let checks = examine(flags).await;
        if self.json {
            let list: Vec<_> = checks.iter().map(as_json).collect();
            print(&(serde_json::to_string_pretty(&list)? + "\n"))?;
        } else {
            print(&checks.iter().map(as_line).collect::<String>())?;
        }
        let healthy = checks.iter().all(|check| check.found.is_ok());
        Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn as_json(check: &Check) -> serde_json::Value {
    let (ok, text) = match &check.found {
        Ok(text) => (true, text.clone()),
        Err(error) => (false, format!("{error:#}")),
    };
    json!({ "check": check.name, "ok": ok, "found": text })
}

fn as_line(check: &Check) -> String {
    match &check.found {
        Ok(text) => format!("ok      {:10}  {text}\n", check.name),
        Err(error) => format!("FAILED  {:10}  {error:#}\n", check.name),
    }
}

async fn examine(flags: &Flags) -> Vec<Check> {
    let mut checks = vec![
        Check {
            name: "contract",
            found: contract(),
        },
        Check {
            name: "clock",
            found: clock(),
        },
    ];
    let settings = match Settings::load(flags, MissingKey::Pretend) {
        Ok(settings) => settings,
        Err(error) => {
            checks.push(Check {
                name: "settings",
                found: Err(error),
            });
            return checks;
        }
    };
    logs::start_for_command(settings.log_format);
    let reached = format!("listens on {}, reached at {}", settings.listen, settings.public_url);
    checks.push(Check {
        name: "settings",
        found: Ok(reached),
    });
    checks.push(Check {
        name: "files",
        found: files(&settings.data_dir),
    });
    checks.push(Check {
        name: "blobs",
        found: blobs(&settings.blob_store).await,
    });
    checks.push(Check {
        name: "git",
        found: git(&settings).await,
    });
    checks.push(Check {
        name: "database",
        found: database(&settings).await,
    });
    checks
}

fn contract() -> anyhow::Result<String> {
    Ok(format!("{} operations", documents::operations().len()))
}

fn clock() -> anyhow::Result<String> {
    let now = Clock::system().now().to_utc();
    let earliest: DateTime<Utc> = EARLIEST.parse()?;
    if now < earliest {
        bail!("the system clock shows {now}, which is before the release of this version; set the clock");
    }
    Ok(now.to_rfc3339_opts(chrono::SecondsFormat::Secs, true))
}

fn files(directory: &Path) -> anyhow::Result<String> {
    let shown = directory.display();
    if !directory.exists() {
        return Ok(format!("{shown} does not exist yet; the server creates it"));
    }
    check_writable(directory).with_context(|| format!("cannot write to {shown}"))?;
    Ok(format!("{shown} is writable"))
}

/// Looks for the program that synchronizes spaces with repositories. The server starts without it.
async fn git(settings: &Settings) -> anyhow::Result<String> {
    match git_program(settings).version().await {
        Ok(version) => Ok(format!("git {version}")),
        Err(error) => Ok(format!("spaces cannot be synchronized with Git: {error}")),
    }
}

/// Checks the file store. An absent local directory is left for the server to create.
async fn blobs(address: &BlobAddress) -> anyhow::Result<String> {
    if let BlobAddress::Local(directory) = address
        && !directory.exists()
    {
        return Ok(format!("{address} does not exist yet; the server creates it"));
    }
    let checked = BlobStorage::new(address.clone())
        .check(IdSource::new(Clock::system()).next())
        .await;
    checked.with_context(|| format!("cannot use the file store {address}"))?;
    Ok(format!("{address} is readable and writable"))
}

/// Checks the database. An absent SQLite file is not opened, because that would create it.
async fn database(settings: &Settings) -> anyhow::Result<String> {
    let url = settings.database_url.expose_secret();
    let shown = settings.database_for_display();
    if Backend::of(url)? == Backend::Sqlite && !settings.sqlite_file().is_some_and(|path| path.exists()) {
        return Ok(format!("{shown} does not exist yet; the server creates it"));
    }
    let db = Db::connect(url, &DbOptions::default())
        .await
        .map_err(|error| explained(error, &shown))?;
    db.ping().await.with_context(|| format!("{shown} does not respond"))?;
    let pending = db
        .pending_migrations()
        .await
        .with_context(|| format!("cannot read the migrations of {shown}"))?;
    if pending.is_empty() {
        db.check_writable()
            .await
            .with_context(|| format!("cannot write to {shown}"))?;
    }
    db.close()
        .await
        .with_context(|| format!("cannot close {shown} cleanly"))?;
    match pending.as_slice() {
        [] => Ok(format!("{shown} is up to date")),
        names => Ok(format!(
            "{shown} will be migrated at the next start: {}",
            names.join(", ")
        )),
    }
}
