//! The files that pages refer to.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use anyhow::ensure;
use content::pages::File;
use entity::ids::FileId;

use super::{
    Progress, Report, Source,
    existing::ExistingContent,
    ids::ImportIds,
    names,
    repository::{ASSETS_ROOT, Listing, MAX_FILE, MAX_TOTAL},
};

use crate::{
    areas::authoring::editor::uploads::{check_name, of_bytes, of_name_and_bytes, store_file},
    areas::exchange::Exchange,
};

/// The extensions for names without one.
const TEXT: &str = ".txt";
const BINARY: &str = ".bin";
/// The extensions of pictures, by their media types.
const PICTURES: [(&str, &str); 5] = [
    ("image/png", ".png"),
    ("image/jpeg", ".jpg"),
    ("image/gif", ".gif"),
    ("image/webp", ".webp"),
    ("image/svg+xml", ".svg"),
];

/// The imported files, by their paths.
#[derive(Default)]
pub struct Files {
    imported: BTreeMap<String, ImportedFile>,
    /// The reasons why other files cannot be imported.
    unusable: BTreeMap<String, String>,
    /// Unmatched files of the space, by name and size.
    existing: HashMap<(String, u64), Vec<FileId>>,
    /// Files of the space by their paths.
    known: HashMap<String, FileId>,
}

struct ImportedFile {
    id: FileId,
    /// `None`: the bytes are not stored yet.
    stored: Option<File>,
}

impl Files {
    /// Adds all files of the assets directory, even those without references.
    pub fn of(ids: &ImportIds, listing: &Listing, existing: &ExistingContent) -> Self {
        let mut files = Self {
            existing: existing.files.clone(),
            known: existing.known.files.clone(),
            ..Self::default()
        };
        let assets = format!("{ASSETS_ROOT}/assets/");
        for path in listing.keys().filter(|path| path.starts_with(&assets)) {
            files.add(ids, listing, path);
        }
        files
    }

    /// Adds a file and returns its id. `None`: the file is absent or cannot be imported.
    pub fn add(&mut self, ids: &ImportIds, listing: &Listing, path: &str) -> Option<FileId> {
        if let Some(file) = self.imported.get(path) {
            return Some(file.id);
        }
        let size = *listing.get(path)?;
        if self.unusable.contains_key(path) {
            return None;
        }
        if let Err(why) = usable(path, size) {
            self.unusable.insert(path.to_owned(), why);
            return None;
        }
        let id = self.existing_id(path, size).unwrap_or_else(|| ids.next());
        self.imported.insert(path.to_owned(), ImportedFile { id, stored: None });
        Some(id)
    }

    /// Returns the id of the same file of the space.
    fn existing_id(&mut self, path: &str, size: u64) -> Option<FileId> {
        if let Some(known) = self.known.get(path) {
            return Some(*known);
        }
        let name = names::file_name(path);
        // Stored names have an extension.
        let endings = ["", TEXT, BINARY].into_iter().chain(PICTURES.map(|(_, ending)| ending));
        endings
            .map(|ending| format!("{name}{ending}"))
            .find_map(|name| self.existing.get_mut(&(name, size))?.pop())
    }

    /// Stores the bytes of all files, one after the other; a dry run only reads them. Returns false if some could not be
    /// read: no page may refer to these.
    pub(super) async fn store(
        &mut self,
        exchange: &Exchange,
        source: &Arc<Source>,
        dry_run: bool,
        progress: &dyn Progress,
    ) -> anyhow::Result<bool> {
        let total: u64 = self.imported.keys().filter_map(|path| source.listing.get(path)).sum();
        ensure!(
            total <= MAX_TOTAL,
            "the referenced files have {total} bytes; at most {MAX_TOTAL} can be imported"
        );
        progress.start_phase("Storing files", self.imported.len());
        let mut lost = Vec::new();
        for (path, imported) in &mut self.imported {
            progress.step();
            if imported.stored.is_some() {
                continue;
            }
            let (reader, file) = (Arc::clone(source), path.clone());
            let read = tokio::task::spawn_blocking(move || reader.repository.read(&file, MAX_FILE)).await?;
            match read {
                Ok(bytes) => imported.stored = Some(stored(exchange, imported.id, path, bytes, dry_run).await?),
                Err(error) => lost.push((path.clone(), format!("The file cannot be read: {error}."))),
            }
        }
        let none_lost = lost.is_empty();
        for (path, why) in lost {
            self.imported.remove(&path);
            self.unusable.insert(path, why);
        }
        Ok(none_lost)
    }

    /// The imported files by their paths.
    pub fn by_path(&self) -> impl Iterator<Item = (&str, FileId)> {
        self.imported.iter().map(|(path, file)| (path.as_str(), file.id))
    }

    pub fn stored(&self) -> impl Iterator<Item = &File> {
        self.imported.values().filter_map(|file| file.stored.as_ref())
    }

    pub fn report(&self, report: &mut Report) {
        for (path, why) in &self.unusable {
            report.error(path, why);
        }
    }
}

fn usable(path: &str, size: u64) -> Result<(), String> {
    if size > MAX_FILE {
        return Err(format!("The file has more than {MAX_FILE} bytes and is not imported."));
    }
    let name = names::file_name(path);
    match check_name(name) {
        // A name without an extension gets one.
        Err(_) if check_name(&format!("{name}{TEXT}")).is_ok() => Ok(()),
        Err(why) => Err(format!("The file name cannot be imported. {why}")),
        Ok(()) => Ok(()),
    }
}

/// Stores the bytes of a file. A name without an extension gets one.
pub async fn stored(
    exchange: &Exchange,
    id: FileId,
    path: &str,
    bytes: Vec<u8>,
    dry_run: bool,
) -> anyhow::Result<File> {
    let is_text = std::str::from_utf8(&bytes).is_ok();
    let mut name = names::file_name(path).to_owned();
    if check_name(&name).is_err() && check_name(&format!("{name}{TEXT}")).is_err() {
        "file".clone_into(&mut name);
    }
    if check_name(&name).is_err() {
        let seen = of_bytes(&bytes);
        let picture = PICTURES.iter().find(|(media_type, _)| *media_type == seen);
        let other = if is_text { TEXT } else { BINARY };
        name.push_str(picture.map_or(other, |(_, ending)| ending));
    }
    let content_type = of_name_and_bytes(&name, &bytes);
    Ok(store_file(&exchange.kernel, id, name, content_type, bytes.into(), !dry_run).await?)
}
