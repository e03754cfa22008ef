//! Conversations in the database.

use std::collections::HashMap;

use entity::{
    conversations::conversations::{Column, Entity, Model, texts},
    ids::{ConversationId, OrganizationId},
    timestamp::Timestamp,
};
use platform::db::{IdSource, Tx};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, JsonValue, QueryFilter,
    QuerySelect, Select, sea_query::OnConflict,
};
use serde::{Deserialize, Serialize};

/// A conversation as it is stored.
pub struct NewConversation {
    /// The id of the conversation at its source.
    pub key: String,
    pub subject: Option<String>,
    pub url: Option<String>,
    pub created_at: Timestamp,
    /// The characters of all messages, as they were sent.
    pub length: i64,
    pub parts: JsonValue,
    pub attributes: Option<JsonValue>,
}

/// A version of a conversation.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct ConversationToProcess {
    pub organization: OrganizationId,
    pub id: ConversationId,
    pub version: i32,
}

impl ConversationToProcess {
    pub fn of(row: &Model) -> Self {
        Self {
            organization: row.organization_id,
            id: row.id,
            version: row.version,
        }
    }

    /// Returns whether a row has this version, and its issues are not found yet.
    pub fn is_open(self, row: &Model) -> bool {
        row.version == self.version && row.processed_at.is_none()
    }
}

pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

pub async fn texts(db: &impl ConnectionTrait, id: ConversationId) -> Result<Option<texts::Model>, DbErr> {
    texts::Entity::find_by_id(id).one(db).await
}

/// Finds a conversation in a transaction in which no other one changes it.
pub async fn lock(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    id: ConversationId,
) -> Result<Option<Model>, DbErr> {
    of(organization)
        .filter(Column::Id.eq(id))
        .lock_exclusive()
        .one(db)
        .await
}

/// Stores conversations of one source, each with another key, unless the same or a longer version is stored. Returns those that
/// were stored.
pub async fn put(
    tx: &Tx,
    (organization, source): (OrganizationId, &str),
    new: &[NewConversation],
    ids: &IdSource,
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    let keys = new.iter().map(|conversation| conversation.key.as_str());
    let known = of(organization)
        .filter(Column::Source.eq(source))
        .filter(Column::SourceKey.is_in(keys))
        .all(tx)
        .await?;
    let known: HashMap<String, Model> = known.into_iter().map(|row| (row.source_key.clone(), row)).collect();
    let (mut rows, mut bodies) = (Vec::new(), Vec::new());
    for conversation in new {
        let former = known.get(&conversation.key);
        if former.is_some_and(|former| former.length >= conversation.length) {
            continue;
        }
        let id = former.map_or_else(|| ids.next(), |former| former.id);
        rows.push(Model {
            id,
            organization_id: organization,
            source: source.to_owned(),
            source_key: conversation.key.clone(),
            subject: conversation.subject.clone(),
            url: conversation.url.clone(),
            // Issues of the former version are counted in its week.
            created_at: former.map_or(conversation.created_at, |former| former.created_at),
            ingested_at: former.map_or(now, |former| former.ingested_at),
            processed_at: None,
            length: conversation.length,
            version: former.map_or(1, |former| former.version.saturating_add(1)),
            method: None,
            model: None,
        });
        bodies.push(texts::Model {
            conversation_id: id,
            parts: conversation.parts.clone(),
            attributes: conversation.attributes.clone(),
        });
    }
    if !rows.is_empty() {
        upsert(tx, &rows, bodies).await?;
    }
    Ok(rows)
}

/// Inserts conversations with their messages, or replaces what a longer version replaces.
async fn upsert(tx: &Tx, rows: &[Model], bodies: Vec<texts::Model>) -> Result<(), DbErr> {
    let replaced = [
        Column::Subject,
        Column::Url,
        Column::ProcessedAt,
        Column::Length,
        Column::Version,
        Column::Method,
        Column::Model,
    ];
    let replace = OnConflict::column(Column::Id).update_columns(replaced).to_owned();
    Entity::insert_many(rows.iter().map(|row| row.clone().into_active_model().reset_all()))
        .on_conflict(replace)
        .exec_without_returning(tx)
        .await?;
    let replaced = [texts::Column::Parts, texts::Column::Attributes];
    let replace = OnConflict::column(texts::Column::ConversationId)
        .update_columns(replaced)
        .to_owned();
    texts::Entity::insert_many(bodies.into_iter().map(|row| row.into_active_model().reset_all()))
        .on_conflict(replace)
        .exec_without_returning(tx)
        .await?;
    Ok(())
}
