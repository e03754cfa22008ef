//! `bindery import`

use std::{
    io::{IsTerminal, stderr},
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::anyhow;
use clap::{ArgGroup, Args};
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use openapi::models::texts;

use super::{
    git_source::{Branch, is_address},
    output::{find_user, plain, print, text},
};

use crate::{
    app::App,
    areas::exchange::{
        git::{SyncError, once},
        import::{self, Import, ImportDestination, ImportSource, ImportTarget, Progress, Report},
    },
};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("target").required(true).args(["space", "org"]))]
pub struct Command {
    /// Directory of Markdown files, zip archive of one, or address of a Git repository, with an optional SUMMARY.md that defines the
    /// table of contents
    #[arg(value_name = "DIR|ZIP|GIT")]
    source: PathBuf,
    #[command(flatten)]
    branch: Branch,
    /// Directory in the source that is imported instead of all of it
    #[arg(long, value_name = "DIR")]
    subdirectory: Option<String>,
    /// Id of a space whose content is replaced; the old content stays in its history
    #[arg(long, value_name = "ID")]
    space: Option<String>,
    /// Id or title of an organization in which a new space is created
    #[arg(long, value_name = "ID", requires = "title")]
    org: Option<String>,
    /// Title of the new space
    #[arg(long, conflicts_with = "space", value_parser = text(&texts::SHORT_TITLE))]
    title: Option<String>,
    /// Space that addresses with this id lead to: links such as https://app.example.com/s/AbC1/some/page become references.
    /// SPACE is the id of a space, or `.` for the imported one; may be repeated
    #[arg(long, value_name = "ID=SPACE", value_parser = space_link)]
    link: Vec<(String, String)>,
    /// Author: email address or id [default: the first admin of the organization]
    #[arg(long)]
    user: Option<String>,
    /// Read and check everything, print the report, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write nothing and fail if the report has a warning
    #[arg(long)]
    strict: bool,
}

impl Command {
    pub async fn run(self, app: &App) -> anyhow::Result<ExitCode> {
        let started = Instant::now();
        let author = match &self.user {
            Some(name) => Some(find_user(app, name).await?.id),
            None => None,
        };
        let place = match (self.space, self.org) {
            (Some(space), _) => ImportDestination::Space(space),
            (None, organization) => ImportDestination::New {
                organization: organization.unwrap_or_default(),
                title: self.title.unwrap_or_default(),
            },
        };
        let target = ImportTarget::find(&app.exchange, place, author).await?;
        // Removed when the import has ended.
        let cache = tempfile::tempdir()?;
        let (source, subdirectory) = match self.source.to_str().filter(|source| is_address(source)) {
            Some(url) => {
                let request = self.branch.request(url, self.subdirectory)?;
                app.exchange.require_git().await?;
                let fetched = once::source(&app.exchange, &request, cache.path().join("repository")).await;
                let problem = |error: SyncError| anyhow!(error.problem().unwrap_or_else(|later| later.to_string()));
                (fetched.map_err(problem)?, None)
            }
            None => {
                self.branch.require_none()?;
                (ImportSource::Path(self.source), self.subdirectory)
            }
        };
        let import = Import {
            source,
            subdirectory,
            dry_run: self.dry_run,
            strict: self.strict,
            links: self.link,
        };
        let progress = Arc::new(TerminalProgress::default());
        let imported = import::run(&app.exchange, import, &target, progress.clone()).await;
        progress.end();
        let report = imported?;
        print_problems(&report);
        print(&summary(app, &report, started.elapsed()))?;
        let failed = self.strict && report.has_errors();
        Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// Parses the id in addresses, and the id of its space here.
fn space_link(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((id, space)) if !id.is_empty() && !space.is_empty() => Ok((id.to_owned(), space.to_owned())),
        _ => Err("expected the id in addresses, `=`, and the id of a space or `.`".to_owned()),
    }
}

fn print_problems(report: &Report) {
    for problem in &report.problems {
        let kind = if problem.is_error { "warning" } else { "note" };
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        eprintln!("{kind}: {}{line}: {}", plain(&problem.path), plain(&problem.message));
    }
}

fn summary(app: &App, report: &Report, time: Duration) -> String {
    let counts = &report.counts;
    let written = match report.written {
        Some((space, revision)) => format!("space     {}\nrevision  {revision}\n", app.kernel.urls.space(space)),
        None => "nothing was written\n".to_owned(),
    };
    format!(
        "{written}pages     {}, of which {} hidden; {} groups, {} links, {} computed, {} shared contents\n\
         files     {}, {}\nlinks     {} resolved, {} unresolved\ntime      {:.1} s\n",
        counts.pages,
        counts.hidden,
        counts.groups,
        counts.addresses,
        counts.computed,
        counts.reusable_contents,
        counts.files,
        HumanBytes(counts.bytes),
        counts.resolved,
        counts.unresolved,
        time.as_secs_f64(),
    )
}

/// Progress on standard error: a bar on a terminal, otherwise a line for each phase.
#[derive(Default)]
pub struct TerminalProgress(Mutex<Option<ProgressBar>>);

impl TerminalProgress {
    pub fn end(&self) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = shown.take() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for TerminalProgress {
    fn start_phase(&self, phase: &'static str, steps: usize) {
        self.end();
        if !stderr().is_terminal() {
            match steps {
                0 => eprintln!("{phase}"),
                steps => eprintln!("{phase}: {steps}"),
            }
            return;
        }
        let bar = match steps {
            0 => ProgressBar::new_spinner(),
            steps => ProgressBar::new(u64::try_from(steps).unwrap_or(u64::MAX)),
        };
        let template = if steps == 0 {
            "{spinner} {msg}"
        } else {
            "{msg:14} {wide_bar} {pos}/{len}"
        };
        // The template is a constant that parses.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(phase);
        bar.enable_steady_tick(Duration::from_millis(100));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar);
    }

    fn step(&self) {
        if let Some(bar) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            bar.inc(1);
        }
    }
}
