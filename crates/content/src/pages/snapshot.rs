//! Snapshots: the content of a revision, and changes that are not stored yet.

use std::{cell::RefCell, collections::BTreeMap};

use entity::ids::{FileId, PageId, ReusableContentId};
use serde::{Deserialize, Serialize};

use super::{File, Overlay, Page, ReusableContent, Variable, place::Place};
use crate::{
    objects::{Hash, Missing, Objects, SMALL_BYTES},
    trie::{Changes, Trie},
};

/// The bytes of the values of a snapshot: the titles, descriptions and settings of pages, files, reusable contents and variables. Some
/// requests read all of them at once.
pub const MAX_BYTES: u64 = 48 * 1024 * 1024;

/// The content of a revision. Snapshots with the same content are equal.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// By the page above and the slug.
    pub pages: Trie,
    /// Where each page is, by its id.
    pub places: Trie,
    /// By their ids.
    pub files: Trie,
    /// By their ids.
    pub reusable_contents: Trie,
    /// By the hashes of their names.
    #[serde(default)]
    pub variables: Trie,
    /// The ids of the placeholders for computed pages, which are few.
    #[serde(default)]
    pub placeholders: Trie,
    /// The bytes of the values of pages, files, reusable contents and variables. Content from before they were counted has none.
    #[serde(default)]
    pub bytes: u64,
}

impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        self.tries() == other.tries()
    }
}

impl Eq for Snapshot {}

impl Snapshot {
    /// Returns whether a request that reads all of it is large.
    pub fn is_large(&self) -> bool {
        usize::try_from(self.bytes).is_ok_and(|bytes| bytes > SMALL_BYTES)
    }

    /// The objects that everything else hangs on, together with the texts of these pages.
    pub fn roots(&self) -> impl Iterator<Item = Hash> {
        self.tries().into_iter().filter_map(|trie| trie.root())
    }

    fn tries(&self) -> [Trie; 6] {
        [
            self.pages,
            self.places,
            self.files,
            self.reusable_contents,
            self.variables,
            self.placeholders,
        ]
    }
}

/// The pages of a snapshot, with changes that are made to it.
pub struct Pages<'o> {
    pub(super) objects: &'o Objects,
    pub(super) base: Snapshot,
    /// Overrides the snapshot; `None` is a removed page.
    pub(super) pages: BTreeMap<Vec<u8>, Option<Page>>,
    pub(super) places: BTreeMap<PageId, Option<Place>>,
    pub(super) files: BTreeMap<FileId, Option<File>>,
    pub(super) reusable_contents: BTreeMap<ReusableContentId, Option<ReusableContent>>,
    pub(super) variables: BTreeMap<Vec<u8>, Option<Variable>>,
    /// The pages that changed: whether each is a placeholder for computed pages.
    pub(super) placeholders: BTreeMap<PageId, Option<()>>,
    /// Pages that were read before: editing asks for the same ones again and again.
    pub(super) read: RefCell<BTreeMap<Vec<u8>, Page>>,
    /// Computed pages, for reading.
    pub(super) overlay: Option<&'o Overlay>,
}

impl<'o> Pages<'o> {
    pub fn of(objects: &'o Objects, snapshot: Snapshot) -> Self {
        Self {
            objects,
            base: snapshot,
            pages: BTreeMap::new(),
            places: BTreeMap::new(),
            files: BTreeMap::new(),
            reusable_contents: BTreeMap::new(),
            variables: BTreeMap::new(),
            placeholders: BTreeMap::new(),
            read: RefCell::default(),
            overlay: None,
        }
    }

    /// The pages of a snapshot together with computed pages, for reading.
    pub fn with_computed(objects: &'o Objects, snapshot: Snapshot, overlay: &'o Overlay) -> Self {
        Self {
            overlay: Some(overlay),
            ..Self::of(objects, snapshot)
        }
    }

    pub fn objects(&self) -> &'o Objects {
        self.objects
    }

    /// The snapshot with all changes.
    pub fn finish(self) -> Result<Snapshot, Missing> {
        let objects = self.objects;
        let places = self.places.iter().map(|(id, place)| (id.as_uuid(), place));
        let files = self.files.iter().map(|(id, file)| (id.as_uuid(), file));
        let reusable = self.reusable_contents.iter().map(|(id, it)| (id.as_uuid(), it));
        let placeholders = self.placeholders.iter().map(|(id, is_there)| (id.as_uuid(), is_there));
        let (pages, variables) = (by_key(&self.pages), by_key(&self.variables));
        let (files, reusable) = (by_id(files), by_id(reusable));
        let bytes = [
            (&self.base.pages, &pages),
            (&self.base.files, &files),
            (&self.base.reusable_contents, &reusable),
            (&self.base.variables, &variables),
        ]
        .map(|(base, changes)| growth(objects, base, changes));
        let pages = self.base.pages.changed(objects, &pages);
        let places = self.base.places.changed(objects, &by_id(places));
        let files = self.base.files.changed(objects, &files);
        let reusable = self.base.reusable_contents.changed(objects, &reusable);
        let variables = self.base.variables.changed(objects, &variables);
        let placeholders = self.base.placeholders.changed(objects, &by_id(placeholders));
        let growth = bytes.into_iter().sum::<Result<i64, Missing>>()?;
        Ok(Snapshot {
            pages: pages?,
            places: places?,
            files: files?,
            reusable_contents: reusable?,
            variables: variables?,
            placeholders: placeholders?,
            bytes: self.base.bytes.saturating_add_signed(growth),
        })
    }
}

/// The bytes that changes add to the values of a map.
fn growth(objects: &Objects, base: &Trie, changes: &Changes) -> Result<i64, Missing> {
    let length = |value: &[u8]| i64::try_from(value.len()).unwrap_or(i64::MAX);
    let of_changes = changes.iter().map(|(key, after)| {
        let before = base.get(objects, key)?;
        Ok(after.as_deref().map_or(0, length) - before.as_deref().map_or(0, length))
    });
    // All of them are asked for before the first missing object ends it.
    let of_changes: Vec<Result<i64, Missing>> = of_changes.collect();
    of_changes.into_iter().sum()
}

fn by_key<T: Serialize>(values: &BTreeMap<Vec<u8>, Option<T>>) -> Changes {
    let values = values.iter();
    values
        .map(|(key, value)| (key.clone(), value.as_ref().map(encode)))
        .collect()
}

fn by_id<'v, T: Serialize + 'v>(values: impl Iterator<Item = (&'v uuid::Uuid, &'v Option<T>)>) -> Changes {
    let values = values.map(|(id, value)| (id.as_bytes().to_vec(), value.as_ref().map(encode)));
    values.collect()
}

/// JSON, because it can be read back when the type has grown.
pub(super) fn encode(value: &impl Serialize) -> Vec<u8> {
    // These types have no maps with keys that are no text, the one thing that cannot be written.
    serde_json::to_vec(value).unwrap_or_default()
}

/// Decodes a value. `None`: the value is damaged, and is treated as absent.
pub(super) fn decode<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}
