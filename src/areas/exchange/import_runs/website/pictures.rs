//! The pictures that pages show.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
};

use url::Url;

use super::crawl::Crawl;
use crate::areas::exchange::{git::SyncError, import_runs::fetch::in_background};

/// The directory of pictures in that of the website.
const DIRECTORY: &str = ".gitbook/assets";

/// The longest name.
const MAX_NAME: usize = 80;

impl Crawl<'_> {
    /// Fetches the pictures of the pages. Returns their paths.
    pub async fn pictures(&mut self, root: &Path) -> Result<HashMap<Url, String>, SyncError> {
        fs::create_dir_all(root.join(DIRECTORY)).map_err(anyhow::Error::from)?;
        let (mut paths, mut names) = (HashMap::new(), HashSet::new());
        let mut seen = HashSet::new();
        for url in std::mem::take(&mut self.pictures_wanted) {
            if !seen.insert(url.clone()) {
                continue;
            }
            let fetched = match self.get(&url).await? {
                Ok(fetched) => fetched,
                Err(error) => {
                    self.note(&url, format!("The picture {error}."));
                    continue;
                }
            };
            let content_type = fetched.content_type.as_deref().unwrap_or("image/");
            if !content_type.starts_with("image/") && !content_type.starts_with("application/octet-stream") {
                self.note(&url, "The address has no picture.");
                continue;
            }
            let name = name(&url);
            let name = match names.insert(name.to_lowercase()) {
                true => name,
                // No other name begins with this number: there is one for each picture.
                false => format!("{}-{name}", seen.len()),
            };
            let (path, file) = (format!("{DIRECTORY}/{name}"), root.join(DIRECTORY).join(&name));
            let written = in_background(move || fs::write(file, &fetched.bytes)).await?;
            written.map_err(anyhow::Error::from)?;
            paths.insert(url, path);
        }
        Ok(paths)
    }
}

/// The name of a picture as one that every file system has.
fn name(url: &Url) -> String {
    let last = url.path().rsplit('/').next().unwrap_or_default();
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    let name: String = last.chars().map(kept).collect();
    let skipped = name.chars().count().saturating_sub(MAX_NAME);
    let name: String = name.chars().skip(skipped).collect();
    match name.trim_start_matches('.') {
        "" => "picture".to_owned(),
        name => name.to_owned(),
    }
}
