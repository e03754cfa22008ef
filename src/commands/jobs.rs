//! `bindery jobs`

use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueEnum};
use entity::platform::jobs::JobState;
use platform::jobs::{Cancellation, JobFilter, JobSummary};
use sea_orm::ActiveEnum;
use serde_json::{Value, json};

use super::background;
use super::output::{Format, print, time};

use crate::app::App;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Command {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Cancel a job that is queued or running
    Cancel {
        /// Id of the job
        id: String,
    },
}

#[derive(Debug, Args)]
struct List {
    /// Only jobs in this state [default: queued, running and failed ones]
    #[arg(long, value_enum)]
    state: Option<State>,
    /// Only jobs of this kind, such as send-mail
    #[arg(long)]
    kind: Option<String>,
    /// Jobs to list at most, the newest first
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Queued,
    Running,
    Succeeded,
    Failed,
    Cancelled,
}

const COLUMNS: [&str; 7] = [
    "id",
    "kind",
    "state",
    "attempts",
    "next attempt",
    "finished",
    "last error",
];

impl Command {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        match self.action {
            Some(Action::Cancel { id }) => cancel(app, &id).await,
            None => self.list.run(app).await,
        }
    }
}

impl List {
    async fn run(self, app: &App) -> anyhow::Result<()> {
        let filter = JobFilter {
            kind: self.kind,
            state: self.state.map(stored),
        };
        let jobs = app.kernel.jobs.list(filter, self.limit.into()).await?;
        self.format.print(&COLUMNS, jobs.into_iter().map(row).collect())
    }
}

async fn cancel(app: &App, text: &str) -> anyhow::Result<()> {
    let id = text.parse().with_context(|| format!("{text} is not the id of a job"))?;
    match app.kernel.jobs.cancel(id, &background::kinds(app, None)).await? {
        Cancellation::Cancelled => print(&format!("job {id} is cancelled\n")),
        Cancellation::Unknown => bail!("there is no job {id}"),
        Cancellation::Periodic => bail!("job {id} is periodic and cannot be cancelled"),
        Cancellation::Ended(state) => bail!("job {id} has already ended: {}", state.to_value()),
    }
}

fn stored(state: State) -> JobState {
    match state {
        State::Queued => JobState::Queued,
        State::Running => JobState::Running,
        State::Succeeded => JobState::Succeeded,
        State::Failed => JobState::Failed,
        State::Cancelled => JobState::Cancelled,
    }
}

fn row(job: JobSummary) -> Value {
    json!({
        "id": job.id,
        "kind": job.kind,
        "state": job.state.to_value(),
        "attempts": job.attempts,
        "next attempt": job.next_attempt_at.map(time),
        "created": time(job.created_at),
        "finished": job.finished_at.map(time),
        "last error": job.last_error,
    })
}
