//! Snapshots: the content of a revision, and changes that are not stored yet.

use std::{cell::RefCell, collections::BTreeMap};

use entity::ids::{FileId, PageId, ReusableContentId};
use serde::{Deserialize, Serialize};

use super::{File, Overlay, Page, ReusableContent, Variable, place::Place};
use crate::{
    objects::{Hash, Missing, Objects},
    trie::{Changes, Trie},
};

/// The content of a revision. Snapshots with the same content are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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
}

impl Snapshot {
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

impl Snapshot {
    /// Everything that it is made of, the texts included.
    pub fn objects(&self, objects: &Objects) -> Result<Vec<Hash>, Missing> {
        let nodes: Vec<_> = self.tries().iter().map(|trie| trie.nodes(objects)).collect();
        let mut all = Vec::new();
        for nodes in nodes {
            all.extend(nodes?);
        }
        let pages = Pages::of(objects, *self);
        all.extend(pages.forest()?.pages().filter_map(Page::document));
        all.extend(
            pages
                .all_reusable_contents()?
                .into_iter()
                .filter_map(|content| content.document),
        );
        all.sort_unstable();
        all.dedup();
        Ok(all)
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
        let pages = self.base.pages.changed(objects, &pages);
        let places = self.base.places.changed(objects, &by_id(places));
        let files = self.base.files.changed(objects, &by_id(files));
        let reusable = self.base.reusable_contents.changed(objects, &by_id(reusable));
        let variables = self.base.variables.changed(objects, &variables);
        let placeholders = self.base.placeholders.changed(objects, &by_id(placeholders));
        Ok(Snapshot {
            pages: pages?,
            places: places?,
            files: files?,
            reusable_contents: reusable?,
            variables: variables?,
            placeholders: placeholders?,
        })
    }
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
