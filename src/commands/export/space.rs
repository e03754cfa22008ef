//! `bindery export space`

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use bytes::Bytes;
use clap::Args;
use content::revisions::Revision;
use futures_util::StreamExt;
use indicatif::HumanBytes;
use tokio::{fs, io::AsyncWriteExt};

use super::directory::{Unfinished, is_free};
use crate::{
    app::App,
    areas::{
        authoring::editor::write::load_revision,
        exchange::{
            content_exports::Zip,
            export::write::{Sink, Written, write},
            import::find_space,
        },
    },
    commands::{output::print, private_files},
    web::export::Folder,
};

#[derive(Debug, Args)]
pub struct Space {
    /// Id of the space
    space: String,
    /// Directory to write to, which does not exist or is empty, or a new file that ends in .zip
    #[arg(value_name = "DIR|ZIP")]
    target: PathBuf,
    /// Id of an earlier revision [default: the current content]
    #[arg(long, value_name = "ID")]
    revision: Option<String>,
}

impl Space {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        let is_zip = self
            .target
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("zip"));
        let shown = self.target.display();
        ensure!(
            if is_zip {
                !self.target.exists()
            } else {
                is_free(&self.target)?
            },
            "{shown} is there already"
        );
        let node = find_space(&app.exchange, &self.space).await?;
        let revision = match &self.revision {
            Some(id) => {
                let parsed = id.parse();
                let id = parsed.with_context(|| format!("{id} is not the id of a revision"))?;
                load_revision(&app.contents, node.id, id).await?
            }
            None => app.exchange.head(node.id).await?,
        };
        private_files::end();
        let written = match is_zip {
            true => write_zip(app, &revision, &self.target).await?,
            false => write_directory(app, &revision, &self.target).await?,
        };
        print(&format!(
            "{} files, {} in {shown}\n",
            written.files,
            HumanBytes(written.bytes)
        ))
    }
}

async fn write_directory(app: &App, revision: &Revision, target: &Path) -> anyhow::Result<Written> {
    let unfinished = Unfinished::beside(target)?;
    let mut folder = Folder::new(unfinished.path());
    let written = write(&app.exchange, revision.space, revision.snapshot, &mut folder).await?;
    unfinished.put_in_place(target)?;
    Ok(written)
}

/// The file gets its name once it is complete.
async fn write_zip(app: &App, revision: &Revision, target: &Path) -> anyhow::Result<Written> {
    let unfinished = target.with_extension("zip.new");
    let (sink, mut bytes) = archive::stream();
    let file = fs::File::create(&unfinished).await;
    let mut file = file.with_context(|| format!("cannot create {}", unfinished.display()))?;
    let copy = async {
        while let Some(chunk) = bytes.next().await {
            file.write_all(&chunk?).await?;
        }
        Ok::<_, anyhow::Error>(file.sync_all().await?)
    };
    let make = async {
        let mut zip = Zip(sink);
        let written = write(&app.exchange, revision.space, revision.snapshot, &mut zip).await?;
        zip.0.finish().await?;
        Ok(written)
    };
    match tokio::try_join!(make, copy) {
        Ok((written, ())) => {
            fs::rename(&unfinished, target).await?;
            Ok(written)
        }
        Err(error) => {
            // The error that is reported is the one before.
            let _ = fs::remove_file(&unfinished).await;
            Err(error)
        }
    }
}

impl Sink for Folder<'_> {
    async fn put(&mut self, path: &str, bytes: Bytes) -> anyhow::Result<()> {
        self.write(path, &bytes).await
    }
}
