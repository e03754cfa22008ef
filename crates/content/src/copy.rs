//! Copies of the content of a space.

use std::collections::HashSet;

use entity::{
    content_objects::{Column, Entity},
    ids::{NodeId, PageId, RevisionId},
    spaces,
    timestamp::Timestamp,
};
use platform::{
    blobs,
    db::{Db, Tx},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, Query},
};
use search::index::{self as page_index, PageEntry};

use super::{
    index::links,
    objects::{Content, Hash, ObjectCache},
    pages::Snapshot,
};
use crate::revisions::{self, Origin, Revision};

/// Rows of one statement.
const BATCH_SIZE: usize = 500;
/// Bytes of objects that one transaction copies ahead, and sources of links.
const BATCH_BYTES: i64 = 256 * 1024;
const SOURCES_AT_ONCE: usize = 100;

/// Objects that are copied with the space. They are as many as the pages with their texts, and the nodes above.
const MAX_OBJECTS: usize = 400;

/// Pages, and bytes of their texts, whose entries in the search index are copied with the content. Those of larger spaces are made by
/// jobs.
const MAX_ENTRIES: u64 = 50;
const MAX_ENTRY_BYTES: i64 = 128 * 1024;

/// The current content of a space, without its history, ready to be copied. Loading it is most of the work, so it happens
/// before the transaction.
pub struct CopySource {
    space: NodeId,
    revision: RevisionId,
    snapshot: Snapshot,
    objects: Vec<Hash>,
    /// The sources of the links of its pages.
    sources: Vec<Hash>,
    blobs: Vec<Hash>,
    /// `None`: they are too many.
    search_entries: Option<Vec<PageEntry>>,
    pages: Vec<PageId>,
}

impl CopySource {
    pub async fn of(db: &impl ConnectionTrait, cache: &ObjectCache, space: NodeId) -> Result<Self, DbErr> {
        let revision = current_revision(db, space).await?;
        let stored = revisions::find(db, space, revision).await?;
        let snapshot = stored.ok_or_else(|| not_found(space))?.snapshot;
        let mut content = Content::new(db, cache, space);
        let (mut objects, mut sources) = (HashSet::new(), HashSet::new());
        let (mut blobs, mut pages) = (Vec::new(), Vec::new());
        let walked = content.walk_pages(&snapshot, |page| {
            objects.extend(page.document());
            sources.extend(links::sources(&page));
            pages.push(page.id);
        });
        let mut walked = walked.await?;
        walked.extend(content.walk_files(&snapshot, |file| blobs.push(file.blob)).await?);
        let of_contents = content.walk_reusable_contents(&snapshot, |content| objects.extend(content.document));
        walked.extend(of_contents.await?);
        for map in [snapshot.places, snapshot.variables, snapshot.placeholders] {
            walked.extend(content.walk(map, |_| {}).await?);
        }
        objects.extend(walked);
        Ok(Self {
            space,
            revision,
            snapshot,
            objects: objects.into_iter().collect(),
            sources: sources.into_iter().collect(),
            blobs,
            search_entries: page_index::list_entries(db, space, (MAX_ENTRIES, MAX_ENTRY_BYTES)).await?,
            pages,
        })
    }

    /// The revision that is copied.
    pub fn revision(&self) -> RevisionId {
        self.revision
    }

    pub fn snapshot(&self) -> Snapshot {
        self.snapshot
    }

    /// The pages that jobs have to add to the search index.
    pub fn pages_to_index(&self) -> &[PageId] {
        match self.search_entries {
            Some(_) => &[],
            None => &self.pages,
        }
    }

    /// Returns whether a job has to make the search entries of computed pages.
    pub fn has_computed_pages_to_index(&self) -> bool {
        self.search_entries.is_none() && !self.snapshot.placeholders.is_empty()
    }

    /// Returns whether this is still the content of the space.
    pub async fn is_current(&self, tx: &Tx) -> Result<bool, DbErr> {
        Ok(current_revision(tx, self.space).await? == self.revision)
    }

    /// Returns whether the content is more than one short transaction copies.
    pub fn is_large(&self) -> bool {
        self.search_entries.is_none()
            || self.objects.len() > MAX_OBJECTS
            || self.sources.len() > SOURCES_AT_ONCE
            || self.blobs.len() > BATCH_SIZE
    }

    /// Copies large content to a space in short transactions, which have no effect before a revision refers to it.
    pub async fn copy_ahead(&self, db: &Db, to: NodeId, copied: &mut CopiedAhead) -> Result<(), DbErr> {
        let from = self.space;
        for chunk in absent(&self.objects, &copied.objects).chunks(BATCH_SIZE) {
            for batch in batches(db.read(), from, chunk).await? {
                db.write(move |tx| async move { copy_objects(&tx, from, to, &batch).await })
                    .await?;
            }
        }
        copied.objects.extend(&self.objects);
        for chunk in absent(&self.sources, &copied.sources).chunks(SOURCES_AT_ONCE) {
            let chunk = chunk.to_vec();
            db.write(move |tx| async move { links::copy(&tx, &chunk, (from, to)).await })
                .await?;
        }
        copied.sources.extend(&self.sources);
        for chunk in absent(&self.blobs, &copied.blobs).chunks(BATCH_SIZE) {
            let chunk = chunk.to_vec();
            db.write(move |tx| async move { blobs::copy(&tx, from, to, &chunk).await })
                .await?;
        }
        copied.blobs.extend(&self.blobs);
        Ok(())
    }

    /// Copies the content to a new space, unless it was copied ahead, and makes it the revision with this id. Pages keep their ids, so
    /// that links between them stay valid.
    pub async fn copy(&self, tx: &Tx, id: RevisionId, origin: Origin, now: Timestamp) -> Result<(), DbErr> {
        let (from, to) = (self.space, origin.space);
        if !self.is_large() {
            copy_objects(tx, from, to, &self.objects).await?;
            blobs::copy(tx, from, to, &self.blobs).await?;
            links::copy(tx, &self.sources, (from, to)).await?;
        }
        revisions::insert(tx, &Revision::new(id, self.snapshot, origin, now)).await?;
        match &self.search_entries {
            Some(entries) => page_index::replace(tx, to, entries).await,
            None => Ok(()),
        }
    }
}

/// What was copied to a space ahead.
#[derive(Default)]
pub struct CopiedAhead {
    objects: HashSet<Hash>,
    sources: HashSet<Hash>,
    blobs: HashSet<Hash>,
}

fn absent(hashes: &[Hash], copied: &HashSet<Hash>) -> Vec<Hash> {
    hashes.iter().filter(|hash| !copied.contains(hash)).copied().collect()
}

/// Objects of one transaction each, by their bytes.
async fn batches(db: &impl ConnectionTrait, space: NodeId, hashes: &[Hash]) -> Result<Vec<Vec<Hash>>, DbErr> {
    let sizes: Vec<(Vec<u8>, i64)> = Entity::find()
        .select_only()
        .column(Column::Hash)
        .expr_as(Expr::cust("CAST(length(data) AS bigint)"), "size")
        .filter(Column::SpaceId.eq(space))
        .filter(Column::Hash.is_in(hashes.iter().map(|hash| hash.to_vec())))
        .into_tuple()
        .all(db)
        .await?;
    let (mut batches, mut bytes): (Vec<Vec<Hash>>, i64) = (Vec::new(), 0);
    for (hash, size) in sizes {
        let Some(hash) = Hash::from_bytes(&hash) else { continue };
        match batches.last_mut() {
            Some(batch) if bytes + size <= BATCH_BYTES => batch.push(hash),
            _ => {
                batches.push(vec![hash]);
                bytes = 0;
            }
        }
        bytes += size;
    }
    Ok(batches)
}

async fn current_revision(db: &impl ConnectionTrait, space: NodeId) -> Result<RevisionId, DbErr> {
    let revision = spaces::Entity::find_by_id(space)
        .select_only()
        .column(spaces::Column::RevisionId)
        .into_tuple()
        .one(db)
        .await?;
    revision.ok_or_else(|| not_found(space))
}

fn not_found(space: NodeId) -> DbErr {
    DbErr::RecordNotFound(format!("content of the space {space}"))
}

async fn copy_objects(tx: &impl ConnectionTrait, from: NodeId, to: NodeId, hashes: &[Hash]) -> Result<(), DbErr> {
    let mut rows = Entity::find()
        .select_only()
        .expr(Expr::value(to))
        .columns([Column::Hash, Column::Data])
        .filter(Column::SpaceId.eq(from))
        .filter(Column::Hash.is_in(hashes.iter().map(|hash| hash.to_vec())));
    let rows = sea_orm::QueryTrait::query(&mut rows).take();
    let mut insert = Query::insert();
    insert
        .into_table(Entity)
        .columns([Column::SpaceId, Column::Hash, Column::Data])
        .select_from(rows)
        .map_err(|error| DbErr::Custom(error.to_string()))?;
    tx.execute(&insert).await?;
    Ok(())
}
