//! The difference of two revisions as a difference of files.

use std::collections::HashMap;

use bytes::Bytes;
use content::{
    merge::apply_changes,
    objects::{Content, Hash},
};
use entity::ids::{FileId, NodeId, PageId, ReusableContentId};
use platform::db::Reads;

use super::{SyncError, git_tree::GitTree};
use crate::areas::exchange::{
    Exchange,
    export::{Exported, ExportedFile, texts, write},
};

/// Texts that are read at a time.
const BATCH: usize = 64;

/// A file that changes, by its path from the root of the space.
pub enum FileChange {
    Put(String, Bytes),
    Delete(String),
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Summary,
    Variables,
    Page(PageId),
    ReusableContent(ReusableContentId),
    Asset(FileId),
}

impl Key {
    fn of(file: &ExportedFile) -> Self {
        match file {
            ExportedFile::Summary => Self::Summary,
            ExportedFile::Variables => Self::Variables,
            ExportedFile::Page(page) => Self::Page(page.id),
            ExportedFile::ReusableContent(content) => Self::ReusableContent(content.id),
            ExportedFile::Asset(file) => Self::Asset(file.id),
        }
    }
}

/// Finds what changes in the files of a commit.
pub struct Difference<'a> {
    pub exchange: &'a Exchange,
    pub space: NodeId,
    /// The revision that has the content of the commit. `None`: nothing has.
    pub old: Option<&'a Exported>,
    pub new: &'a Exported,
    pub tree: &'a GitTree,
}

impl Difference<'_> {
    /// Lists the changes: deletions first.
    pub async fn changes(&self, content: &mut Content<'_, Reads>) -> Result<Vec<FileChange>, SyncError> {
        let mut old: HashMap<Key, (String, ExportedFile)> = HashMap::new();
        if let Some(exported) = self.old {
            old.extend(
                exported
                    .files()
                    .into_iter()
                    .map(|(path, file)| (Key::of(&file), (path, file))),
            );
        }
        let (mut deleted, mut put) = (Vec::new(), Vec::new());
        let is_moved = self.old.is_none_or(|old| old.paths() != self.new.paths());
        let mut texts_to_compare = Vec::new();
        for (path, file) in self.new.files() {
            let before = old.remove(&Key::of(&file));
            if let Some((old_path, _)) = &before
                && *old_path != path
                && self.tree.oid(old_path).is_some()
            {
                deleted.push(FileChange::Delete(old_path.clone()));
            }
            let is_same = before
                .as_ref()
                .is_some_and(|(old_path, old)| *old_path == path && *old == file);
            match &file {
                ExportedFile::Asset(asset) => {
                    if !is_same {
                        let bytes = write::read(self.exchange, self.space, asset).await?;
                        put.push(FileChange::Put(path, bytes));
                    }
                }
                ExportedFile::Summary => texts_to_compare.push((path, file, before)),
                _ if is_same && !is_moved => {}
                _ => texts_to_compare.push((path, file, before)),
            }
        }
        let gone = old
            .into_values()
            .map(|(path, _)| path)
            .filter(|path| self.tree.oid(path).is_some());
        deleted.extend(gone.map(FileChange::Delete));
        for batch in texts_to_compare.chunks(BATCH) {
            let mut hashes = Vec::new();
            for (_, file, before) in batch {
                hashes.extend(file.document());
                hashes.extend(before.as_ref().and_then(|(_, before)| before.document()));
            }
            let stored = texts(content, hashes).await?;
            for (path, file, before) in batch {
                let changed = self.text(path, file, before.as_ref(), &stored).await?;
                put.extend(changed.map(|(path, text)| FileChange::Put(path, text.into())));
            }
        }
        deleted.extend(put);
        Ok(deleted)
    }

    /// The new text of a file, and its path. `None`: it stays as it is.
    async fn text(
        &self,
        path: &str,
        file: &ExportedFile,
        before: Option<&(String, ExportedFile)>,
        stored: &HashMap<Hash, String>,
    ) -> Result<Option<(String, String)>, SyncError> {
        let stored = |file: &ExportedFile| {
            file.document()
                .and_then(|hash| stored.get(&hash))
                .map(String::as_str)
                .unwrap_or_default()
        };
        // Where the table of contents is, the repository says.
        let place = |path: &str, file: &ExportedFile| match file {
            ExportedFile::Summary => self.tree.summary().to_owned(),
            _ => path.to_owned(),
        };
        let new_path = place(path, file);
        let work = self.exchange.kernel.work.start(stored(file).len()).await?;
        let Some(new) = work.run(|| self.new.text(&new_path, file, stored(file))) else {
            return Ok(None);
        };
        let (Some((old_path, old_file)), Some(exported)) = (before, self.old) else {
            return Ok(Some((new_path, new)));
        };
        let old_path = place(old_path, old_file);
        let Some(old) = work.run(|| exported.text(&old_path, old_file, stored(old_file))) else {
            return Ok(None);
        };
        if old == new && old_path == new_path {
            return Ok(None);
        }
        let Some(present) = self.tree.read(&old_path).await? else {
            return Ok(Some((new_path, new)));
        };
        let present = String::from_utf8_lossy(&present).into_owned();
        let text = work.run(|| changed(&present, &old, &new));
        let is_same = text == present && old_path == new_path;
        Ok((!is_same).then_some((new_path, text)))
    }
}

/// The text of a file with the lines that changed. The line ends of the file stay.
fn changed(present: &str, old: &str, new: &str) -> String {
    let has_crlf = present.contains("\r\n");
    let plain = present.replace("\r\n", "\n");
    let text = apply_changes(old, &plain, new);
    match has_crlf {
        true => text.replace('\n', "\r\n"),
        false => text,
    }
}
