//! `bindery export space`

use std::path::PathBuf;

use anyhow::{Context, ensure};
use bytes::Bytes;
use clap::Args;
use indicatif::HumanBytes;
use tokio::fs;

use super::directory::{Unfinished, is_free};
use crate::{
    app::App,
    areas::{
        authoring::editor::write::load_revision,
        exchange::{
            export::write::{Sink, write},
            import::find_space,
        },
    },
    commands::{output::print, private_files},
};

#[derive(Debug, Args)]
pub struct Space {
    /// Id of the space
    space: String,
    /// Directory to write to, which does not exist or is empty
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Id of an earlier revision [default: the current content]
    #[arg(long, value_name = "ID")]
    revision: Option<String>,
}

impl Space {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        let shown = self.directory.display();
        ensure!(is_free(&self.directory)?, "{shown} is not empty");
        let node = find_space(&app.exchange, &self.space).await?;
        let id = match &self.revision {
            Some(id) => id
                .parse()
                .with_context(|| format!("{id} is not the id of a revision"))?,
            None => app.exchange.current_revision(node.id).await?,
        };
        let revision = load_revision(&app.contents, node.id, id).await?;
        private_files::end();
        let unfinished = Unfinished::beside(&self.directory)?;
        let mut folder = Folder(unfinished.path().to_owned());
        let written = write(&app.exchange, node.id, revision.snapshot, &mut folder).await?;
        unfinished.put_in_place(&self.directory)?;
        print(&format!(
            "{} files, {} in {shown}\n",
            written.files,
            HumanBytes(written.bytes)
        ))
    }
}

struct Folder(PathBuf);

impl Sink for Folder {
    async fn put(&mut self, path: &str, bytes: Bytes) -> anyhow::Result<()> {
        let file = self.0.join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).await?;
        }
        fs::write(&file, bytes)
            .await
            .with_context(|| format!("cannot write {}", file.display()))
    }
}
