//! The files of an export.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use futures_util::TryStreamExt;
use platform::{
    blobs::{self, SignedFile, StoredBlob},
    hash::Hash,
};
use tokio::{fs, io::AsyncWriteExt};

use crate::{app::App, areas::publishing::custom_fonts::files as fonts};

/// The page for addresses without a page.
pub const NOT_FOUND: &str = "404.html";

/// Bytes of a part of a path.
const MAX_PART: usize = 200;

/// Characters of the name of a copied file.
const MAX_NAME: usize = 60;

/// The file of the page at a path.
pub fn page_file(path: &str) -> String {
    match path {
        "" => "index.html".to_owned(),
        path => format!("{}/index.html", plain_file(path)),
    }
}

/// The file at a path. No folder has the name of a file of pages, and no name is longer than file systems allow.
pub fn plain_file(path: &str) -> String {
    let part = |part: &str| match part {
        "index.html" | NOT_FOUND => format!("{part}~"),
        part if part.len() > MAX_PART => {
            let name: String = part.chars().take(MAX_PART / 8).collect();
            let end = Path::new(part).extension().and_then(|end| end.to_str());
            let end = end.filter(|end| end.len() < MAX_PART / 8).map(|end| format!(".{end}"));
            format!("{name}~{}{}", Hash::of(part.as_bytes()), end.unwrap_or_default())
        }
        part => part.to_owned(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// The directory that is filled.
pub struct Folder<'a> {
    path: &'a Path,
    files: std::collections::HashSet<String>,
}

impl<'a> Folder<'a> {
    pub fn new(path: &'a Path) -> Self {
        Self {
            path,
            files: Default::default(),
        }
    }

    pub fn count(&self) -> usize {
        self.files.len()
    }

    pub async fn write(&mut self, file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.prepare(file).await?;
        let written = fs::write(&path, bytes).await;
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    pub async fn read(&self, file: &str) -> anyhow::Result<String> {
        let path = self.path.join(file);
        let read = fs::read_to_string(&path).await;
        read.with_context(|| format!("cannot read {}", path.display()))
    }

    /// Copies a stored file, and returns its path. `None`: the file is gone.
    pub async fn copy_file(&mut self, app: &App, file: &SignedFile) -> anyhow::Result<Option<String>> {
        let blob = blobs::find(app.kernel.db.read(), file.space, file.hash).await?;
        let name = format!("~/files/{}/{}", file.hash, plain_name(&file.name));
        self.copy(app, blob, name).await
    }

    /// The same for a file of a font, by its path.
    pub async fn copy_font(&mut self, app: &App, path: &str) -> anyhow::Result<Option<String>> {
        let Some((font, name)) = path.split_once('/') else {
            return Ok(None);
        };
        let file = fonts::find(&app.kernel, font, name).await?;
        let blob = file.map(|file| file.blob);
        self.copy(app, blob, format!("~/fonts/{name}")).await
    }

    async fn copy(&mut self, app: &App, blob: Option<StoredBlob>, name: String) -> anyhow::Result<Option<String>> {
        let Some(blob) = blob else {
            return Ok(None);
        };
        let path = self.prepare(&name).await?;
        let context = || format!("cannot copy a file of a page to {}", path.display());
        let mut bytes = app.kernel.blobs.objects.stream(blob.name, 0..blob.size).await?;
        let mut copy = fs::File::create(&path).await.with_context(context)?;
        while let Some(part) = bytes.try_next().await.with_context(context)? {
            copy.write_all(&part).await.with_context(context)?;
        }
        copy.flush().await.with_context(context)?;
        Ok(Some(name))
    }

    /// The path of a file, whose folders are made.
    async fn prepare(&mut self, file: &str) -> anyhow::Result<PathBuf> {
        let is_within = file.split('/').all(|part| !matches!(part, "" | "." | ".."));
        ensure!(is_within, "{file} is no path of a file");
        let path = self.path.join(file);
        if let Some(folder) = path.parent() {
            let made = fs::create_dir_all(folder).await;
            made.with_context(|| format!("cannot create {}", folder.display()))?;
        }
        self.files.insert(file.to_owned());
        Ok(path)
    }
}

/// The name of a file without what a path cannot have, and with its extension.
fn plain_name(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let characters: Vec<char> = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let end = characters.iter().skip(characters.len().saturating_sub(MAX_NAME));
    let name: String = end.collect();
    match name.trim_start_matches('.') {
        "" => "file".to_owned(),
        name => name.to_owned(),
    }
}
