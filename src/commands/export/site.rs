//! `bindery export site`

use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::Args;
use entity::ids::SiteId;
use url::Url;

use super::directory::{Unfinished, is_free};

use crate::{
    app::App,
    commands::{output::print, private_files},
    web::export::{Export, SEARCH_INDEX},
};

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

impl Site {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        let directory = &self.directory;
        self.check_directory()?;
        let Ok(id) = self.site.parse::<SiteId>() else {
            bail!("{} is not the id of a site", self.site);
        };
        let export = Export::open(app, id, self.url.as_ref()).await?;
        // Web servers run as other users.
        private_files::end();
        let unfinished = Unfinished::beside(directory)?;
        let written = export.write(unfinished.path()).await?;
        unfinished.put_in_place(directory)?;
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

fn web_address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    let is_plain = matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none();
    match is_plain {
        true => Ok(url),
        false => Err("expected an address that begins with http:// or https://, without `?` and `#`".to_owned()),
    }
}
