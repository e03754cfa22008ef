//! Queries of translations and of the memory of segments, each within an organization.

use std::collections::{HashMap, HashSet};

use entity::{
    ids::{JobId, NodeId, OrganizationId, TranslationId},
    languages::translations::{
        Column, Entity, Model,
        segments::{self, Column as SegmentColumn, Entity as SegmentEntity},
    },
    library::{nodes, spaces::Language},
    organizations::members::MemberRole,
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::{Keyset, ReadRows};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait, Select, SelectExt,
    sea_query::{Expr, ExprTrait, OnConflict},
};
use sha2::{Digest, Sha256};
use translation::MemoryKey;

use crate::{
    access::node_levels::{self, Member, is_no_space, is_visible_space},
    areas::library::spaces::store as space_store,
};

/// Rows of one statement.
const BATCH_SIZE: usize = 500;

pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

/// Narrows a query over the translations of an organization down to those whose source a member may read, and those without
/// a source whose result the member may read.
pub fn visible_to(member: &Member, translations: Select<Entity>) -> Select<Entity> {
    let (source, result) = ((Entity, Column::SourceSpaceId), (Entity, Column::ResultSpaceId));
    let orphaned = Condition::all()
        .add(is_no_space(member.organization, source))
        .add(is_visible_space(member, result));
    let readable = Condition::any().add(is_visible_space(member, source)).add(orphaned);
    translations.filter(readable)
}

/// The newest first.
pub fn order() -> Keyset {
    Keyset::descending([(Entity, Column::Id)])
}

/// Loads the translations that a query finds, in its order. Only the ids are read of those that the query looks at: a translation
/// may be as long as the content of its spaces.
pub async fn load_page(db: &impl ConnectionTrait, page: Select<Entity>) -> Result<Vec<Model>, DbErr> {
    let ids = page.select_only().column(Column::Id).into_query();
    let rows = Entity::find().filter(Column::Id.in_subquery(ids));
    rows.order_by_desc(Column::Id).all(db).await
}

/// Those of these translations that a member may edit. Two queries at most.
pub async fn editable(db: &impl ReadRows, member: &Member, rows: &[Model]) -> Result<HashSet<TranslationId>, ApiError> {
    let ids: Vec<NodeId> = rows
        .iter()
        .flat_map(|row| [row.result_space_id, row.source_space_id])
        .collect();
    let spaces = space_store::not_deleted(member.organization).filter(nodes::Column::Id.is_in(ids));
    let spaces = spaces.all(db).await?;
    let levels = node_levels::levels(db, member, spaces.iter().map(|space| space.id).collect()).await?;
    let levels: HashMap<NodeId, Option<MemberRole>> = spaces.iter().map(|space| (space.id, levels.on(space))).collect();
    let may_edit = |row: &&Model| {
        let of_result = levels.get(&row.result_space_id);
        let level = of_result
            .or_else(|| levels.get(&row.source_space_id))
            .copied()
            .flatten();
        level >= Some(MemberRole::Edit)
    };
    Ok(rows.iter().filter(may_edit).map(|row| row.id).collect())
}

/// Locks a translation and returns its current row. Other writers wait. `None`: it was deleted.
pub async fn find_locked(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    id: TranslationId,
) -> Result<Option<Model>, DbErr> {
    of(organization)
        .filter(Column::Id.eq(id))
        .lock_exclusive()
        .one(db)
        .await
}

/// Like [`find_locked`], for callers who need the translation.
pub async fn lock(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    id: TranslationId,
) -> Result<Model, ApiError> {
    let found = find_locked(db, organization, id).await?;
    found.ok_or_else(|| ApiError::not_found("translation"))
}

pub async fn exists(db: &impl ConnectionTrait, source: NodeId, language: Language) -> Result<bool, DbErr> {
    let same = Entity::find()
        .filter(Column::SourceSpaceId.eq(source))
        .filter(Column::Language.eq(language));
    same.exists(db).await
}

/// The translations of segments that are known.
pub async fn remembered(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    keys: &[MemoryKey],
) -> Result<HashMap<MemoryKey, String>, DbErr> {
    let mut found = HashMap::with_capacity(keys.len());
    for chunk in keys.chunks(BATCH_SIZE) {
        let rows = SegmentEntity::find()
            .select_only()
            .columns([SegmentColumn::Hash, SegmentColumn::Text])
            .filter(SegmentColumn::OrganizationId.eq(organization))
            .filter(SegmentColumn::Hash.is_in(chunk.iter().map(|key| key.to_vec())))
            .into_tuple::<(Vec<u8>, String)>()
            .all(db)
            .await?;
        for (hash, text) in rows {
            if let Ok(key) = MemoryKey::try_from(hash) {
                found.insert(key, text);
            }
        }
    }
    Ok(found)
}

pub async fn remember(db: &impl ConnectionTrait, rows: Vec<segments::Model>) -> Result<(), DbErr> {
    for chunk in rows.chunks(BATCH_SIZE) {
        let rows = chunk.iter().map(|row| row.clone().into_active_model().reset_all());
        // Another run may have translated the same segment meanwhile.
        SegmentEntity::insert_many(rows)
            .on_conflict(OnConflict::new().do_nothing().to_owned())
            .exec_without_returning(db)
            .await?;
    }
    Ok(())
}

/// The hash of the row that counts the extra words of a run. No segment has it, because keys of segments are made otherwise.
fn extra_words_hash(job: JobId) -> Vec<u8> {
    let hash = Sha256::new().chain_update("extra words").chain_update(job.to_string());
    hash.finalize().to_vec()
}

/// Adds words that a run sent beyond those of its translations: of segments without one, and of requests for the same segments
/// again. A row of the memory with an empty text counts them for each run, so that sums over the rows are what was sent.
pub async fn add_extra_words(
    db: &impl ConnectionTrait,
    (organization, job): (OrganizationId, JobId),
    words: u64,
    now: Timestamp,
) -> Result<(), DbErr> {
    if words == 0 {
        return Ok(());
    }
    let row = segments::Model {
        organization_id: organization,
        hash: extra_words_hash(job),
        text: String::new(),
        words: i32::try_from(words).unwrap_or(i32::MAX),
        follows_glossary: true,
        job_id: job,
        created_at: now,
    };
    let sum = Expr::col((SegmentEntity, SegmentColumn::Words)).add(Expr::col(("excluded", SegmentColumn::Words)));
    let or_add = OnConflict::columns([SegmentColumn::OrganizationId, SegmentColumn::Hash])
        .value(SegmentColumn::Words, sum)
        .update_column(SegmentColumn::CreatedAt)
        .to_owned();
    SegmentEntity::insert(row.into_active_model().reset_all())
        .on_conflict(or_add)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// What a run has translated so far.
#[derive(Clone, Copy, Default)]
pub struct RunWords {
    /// The words of the segments that have a translation.
    pub words: i64,
    /// The words of all requests to the engine.
    pub sent: i64,
    pub glossary_misses: i64,
}

pub async fn words_of_run(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    job: JobId,
) -> Result<RunWords, DbErr> {
    const EXTRA: &str = "extra";
    let is_extra = SegmentColumn::Hash.eq(extra_words_hash(job));
    let rows = SegmentEntity::find()
        .select_only()
        .expr_as(is_extra, EXTRA)
        .column(SegmentColumn::FollowsGlossary)
        .column_as(SegmentColumn::Words.sum(), "words")
        .column_as(SegmentColumn::Words.count(), "segments")
        .filter(SegmentColumn::OrganizationId.eq(organization))
        .filter(SegmentColumn::JobId.eq(job))
        .group_by(Expr::col(EXTRA))
        .group_by(SegmentColumn::FollowsGlossary)
        .into_tuple::<(bool, bool, i64, i64)>()
        .all(db)
        .await?;
    let mut sum = RunWords::default();
    for (is_extra, follows_glossary, words, segments) in rows {
        sum.sent += words;
        sum.words += if is_extra { 0 } else { words };
        sum.glossary_misses += if follows_glossary { 0 } else { segments };
    }
    Ok(sum)
}

/// The words that an organization has sent to the engine since a time.
pub async fn words_since(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    since: Timestamp,
) -> Result<i64, DbErr> {
    let sum = SegmentEntity::find()
        .select_only()
        .column_as(SegmentColumn::Words.sum(), "words")
        .filter(SegmentColumn::OrganizationId.eq(organization))
        .filter(SegmentColumn::CreatedAt.gt(since))
        .into_tuple::<Option<i64>>()
        .one(db)
        .await?;
    Ok(sum.flatten().unwrap_or_default())
}
