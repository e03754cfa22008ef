//! Websites as directories of Markdown files.
//!
//! First the pages are fetched and kept as they came, then their pictures, and then each page is written with the paths of what was fetched.

mod crawl;
mod pictures;
mod summary;
mod text;

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

use entity::exchange::import_runs::Model;
use url::Url;
use websites::Scope;

use self::{
    crawl::{Crawl, FoundPage},
    text::Target,
};
use super::fetch::{Source, in_background};
use crate::areas::exchange::{
    Exchange,
    export::{SUMMARY, links::relative_path},
    git::SyncError,
    import::ImportSource,
};

/// Fetches a website into a directory.
pub async fn fetch(exchange: &Exchange, row: &Model, directory: PathBuf) -> Result<Source, SyncError> {
    let (raw, files) = (directory.join("raw"), directory.join("files"));
    for made in [&raw, &files] {
        fs::create_dir_all(made).map_err(anyhow::Error::from)?;
    }
    let mut crawl = Crawl::new(exchange, row, raw)?;
    crawl.pages().await?;
    let pictures = crawl.pictures(&files).await?;
    let (pages, problems, scope) = (crawl.found, crawl.problems, crawl.scope);
    let addresses = pages.iter().map(|page| (page.file.clone(), page.url.to_string()));
    let addresses = addresses.collect();
    let root = files.clone();
    let written = in_background(move || write(&scope, &pages, &pictures, &root)).await?;
    written.map_err(anyhow::Error::from)?;
    Ok(Source {
        source: ImportSource::Path(files),
        addresses,
        problems,
    })
}

/// Writes the pages, with relative links to each other and to their pictures.
fn write(scope: &Scope, pages: &[FoundPage], pictures: &HashMap<Url, String>, root: &Path) -> io::Result<()> {
    let by_key: HashMap<&str, &str> = pages
        .iter()
        .map(|page| (page.key.as_str(), page.file.as_str()))
        .collect();
    for page in pages {
        let relative = |path: &str| relative_path(&page.file, path);
        let mut resolve = |target: Target, url: &Url| match target {
            Target::Page => {
                let key = scope.page(url).map(|page| scope.key(&page))?;
                by_key.get(key.as_str()).map(|path| relative(path))
            }
            Target::Picture => pictures.get(url).map(|path| relative(path)),
        };
        let bytes = fs::read(&page.raw)?;
        let text = text::read(&bytes, page.format, &page.content_type, &page.url, &mut resolve);
        let path = root.join(&page.file);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
    fs::write(root.join(SUMMARY), summary::of(&files))
}
