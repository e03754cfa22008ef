//! Copies of the content of a space.

use std::collections::HashSet;

use entity::{
    content::content_objects::{Column, Entity},
    ids::{NodeId, PageId, RevisionId},
    library::spaces,
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
use search::index::{self as page_index, EntryLimits, PageEntry};

use super::{
    index::{copied_links, links, search_entries},
    objects::{Content, Hash, ObjectCache},
    pages::Snapshot,
};
use crate::revisions::{self, Origin, Revision};

/// Rows of one statement.
const BATCH_SIZE: usize = 500;
/// Bytes of objects that one transaction copies ahead.
const BATCH_BYTES: i64 = 256 * 1024;

/// Sources of links that are copied in the transaction that makes the space.
const MAX_SOURCES: usize = 100;

/// Objects, and their bytes, that are copied in the transaction that makes the space.
const MAX_OBJECTS: usize = 400;
const MAX_OBJECT_BYTES: i64 = 1024 * 1024;

/// Pages, and bytes of their texts, whose entries in the search index are copied with the content. Those of larger spaces are made by
/// jobs.
const ENTRY_LIMITS: EntryLimits = EntryLimits {
    entries: 50,
    bytes: 128 * 1024,
};

/// The current content of a space, without its history, ready to be copied. Loading it is most of the work, so it happens
/// before the transaction.
pub struct CopySource {
    space: NodeId,
    revision: RevisionId,
    snapshot: Snapshot,
    objects: Vec<Hash>,
    /// The bytes of the objects, if they are few.
    bytes: i64,
    /// The sources of the links of its pages.
    sources: Vec<Hash>,
    has_many_links: bool,
    blobs: Vec<Hash>,
    /// `None`: they are too many, or jobs have not made all of them yet.
    search_entries: Option<Vec<PageEntry>>,
    /// The searchable pages, besides computed ones.
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
            if search_entries::is_searchable(Some(&page)) {
                pages.push(page.id);
            }
        });
        let mut walked = walked.await?;
        walked.extend(content.walk_files(&snapshot, |file| blobs.push(file.blob)).await?);
        let of_contents = content.walk_reusable_contents(&snapshot, |content| objects.extend(content.document));
        walked.extend(of_contents.await?);
        for map in [snapshot.places, snapshot.variables, snapshot.placeholders] {
            walked.extend(content.walk(map, |_| {}).await?);
        }
        objects.extend(walked);
        let objects: Vec<Hash> = objects.into_iter().collect();
        let bytes = match objects.len() {
            0..=MAX_OBJECTS => sizes(db, space, &objects).await?.iter().map(|(_, size)| size).sum(),
            _ => i64::MAX,
        };
        let sources: Vec<Hash> = sources.into_iter().collect();
        let has_many_links = sources.len() > MAX_SOURCES || copied_links::are_many(db, space, &sources).await?;
        let entries = page_index::list_entries(db, space, ENTRY_LIMITS).await?;
        Ok(Self {
            space,
            revision,
            snapshot,
            objects,
            bytes,
            sources,
            has_many_links,
            blobs,
            search_entries: entries.filter(|entries| has_all(entries, &pages)),
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

    /// The pages that jobs have to add to the search index: all of them, because entries that are copied may have earlier texts.
    pub fn pages_to_index(&self) -> &[PageId] {
        &self.pages
    }

    /// Returns whether a job has to make the search entries of computed pages.
    pub fn has_computed_pages_to_index(&self) -> bool {
        !self.snapshot.placeholders.is_empty()
    }

    /// Returns whether this is still the content of the space.
    pub async fn is_current(&self, tx: &Tx) -> Result<bool, DbErr> {
        Ok(current_revision(tx, self.space).await? == self.revision)
    }

    /// Returns whether the content is more than one short transaction copies.
    pub fn is_large(&self) -> bool {
        self.search_entries.is_none()
            || self.bytes > MAX_OBJECT_BYTES
            || self.has_many_links
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
        // Each time all of them: other pages may have the same texts by now.
        copied_links::copy_ahead(db, from, to, &self.sources).await?;
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
            copied_links::copy(tx, from, to, &self.sources).await?;
        }
        revisions::insert(tx, &Revision::new(id, self.snapshot, origin, now)).await?;
        match &self.search_entries {
            Some(entries) => page_index::replace(tx, to, entries).await,
            None => Ok(()),
        }
    }
}

/// The objects and blobs that a space has already, before the transaction that makes it the copy.
#[derive(Default)]
pub struct CopiedAhead {
    objects: HashSet<Hash>,
    blobs: HashSet<Hash>,
}

/// Returns whether each of the pages has an entry.
fn has_all(entries: &[PageEntry], pages: &[PageId]) -> bool {
    let indexed: HashSet<PageId> = entries.iter().map(PageEntry::page).collect();
    pages.iter().all(|page| indexed.contains(page))
}

fn absent(hashes: &[Hash], copied: &HashSet<Hash>) -> Vec<Hash> {
    hashes.iter().filter(|hash| !copied.contains(hash)).copied().collect()
}

/// Stored objects with their bytes.
async fn sizes(db: &impl ConnectionTrait, space: NodeId, hashes: &[Hash]) -> Result<Vec<(Hash, i64)>, DbErr> {
    let sizes: Vec<(Vec<u8>, i64)> = Entity::find()
        .select_only()
        .column(Column::Hash)
        .expr_as(Expr::cust("CAST(length(data) AS bigint)"), "size")
        .filter(Column::SpaceId.eq(space))
        .filter(Column::Hash.is_in(hashes.iter().map(|hash| hash.to_vec())))
        .into_tuple()
        .all(db)
        .await?;
    let sizes = sizes.into_iter();
    Ok(sizes
        .filter_map(|(hash, size)| Some((Hash::from_bytes(&hash)?, size)))
        .collect())
}

/// Objects of one transaction each, by their bytes.
async fn batches(db: &impl ConnectionTrait, space: NodeId, hashes: &[Hash]) -> Result<Vec<Vec<Hash>>, DbErr> {
    let (mut batches, mut bytes): (Vec<Vec<Hash>>, i64) = (Vec::new(), 0);
    for (hash, size) in sizes(db, space, hashes).await? {
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
