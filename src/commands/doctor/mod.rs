//! `bindery doctor`: what operators get wrong.

mod addresses;
mod backup;
mod database;
mod files;
pub mod machine;

use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use platform::{
    config::{Flags, MissingKey, Settings},
    mail::Mailer,
};
use serde_json::json;

use super::{logs, output::print};

use crate::{areas::exchange::git_program, http::documents};

#[derive(Debug, Args)]
pub struct Command {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The result of a check that has not failed.
#[derive(Debug, PartialEq, Eq)]
pub enum Finding {
    Fine(String),
    /// The server runs, but not as the operator may think.
    Warning(String),
}

/// A check with its result.
struct Check {
    name: &'static str,
    found: anyhow::Result<Finding>,
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
        Ok(Finding::Fine(text) | Finding::Warning(text)) => (true, text.clone()),
        Err(error) => (false, format!("{error:#}")),
    };
    let warning = matches!(check.found, Ok(Finding::Warning(_)));
    json!({ "check": check.name, "ok": ok, "warning": warning, "found": text })
}

fn as_line(check: &Check) -> String {
    let name = check.name;
    match &check.found {
        Ok(Finding::Fine(text)) => format!("ok       {name:9}  {text}\n"),
        Ok(Finding::Warning(text)) => format!("warning  {name:9}  {text}\n"),
        Err(error) => format!("FAILED   {name:9}  {error:#}\n"),
    }
}

async fn examine(flags: &Flags) -> Vec<Check> {
    let check = |name, found| Check { name, found };
    let mut checks = vec![check("contract", Ok(contract())), check("clock", machine::clock())];
    let settings = match Settings::load(flags, MissingKey::Pretend) {
        Ok(settings) => settings,
        Err(error) => {
            checks.push(check("settings", Err(error)));
            return checks;
        }
    };
    logs::start_for_command(settings.log_format);
    let reached = format!("listens on {}, reached at {}", settings.listen, settings.public_url);
    let children = settings.pdf_memory.saturating_mul(settings.pdf_processes);
    checks.extend([
        check("settings", Ok(Finding::Fine(reached))),
        check("addresses", Ok(addresses::settings(&settings))),
        check(
            "memory",
            machine::memory(settings.memory, children, machine::total_memory()),
        ),
        check("limits", Ok(machine::open_files(settings.max_connections))),
        check("files", files::data_directory(&settings)),
        check("disk", machine::disk(&settings.data_dir)),
        check("blobs", files::blobs(&settings.blob_store).await),
        check("git", Ok(git(&settings).await)),
        check("mail", mail(&settings).await),
        check("dns", addresses::own_names(&settings).await),
        check("database", database::database(&settings).await),
        check("hostnames", database::hostnames(&settings).await),
        check("backup", backup::last(&settings).await),
    ]);
    checks
}

fn contract() -> Finding {
    Finding::Fine(format!("{} operations", documents::operations().len()))
}

/// Looks for the program that synchronizes spaces with repositories. The server starts without it.
async fn git(settings: &Settings) -> Finding {
    match git_program(settings).version().await {
        Ok(version) => Finding::Fine(format!("git {version}")),
        Err(error) => Finding::Warning(format!("spaces cannot be synchronized with Git: {error}")),
    }
}

/// Signs in at the mail server, and sends nothing.
async fn mail(settings: &Settings) -> anyhow::Result<Finding> {
    let Some(mail) = settings.mail() else {
        let text = "there is no mail server: invitations and proofs of addresses stay queued";
        return Ok(Finding::Warning(text.to_owned()));
    };
    let checked = Mailer::new(&mail)?.check().await;
    checked.context("cannot use the mail server of BINDERY_SMTP_URL")?;
    Ok(Finding::Fine(format!("the mail server takes mails from {}", mail.from)))
}
