//! `bindery export`

mod directory;
mod git;
mod site;
mod space;

use clap::Subcommand;

use crate::app::App;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the pages of a public site as files, for any web server
    Site(site::Site),
    /// Write the content of a space as Markdown files, in the layout that `bindery import` reads
    Space(space::Space),
    /// Write what has changed in the content of a space to a branch of a Git repository, as one commit
    Git(git::Git),
}

impl Command {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        match self {
            Self::Site(site) => site.run(app).await,
            Self::Space(space) => space.run(app).await,
            Self::Git(git) => git.run(app).await,
        }
    }
}
