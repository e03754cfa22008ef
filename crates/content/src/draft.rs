//! Drafts: changed content that is not stored yet.

use std::sync::Arc;

use entity::{
    ids::{NodeId, RevisionId},
    library::spaces::Language,
    timestamp::Timestamp,
};
use openapi::error::{ApiError, ErrorType};
use platform::{
    blobs,
    db::{Db, Tx},
};
use sea_orm::{ConnectionTrait, DbErr};

use super::{
    index::search_entries::SearchIndexChanges,
    objects::{Content, Fresh, Hash, Missing, ObjectCache, Objects},
    pages::{Changes, MAX_BYTES, Snapshot},
};
use crate::revisions::{self, Origin, Revision};

/// Changed content with the objects that have to be stored for it.
#[derive(Clone)]
pub struct Draft {
    pub snapshot: Snapshot,
    /// The differences from the content that it is based on.
    pub changes: Arc<Changes>,
    fresh: Fresh,
    blobs_are_stored: bool,
}

/// References to files that one transaction stores.
const MAX_BLOBS: usize = 500;

impl Draft {
    /// Creates the draft that leads from one state to another, which a computation of `content` created.
    pub async fn of<C: ConnectionTrait>(
        content: &mut Content<'_, C>,
        before: &Snapshot,
        after: Snapshot,
    ) -> Result<Self, ApiError> {
        require_size(before, &after)?;
        Ok(Self::between(content, before, after).await?)
    }

    /// Creates the draft that leads to the content of an earlier revision, whose size was checked when it was written.
    pub async fn between<C: ConnectionTrait>(
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
            blobs_are_stored: false,
        })
    }

    /// Creates the first content of a space, which refers to no stored objects.
    pub fn first(make: impl FnOnce(&Objects) -> Result<Snapshot, Missing>) -> Result<Self, DbErr> {
        let objects = Objects::default();
        let made = make(&objects).and_then(|snapshot| {
            let changes = Changes::between(&objects, &Snapshot::default(), &snapshot)?;
            Ok((snapshot, changes))
        });
        let (snapshot, changes) = made.map_err(|Missing| {
            DbErr::Custom("the first content of a space refers to an object that is not stored".to_owned())
        })?;
        let fresh = Fresh::below(&objects, snapshot.roots().chain(texts(&changes)));
        Ok(Self {
            snapshot,
            changes: Arc::new(changes),
            fresh,
            blobs_are_stored: false,
        })
    }

    /// Returns the draft that leads from another state to the same content. What is stored stays so: the texts and files
    /// that only this draft adds are in the content from which the first draft leads.
    pub async fn rebase<C: ConnectionTrait>(
        &self,
        content: &mut Content<'_, C>,
        before: &Snapshot,
    ) -> Result<Self, DbErr> {
        let after = self.snapshot;
        let changes = content.run(|objects| Changes::between(objects, before, &after)).await?;
        Ok(Self {
            changes: Arc::new(changes),
            ..self.clone()
        })
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the revision of this draft.
    pub fn revision(&self, id: RevisionId, origin: Origin, now: Timestamp) -> Revision {
        Revision::new(id, self.snapshot, origin, now)
    }

    /// Stores large objects ahead of the transaction that stores the draft, and the references to many files.
    pub async fn store_ahead(&mut self, db: &Db, space: NodeId) -> Result<(), DbErr> {
        let blobs = Arc::new(new_blobs(&self.changes));
        if blobs.len() > MAX_BLOBS {
            for from in (0..blobs.len()).step_by(MAX_BLOBS) {
                let blobs = Arc::clone(&blobs);
                let work = move |tx| async move {
                    let batch = blobs.iter().skip(from).take(MAX_BLOBS).copied().collect::<Vec<_>>();
                    blobs::reference(&tx, space, &batch).await
                };
                db.write(work).await?;
            }
            self.blobs_are_stored = true;
        }
        self.fresh.store_ahead(db, space).await
    }

    /// Adds the objects to the cache, after they were stored.
    pub fn keep(&self, cache: &ObjectCache) {
        self.fresh.keep(cache);
    }

    /// Adds the pages of first content, which have no texts, to the search index.
    pub async fn index(
        &self,
        tx: &impl ConnectionTrait,
        space: NodeId,
        language: Option<Language>,
    ) -> Result<(), DbErr> {
        let mut index_changes = SearchIndexChanges::default();
        for (id, change) in &self.changes.pages {
            index_changes.add(*id, change, Vec::new(), language);
        }
        index_changes.store(tx, space).await
    }

    /// Stores the objects alone, for content that no revision has.
    pub async fn store_objects(&self, tx: &Tx, space: NodeId) -> Result<(), DbErr> {
        self.fresh.store(tx, space).await
    }

    /// Stores the revision with its objects.
    pub async fn store(&self, tx: &Tx, revision: &Revision) -> Result<(), DbErr> {
        self.fresh.store(tx, revision.space).await?;
        if !self.blobs_are_stored {
            blobs::reference(tx, revision.space, &new_blobs(&self.changes)).await?;
        }
        revisions::insert(tx, revision).await
    }
}

/// Refuses content that grows beyond what a request can read at once.
fn require_size(before: &Snapshot, after: &Snapshot) -> Result<(), ApiError> {
    if after.bytes <= MAX_BYTES || after.bytes <= before.bytes {
        return Ok(());
    }
    let message =
        format!("The titles, descriptions and settings of the content of a space have at most {MAX_BYTES} bytes.");
    Err(ApiError::new(ErrorType::ContentTooLarge, message))
}

/// Returns the blobs of added and changed files.
fn new_blobs(changes: &Changes) -> Vec<Hash> {
    let files = changes.files.values().filter_map(|change| change.after.as_ref());
    files.map(|file| file.blob).collect()
}

/// Returns the texts of added and changed pages and shared contents.
fn texts(changes: &Changes) -> Vec<Hash> {
    let pages = changes
        .pages
        .values()
        .filter_map(|change| change.after.as_ref()?.document());
    let reusable = changes.reusable_contents.values();
    let reusable = reusable.filter_map(|change| change.after.as_ref()?.document);
    pages.chain(reusable).collect()
}
