//! Copies of the content of a space.

use std::collections::HashSet;

use entity::{
    content_objects::{Column, Entity},
    ids::{NodeId, RevisionId},
    spaces,
    timestamp::Timestamp,
};
use platform::{blobs, db::Tx};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, Query},
};
use search::index::{self as page_index, PageEntry};

use super::{
    index::links,
    objects::{Content, Hash, ObjectCache},
    pages::{Pages, Snapshot},
};
use crate::revisions::{self, Origin, Revision};

/// Rows of one statement.
const BATCH_SIZE: usize = 500;

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
    search_entries: Vec<PageEntry>,
}

impl CopySource {
    pub async fn of(db: &impl ConnectionTrait, cache: &ObjectCache, space: NodeId) -> Result<Self, DbErr> {
        let revision = current_revision(db, space).await?;
        let stored = revisions::find(db, space, revision).await?;
        let snapshot = stored.ok_or_else(|| not_found(space))?.snapshot;
        let mut content = Content::new(db, cache, space);
        let parts = content.run(|objects| {
            let pages = Pages::of(objects, snapshot);
            let (all, forest) = (snapshot.objects(objects), pages.forest());
            let files = pages.files_after(None, usize::MAX);
            Ok((all?, forest?, files?))
        });
        let (objects, forest, files) = parts.await?;
        let sources: HashSet<Hash> = forest.pages().flat_map(links::sources).collect();
        Ok(Self {
            space,
            revision,
            snapshot,
            objects,
            sources: sources.into_iter().collect(),
            blobs: files.into_iter().map(|file| file.blob).collect(),
            search_entries: page_index::list_entries(db, space).await?,
        })
    }

    /// The revision that is copied.
    pub fn revision(&self) -> RevisionId {
        self.revision
    }

    pub fn snapshot(&self) -> Snapshot {
        self.snapshot
    }

    /// Returns whether this is still the content of the space.
    pub async fn is_current(&self, tx: &Tx) -> Result<bool, DbErr> {
        Ok(current_revision(tx, self.space).await? == self.revision)
    }

    /// Copies the content to a new space. Pages keep their ids, so that links between them stay valid.
    pub async fn copy(&self, tx: &Tx, id: RevisionId, origin: Origin, now: Timestamp) -> Result<(), DbErr> {
        let (from, to) = (self.space, origin.space);
        for chunk in self.objects.chunks(BATCH_SIZE) {
            copy_objects(tx, from, to, chunk).await?;
        }
        blobs::copy(tx, from, to, &self.blobs).await?;
        revisions::insert(tx, &Revision::new(id, self.snapshot, origin, now)).await?;
        links::copy(tx, &self.sources, (from, to)).await?;
        page_index::replace(tx, to, &self.search_entries).await
    }
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
