//! `bindery integration`

use clap::Subcommand;

use super::output::print;

use crate::{app::App, areas::integrations::integrations};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Mark an integration as verified, for everybody who sees it
    Verify {
        /// Name of the integration
        name: String,
        /// End the mark
        #[arg(long)]
        undo: bool,
    },
}

impl Command {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        let Self::Verify { name, undo } = self;
        integrations::set_verified(&app.kernel, &name, !undo).await?;
        let becomes = if undo {
            "is not verified any more"
        } else {
            "is verified"
        };
        print(&format!("{name} {becomes}\n"))
    }
}
