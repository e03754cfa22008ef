//! Revisions in the database.

use entity::{
    content::revisions::{Column, Entity, Model, RevisionKind},
    ids::{ChangeRequestId, NodeId, RevisionId, UserId},
    timestamp::Timestamp,
};
use platform::db::rows;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Select};
use serde_json::Value;

use crate::pages::Snapshot;

/// The metadata with which a draft becomes a revision.
#[derive(Clone, Debug)]
pub struct Origin {
    pub space: NodeId,
    pub kind: RevisionKind,
    pub parents: Vec<RevisionId>,
    pub author: Option<UserId>,
    /// The change request whose content this is. `None`: the content of the space.
    pub change_request: Option<ChangeRequestId>,
    /// The change request that was merged.
    pub merged_from: Option<ChangeRequestId>,
}

impl Origin {
    /// The origin of edits by a user in the content of a space.
    pub fn edits(space: NodeId, parents: Vec<RevisionId>, author: UserId) -> Self {
        Self {
            space,
            kind: RevisionKind::Edits,
            parents,
            author: Some(author),
            change_request: None,
            merged_from: None,
        }
    }
}

/// A revision as the program works with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    pub id: RevisionId,
    pub space: NodeId,
    pub kind: RevisionKind,
    pub snapshot: Snapshot,
    pub parents: Vec<RevisionId>,
    pub author: Option<UserId>,
    pub change_request: Option<ChangeRequestId>,
    pub merged_from: Option<ChangeRequestId>,
    pub created_at: Timestamp,
}

impl Revision {
    pub fn new(id: RevisionId, snapshot: Snapshot, origin: Origin, now: Timestamp) -> Self {
        let Origin {
            space,
            kind,
            parents,
            author,
            change_request,
            merged_from,
        } = origin;
        Self {
            id,
            space,
            kind,
            snapshot,
            parents,
            author,
            change_request,
            merged_from,
            created_at: now,
        }
    }
}

/// A revision of a space.
pub async fn find(db: &impl ConnectionTrait, space: NodeId, id: RevisionId) -> Result<Option<Revision>, DbErr> {
    let of_space = Entity::find().filter(Column::SpaceId.eq(space));
    let row = rows::find(db, of_space, id).await?;
    row.map(decode).transpose()
}

fn decode(row: Model) -> Result<Revision, DbErr> {
    Ok(Revision {
        id: row.id,
        space: row.space_id,
        kind: row.kind,
        snapshot: from_json(row.snapshot)?,
        parents: from_json(row.parents)?,
        author: row.author_id,
        change_request: row.change_request_id,
        merged_from: row.merged_from,
        created_at: row.created_at,
    })
}

fn from_json<T: for<'de> serde::Deserialize<'de>>(value: Value) -> Result<T, DbErr> {
    serde_json::from_value(value).map_err(|error| DbErr::Json(error.to_string()))
}

fn to_json(value: &impl serde::Serialize) -> Result<Value, DbErr> {
    serde_json::to_value(value).map_err(|error| DbErr::Json(error.to_string()))
}

pub async fn insert(db: &impl ConnectionTrait, revision: &Revision) -> Result<(), DbErr> {
    let row = Model {
        id: revision.id,
        space_id: revision.space,
        kind: revision.kind,
        snapshot: to_json(&revision.snapshot)?,
        parents: to_json(&revision.parents)?,
        author_id: revision.author,
        change_request_id: revision.change_request,
        merged_from: revision.merged_from,
        created_at: revision.created_at,
    };
    rows::insert(db, &row).await
}

/// Selects the revisions of the content of a space, without those of change requests, and those that only have the content of a commit.
pub fn of_space(space: NodeId) -> Select<Entity> {
    Entity::find()
        .filter(Column::SpaceId.eq(space))
        .filter(Column::Kind.ne(RevisionKind::Computed))
        .filter(Column::ChangeRequestId.is_null())
}

/// Returns the ids of the parents of a revision; empty if the stored value is invalid.
pub fn parents(row: &Model) -> Vec<RevisionId> {
    serde_json::from_value(row.parents.clone()).unwrap_or_default()
}

/// Revisions of any spaces; the caller has checked that they may be read.
pub async fn find_many(db: &impl ConnectionTrait, ids: Vec<RevisionId>) -> Result<Vec<Revision>, DbErr> {
    let rows = Entity::find().filter(Column::Id.is_in(ids)).all(db).await?;
    rows.into_iter().map(decode).collect()
}
