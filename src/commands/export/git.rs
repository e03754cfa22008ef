//! `bindery export git`

use std::{sync::Arc, time::Duration};

use anyhow::bail;
use clap::Args;
use entity::exchange::git_operations::GitOperationState;
use platform::jobs::{Kinds, Runner};
use tokio::time::sleep;

use crate::{
    app::App,
    areas::exchange::{
        git::{job::RunGitOperation, start_export, store},
        import::{ImportDestination, ImportTarget},
    },
    commands::{
        git_source::Branch,
        output::{find_user, print},
    },
};

/// The time after which the command looks again, while another process works on the space.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub struct Git {
    /// Id of the space
    space: String,
    /// Address of the repository
    #[arg(value_name = "GIT")]
    repository: String,
    #[command(flatten)]
    branch: Branch,
    /// Directory in the repository
    #[arg(long, value_name = "DIR")]
    subdirectory: Option<String>,
    /// Message of the commit
    #[arg(long, default_value = "Write the content of the space")]
    message: String,
    /// Replace the Markdown files of a branch that has some, in the first export
    #[arg(long)]
    force: bool,
    /// Who exports: email address or id [default: the first admin of the organization]
    #[arg(long)]
    user: Option<String>,
}

impl Git {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        let author = match &self.user {
            Some(name) => Some(find_user(app, name).await?.id),
            None => None,
        };
        let exchange = &app.exchange;
        let target = ImportTarget::find(exchange, ImportDestination::Space(self.space), author).await?;
        let mut request = self.branch.request(&self.repository, self.subdirectory)?;
        request.message = Some(self.message);
        request.force = self.force;
        let operation = start_export(exchange, &target, request).await?;
        let kinds = Kinds::default().with(RunGitOperation(Arc::clone(exchange)));
        let mut runner = Runner::new(app.kernel.jobs.clone(), kinds);
        let ended = loop {
            runner.run_due().await?;
            match store::operation(app.kernel.db.read(), operation).await? {
                Some(row) if row.state == GitOperationState::Queued => sleep(POLL_INTERVAL).await,
                ended => break ended,
            }
        };
        match ended.map(|row| row.problem) {
            Some(Some(problem)) => bail!("{problem}"),
            Some(None) => print("the branch has the content of the space\n"),
            None => bail!("the space was deleted"),
        }
    }
}
