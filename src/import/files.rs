//! The files that pages refer to.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use anyhow::ensure;
use content::pages::File;
use entity::ids::FileId;

use super::{
    Progress, Report, Source, names,
    reading::{KEPT, Listing, MAX_FILE, MAX_TOTAL},
};
use crate::{
    app::App,
    areas::authoring::editor::uploads::{check_name, of_extension, store_file},
};

/// What a name gets that has no extension.
const TEXT: &str = ".txt";
const BINARY: &str = ".bin";

/// Those that are imported, by their paths.
#[derive(Default)]
pub struct Files {
    wanted: BTreeMap<String, Wanted>,
    /// Why others are not.
    unusable: BTreeMap<String, String>,
    /// Those that the space has, by name and size, until they come again.
    kept: HashMap<(String, u64), Vec<FileId>>,
}

struct Wanted {
    id: FileId,
    /// None until its bytes are stored.
    stored: Option<File>,
}

impl Files {
    /// What repositories keep for their pages is imported whether a page refers to it or not.
    pub fn of(app: &App, listing: &Listing, kept: HashMap<(String, u64), Vec<FileId>>) -> Self {
        let mut files = Self {
            kept,
            ..Self::default()
        };
        let assets = format!("{KEPT}/assets/");
        for path in listing.keys().filter(|path| path.starts_with(&assets)) {
            files.want(app, listing, path);
        }
        files
    }

    /// The id that a file will have; none if it is not there or cannot be taken.
    pub fn want(&mut self, app: &App, listing: &Listing, path: &str) -> Option<FileId> {
        if let Some(wanted) = self.wanted.get(path) {
            return Some(wanted.id);
        }
        let size = *listing.get(path)?;
        if self.unusable.contains_key(path) {
            return None;
        }
        if let Err(why) = usable(path, size) {
            self.unusable.insert(path.to_owned(), why);
            return None;
        }
        let id = self.again(path, size).unwrap_or_else(|| app.ids.next());
        self.wanted.insert(path.to_owned(), Wanted { id, stored: None });
        Some(id)
    }

    /// The id of a file that the space has.
    fn again(&mut self, path: &str, size: u64) -> Option<FileId> {
        let name = names::file_name(path);
        // As they are stored.
        let names = ["", TEXT, BINARY].map(|ending| format!("{name}{ending}"));
        names
            .into_iter()
            .find_map(|name| self.kept.get_mut(&(name, size))?.pop())
    }

    /// Stores the bytes of all that is wanted, one after the other; a dry run only reads them. False if some could not be
    /// read: nothing may refer to these.
    pub(super) async fn store(
        &mut self,
        app: &App,
        source: &Arc<Source>,
        dry_run: bool,
        progress: &dyn Progress,
    ) -> anyhow::Result<bool> {
        let total: u64 = self.wanted.keys().filter_map(|path| source.listing.get(path)).sum();
        ensure!(
            total <= MAX_TOTAL,
            "the files are larger than {MAX_TOTAL} bytes together"
        );
        progress.begin("Storing files", self.wanted.len());
        let mut lost = Vec::new();
        for (path, wanted) in &mut self.wanted {
            progress.step();
            if wanted.stored.is_some() {
                continue;
            }
            let (reader, file) = (Arc::clone(source), path.clone());
            let read = tokio::task::spawn_blocking(move || reader.directory.read(&file, MAX_FILE)).await?;
            match read {
                Ok(bytes) => wanted.stored = Some(stored(app, wanted.id, path, bytes, dry_run).await?),
                Err(error) => lost.push((path.clone(), format!("Cannot be read: {error}."))),
            }
        }
        let none_lost = lost.is_empty();
        for (path, why) in lost {
            self.wanted.remove(&path);
            self.unusable.insert(path, why);
        }
        Ok(none_lost)
    }

    pub fn stored(&self) -> impl Iterator<Item = &File> {
        self.wanted.values().filter_map(|wanted| wanted.stored.as_ref())
    }

    pub fn report(&self, report: &mut Report) {
        for (path, why) in &self.unusable {
            report.error(path, why);
        }
    }
}

fn usable(path: &str, size: u64) -> Result<(), String> {
    if size > MAX_FILE {
        return Err(format!("Is larger than {MAX_FILE} bytes: it is not imported."));
    }
    let name = names::file_name(path);
    match check_name(name) {
        // One without an extension gets one.
        Err(_) if check_name(&format!("{name}{TEXT}")).is_ok() => Ok(()),
        Err(why) => Err(format!("The name cannot be kept. {why}")),
        Ok(()) => Ok(()),
    }
}

async fn stored(app: &App, id: FileId, path: &str, bytes: Vec<u8>, dry_run: bool) -> anyhow::Result<File> {
    let is_text = std::str::from_utf8(&bytes).is_ok();
    let mut name = names::file_name(path).to_owned();
    if check_name(&name).is_err() {
        name.push_str(if is_text { TEXT } else { BINARY });
    }
    let content_type = of_extension(&name, is_text);
    Ok(store_file(app, id, name, content_type, bytes.into(), !dry_run).await?)
}
