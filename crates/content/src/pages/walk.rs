//! Going through content that is too large for a computation.

use sea_orm::{ConnectionTrait, DbErr};
use serde::Deserialize;

use super::{File, Page, ReusableContent, Snapshot, snapshot::decode};
use crate::{
    objects::{Content, Hash},
    trie::Trie,
};

/// Each of these visits everything of a kind, in no order, and returns the objects that hold it.
impl<C: ConnectionTrait> Content<'_, C> {
    pub async fn walk_pages(&mut self, snapshot: &Snapshot, visit: impl FnMut(Page)) -> Result<Vec<Hash>, DbErr> {
        self.walk_values(snapshot.pages, visit).await
    }

    pub async fn walk_files(&mut self, snapshot: &Snapshot, visit: impl FnMut(File)) -> Result<Vec<Hash>, DbErr> {
        self.walk_values(snapshot.files, visit).await
    }

    pub async fn walk_reusable_contents(
        &mut self,
        snapshot: &Snapshot,
        visit: impl FnMut(ReusableContent),
    ) -> Result<Vec<Hash>, DbErr> {
        self.walk_values(snapshot.reusable_contents, visit).await
    }

    async fn walk_values<T>(&mut self, map: Trie, mut visit: impl FnMut(T)) -> Result<Vec<Hash>, DbErr>
    where
        T: for<'de> Deserialize<'de>,
    {
        self.walk(map, |entry| {
            if let Some(value) = decode(&entry.value) {
                visit(value);
            }
        })
        .await
    }
}
