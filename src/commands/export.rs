//! `bindery export`

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use entity::ids::SiteId;
use url::Url;

use super::{output::print, private_files};

use crate::{
    app::App,
    web::export::{Export, SEARCH_INDEX},
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the pages of a public site as files, for any web server
    Site(Site),
}

#[derive(Debug, Args)]
pub struct Site {
    /// Id of the site
    site: String,
    /// Directory to write to, which does not exist or is empty
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Where readers will find the files, such as https://docs.example.com/ [default: the address of the site]
    #[arg(long, value_parser = web_address)]
    url: Option<Url>,
    /// Replace an earlier export in the directory once the new one is complete
    #[arg(long)]
    replace: bool,
}

impl Command {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        let Self::Site(site) = self;
        site.run(app).await
    }
}

impl Site {
    async fn run(self, app: &App) -> anyhow::Result<()> {
        let directory = &self.directory;
        self.check_directory()?;
        let Ok(id) = self.site.parse::<SiteId>() else {
            bail!("{} is not the id of a site", self.site);
        };
        let export = Export::open(app, id, self.url.as_ref()).await?;
        // Web servers run as other users.
        private_files::end();
        let unfinished = beside(directory, "new")?;
        fs::create_dir(&unfinished).with_context(|| {
            let shown = unfinished.display();
            format!("cannot create {shown}; an export that was interrupted may have left it behind: remove it")
        })?;
        let written = match export.write(&unfinished).await {
            Ok(written) => put_in_place(&unfinished, directory).map(|()| written),
            Err(error) => Err(error),
        };
        if written.is_err() {
            // The error that is reported is the one before.
            let _ = fs::remove_dir_all(&unfinished);
        }
        let written = written?;
        print(&format!(
            "{} pages, {} files in {}\n",
            written.pages,
            written.files,
            directory.display()
        ))
    }

    fn check_directory(&self) -> anyhow::Result<()> {
        let shown = self.directory.display();
        if is_free(&self.directory)? {
            return Ok(());
        }
        ensure!(
            self.replace,
            "{shown} is not empty; --replace replaces an earlier export"
        );
        ensure!(
            self.directory.join(SEARCH_INDEX).is_file(),
            "{shown} is not replaced, because it is not an export of a site"
        );
        Ok(())
    }
}

/// Returns whether there is no directory yet, or an empty one.
fn is_free(directory: &Path) -> anyhow::Result<bool> {
    match fs::read_dir(directory) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", directory.display())),
    }
}

/// The directory of the same name with another ending, in the same place, so that it can be renamed.
fn beside(directory: &Path, ending: &str) -> anyhow::Result<PathBuf> {
    let shown = directory.display();
    let name = directory.file_name();
    let name = name.with_context(|| format!("{shown} has no name; write the path with the name of the directory"))?;
    let mut other = name.to_owned();
    other.push(format!(".{ending}"));
    Ok(directory.with_file_name(other))
}

fn put_in_place(unfinished: &Path, directory: &Path) -> anyhow::Result<()> {
    let context = || format!("cannot rename {} to {}", unfinished.display(), directory.display());
    if is_free(directory)? {
        return fs::rename(unfinished, directory).with_context(context);
    }
    let old = beside(directory, "old")?;
    fs::rename(directory, &old)
        .with_context(|| format!("cannot rename {} to {}", directory.display(), old.display()))?;
    if let Err(error) = fs::rename(unfinished, directory) {
        fs::rename(&old, directory).with_context(|| format!("the earlier export is in {}", old.display()))?;
        return Err(error).with_context(context);
    }
    fs::remove_dir_all(&old).with_context(|| format!("cannot remove {}", old.display()))
}

fn web_address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    let is_plain = matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none();
    match is_plain {
        true => Ok(url),
        false => Err("expected an address that begins with http:// or https://, without `?` and `#`".to_owned()),
    }
}
