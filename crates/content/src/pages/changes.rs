//! Differences between two snapshots, by object.

use std::collections::BTreeMap;

use entity::ids::{FileId, PageId, ReusableContentId};
use serde::Deserialize;

use super::{File, Page, ReusableContent, Snapshot, Variable, snapshot::decode};
use crate::{
    objects::{Missing, Objects},
    trie::Trie,
};

/// An object before and after; `None` if absent.
#[derive(Debug, Clone, PartialEq)]
pub struct Change<T> {
    pub before: Option<T>,
    pub after: Option<T>,
}

impl<T> Default for Change<T> {
    fn default() -> Self {
        Self {
            before: None,
            after: None,
        }
    }
}

/// Everything that differs between two snapshots. Takes time in proportion to what differs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    pub pages: BTreeMap<PageId, Change<Page>>,
    pub files: BTreeMap<FileId, Change<File>>,
    pub reusable_contents: BTreeMap<ReusableContentId, Change<ReusableContent>>,
    /// By name.
    pub variables: BTreeMap<String, Change<Variable>>,
}

impl Changes {
    pub fn between(objects: &Objects, before: &Snapshot, after: &Snapshot) -> Result<Self, Missing> {
        let pages = differences(objects, &before.pages, &after.pages, |page: &Page| page.id);
        let files = differences(objects, &before.files, &after.files, |file: &File| file.id);
        let reusable = differences(
            objects,
            &before.reusable_contents,
            &after.reusable_contents,
            |content: &ReusableContent| content.id,
        );
        let variables = differences(objects, &before.variables, &after.variables, |variable: &Variable| {
            variable.name.clone()
        });
        Ok(Self {
            pages: pages?,
            files: files?,
            reusable_contents: reusable?,
            variables: variables?,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.files.is_empty() && self.reusable_contents.is_empty() && self.variables.is_empty()
    }
}

/// Joins the differences by id, because a moved page has two keys.
fn differences<T, Id: Ord>(
    objects: &Objects,
    before: &Trie,
    after: &Trie,
    id: impl Fn(&T) -> Id,
) -> Result<BTreeMap<Id, Change<T>>, Missing>
where
    T: for<'de> Deserialize<'de>,
{
    let mut found: BTreeMap<Id, Change<T>> = BTreeMap::new();
    for difference in before.differences(objects, after)? {
        let values = (difference.before.as_deref(), difference.after.as_deref());
        if let Some(before) = values.0.and_then(decode::<T>) {
            let id = id(&before);
            found.entry(id).or_default().before = Some(before);
        }
        if let Some(after) = values.1.and_then(decode::<T>) {
            let id = id(&after);
            found.entry(id).or_default().after = Some(after);
        }
    }
    Ok(found)
}
