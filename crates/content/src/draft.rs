//! New states of content, until they are written down.

use std::sync::Arc;

use entity::{
    ids::{NodeId, RevisionId},
    timestamp::Timestamp,
};
use platform::{blobs, db::Tx};
use sea_orm::{ConnectionTrait, DbErr};

use super::{
    index::search_entries::Found,
    objects::{Content, Fresh, Hash, Missing, ObjectCache, Objects},
    pages::{Changes, Snapshot},
};
use crate::revisions::{self, Origin, Revision};

/// Content that was changed, with all that has to be stored for it.
#[derive(Clone)]
pub struct Draft {
    pub snapshot: Snapshot,
    /// What differs from the content that it was made from.
    pub changes: Arc<Changes>,
    fresh: Fresh,
}

impl Draft {
    /// What leads from one state to another, which the computations of `content` have made.
    pub async fn of<C: ConnectionTrait>(
        content: &mut Content<'_, C>,
        before: &Snapshot,
        after: Snapshot,
    ) -> Result<Self, DbErr> {
        let changes = content.run(|objects| Changes::between(objects, before, &after)).await?;
        let fresh = content.fresh(after.roots().chain(texts(&changes)));
        Ok(Self {
            snapshot: after,
            changes: Arc::new(changes),
            fresh,
        })
    }

    /// The first content of a space, which needs nothing that is stored.
    pub fn first(make: impl FnOnce(&Objects) -> Result<Snapshot, Missing>) -> Result<Self, DbErr> {
        let objects = Objects::default();
        let made = make(&objects).and_then(|snapshot| {
            let changes = Changes::between(&objects, &Snapshot::default(), &snapshot)?;
            Ok((snapshot, changes))
        });
        let (snapshot, changes) = made.map_err(|Missing| DbErr::Custom("first content is not complete".to_owned()))?;
        let fresh = Fresh::below(&objects, snapshot.roots().chain(texts(&changes)));
        Ok(Self {
            snapshot,
            changes: Arc::new(changes),
            fresh,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The revision that this becomes.
    pub fn revision(&self, id: RevisionId, origin: Origin, now: Timestamp) -> Revision {
        Revision::new(id, self.snapshot, origin, now)
    }

    /// Keeps it for those who read it next, once it is written.
    pub fn keep(&self, cache: &ObjectCache) {
        self.fresh.keep(cache);
    }

    /// Makes the pages of first content found, which have no texts.
    pub async fn index(&self, tx: &impl ConnectionTrait, space: NodeId) -> Result<(), DbErr> {
        let mut found = Found::default();
        for (id, change) in &self.changes.pages {
            found.add(*id, change, None);
        }
        found.store(tx, space).await
    }

    /// Writes the revision with all that it is made of.
    pub async fn store(&self, tx: &Tx, revision: &Revision) -> Result<(), DbErr> {
        self.fresh.store(tx, revision.space).await?;
        blobs::reference(tx, revision.space, &new_blobs(&self.changes)).await?;
        revisions::insert(tx, revision).await
    }
}

/// The bytes of files that are there afterwards.
fn new_blobs(changes: &Changes) -> Vec<Hash> {
    let files = changes.files.values().filter_map(|change| change.after.as_ref());
    files.map(|file| file.blob).collect()
}

/// The texts that are there afterwards.
fn texts(changes: &Changes) -> Vec<Hash> {
    let pages = changes
        .pages
        .values()
        .filter_map(|change| change.after.as_ref()?.document());
    let reusable = changes.reusable_contents.values();
    let reusable = reusable.filter_map(|change| change.after.as_ref()?.document);
    pages.chain(reusable).collect()
}
