//! Specifications and versions in the database.

use entity::{
    ids::{JobId, OpenapiSpecId, OpenapiSpecVersionId, OrganizationId},
    specifications::openapi_specs::{
        ActiveModel, Column, Entity, Model, OpenapiSpecErrorCode as ErrorCode, OpenapiSpecProcessingState as State,
        versions,
    },
    timestamp::Timestamp,
};
use platform::{
    db::{Tx, rows},
    hash::Hash,
    jobs::{NewJob, enqueue},
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::{Expr, ExprTrait},
};
use serde::{Deserialize, Serialize};

use super::{problems::StoredProblems, processing::Outcome};

use crate::{
    areas::{
        content::computed::{IndexSpecification, SpecificationToIndex},
        publishing::sites,
    },
    kernel::Kernel,
};

pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

pub fn versions_of(spec: OpenapiSpecId) -> Select<versions::Entity> {
    versions::Entity::find().filter(versions::Column::SpecId.eq(spec))
}

fn by_slug(organization: OrganizationId, slug: &str) -> Option<Select<Entity>> {
    // PostgreSQL refuses texts with NUL, which no slug has.
    (!slug.contains('\0')).then(|| of(organization).filter(Column::Slug.eq(slug)))
}

pub async fn find(db: &impl ConnectionTrait, organization: OrganizationId, slug: &str) -> Result<Option<Model>, DbErr> {
    match by_slug(organization, slug) {
        Some(found) => found.one(db).await,
        None => Ok(None),
    }
}

/// Finds a specification in a transaction in which no other one changes it.
pub async fn lock(db: &impl ConnectionTrait, organization: OrganizationId, slug: &str) -> Result<Option<Model>, DbErr> {
    match by_slug(organization, slug) {
        Some(found) => found.lock_exclusive().one(db).await,
        None => Ok(None),
    }
}

/// The version of the same specification that was made before this one.
pub async fn version_before(
    db: &impl ConnectionTrait,
    version: &versions::Model,
) -> Result<Option<versions::Model>, DbErr> {
    versions_of(version.spec_id)
        .filter(versions::Column::Id.lt(version.id))
        .order_by_desc(versions::Column::Id)
        .one(db)
        .await
}

/// Finds a version of a specification. Without an id, the latest one.
pub async fn version(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    slug: &str,
    id: Option<OpenapiSpecVersionId>,
) -> Result<Option<versions::Model>, DbErr> {
    match version_of(organization, slug, id) {
        Some(wanted) => wanted.one(db).await,
        None => Ok(None),
    }
}

/// Finds a version with its specification. Without an id, the latest one.
pub async fn version_and_spec(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    slug: &str,
    id: Option<OpenapiSpecVersionId>,
) -> Result<Option<(versions::Model, Model)>, DbErr> {
    let Some(wanted) = version_of(organization, slug, id) else {
        return Ok(None);
    };
    let found = wanted.select_also(Entity).one(db).await?;
    Ok(found.and_then(|(version, spec)| Some((version, spec?))))
}

fn version_of(
    organization: OrganizationId,
    slug: &str,
    id: Option<OpenapiSpecVersionId>,
) -> Option<Select<versions::Entity>> {
    // PostgreSQL refuses texts with NUL, which no slug has.
    if slug.contains('\0') {
        return None;
    }
    let of_spec = versions::Entity::belongs_to(Entity)
        .from(versions::Column::SpecId)
        .to(Column::Id)
        .into();
    let wanted = match id {
        Some(id) => versions::Column::Id.eq(id),
        None => Expr::col((versions::Entity, versions::Column::Id)).equals((Entity, Column::LastVersionId)),
    };
    let of_organization = versions::Entity::find()
        .join(JoinType::InnerJoin, of_spec)
        .filter(Column::OrganizationId.eq(organization));
    Some(of_organization.filter(Column::Slug.eq(slug)).filter(wanted))
}

/// A specification with the source that it had.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct SpecToProcess {
    pub id: OpenapiSpecId,
    pub source_number: i32,
}

impl SpecToProcess {
    /// A job that processes the present source.
    pub fn job(id: JobId, row: &Model) -> NewJob<Self> {
        NewJob {
            id,
            organization: Some(row.organization_id),
            payload: Self {
                id: row.id,
                source_number: row.source_number,
            },
        }
    }
}

async fn lock_to_process(tx: &Tx, spec: SpecToProcess) -> Result<Option<Model>, DbErr> {
    let found = Entity::find_by_id(spec.id).filter(Column::SourceNumber.eq(spec.source_number));
    found.lock_exclusive().one(tx).await
}

/// Marks a specification as being processed. `None`: it is gone, or has another source by now.
pub async fn begin(kernel: &Kernel, spec: SpecToProcess) -> Result<Option<Model>, DbErr> {
    let work = move |tx: Tx| async move {
        let Some(row) = lock_to_process(&tx, spec).await? else {
            return Ok(None);
        };
        let mut row = ActiveModel::from(row);
        row.processing_state = Set(State::Progress);
        Ok(Some(row.update(&tx).await?))
    };
    kernel.db.write(work).await
}

/// Stores what the processing made of the source, unless the source has changed since.
pub async fn finish(kernel: &Kernel, spec: SpecToProcess, outcome: Outcome) -> Result<(), DbErr> {
    let (id, job, now) = (kernel.ids.next(), kernel.ids.next(), kernel.clock.now());
    let work = move |tx: Tx| async move {
        let Some(row) = lock_to_process(&tx, spec).await? else {
            return Ok(());
        };
        let (before, of_row) = (row.last_version_id, row.clone());
        let mut row = ActiveModel::from(row);
        row.processing_state = Set(State::Complete);
        row.last_processed_at = Set(Some(now));
        match outcome {
            Outcome::Unchanged => {}
            Outcome::Failed { code, problems } => {
                row.error_code = Set(Some(code));
                set_problems(&mut row, problems);
                row.source_tag = Set(None);
            }
            Outcome::Document {
                blobs,
                tag,
                outline,
                problems,
            } => {
                row.error_code = Set(None);
                set_problems(&mut row, problems);
                row.source_tag = Set(tag);
                if !has_content(&tx, before, blobs.document).await? {
                    let version = versions::Model {
                        id,
                        spec_id: spec.id,
                        hash: blobs.document.to_vec(),
                        content_hash: blobs.content.to_vec(),
                        source_hash: blobs.source.to_vec(),
                        source_is_json: blobs.source_is_json,
                        created_at: now,
                    };
                    rows::insert(&tx, &version).await?;
                    outline.store(&tx, id).await?;
                    enqueue_index(&tx, job, &of_row, now).await?;
                    sites::store::note_change(&tx, of_row.organization_id).await?;
                    row.last_version_id = Set(Some(id));
                    row.updated_at = Set(now);
                }
            }
        }
        row.update(&tx).await.map(drop)
    };
    kernel.db.write(work).await?;
    kernel.jobs.wake();
    Ok(())
}

/// Records that a source could not be processed. The last version stays.
pub async fn end_without_outcome(
    tx: &Tx,
    spec: SpecToProcess,
    problems: StoredProblems,
    now: Timestamp,
) -> Result<(), DbErr> {
    let Some(row) = lock_to_process(tx, spec).await? else {
        return Ok(());
    };
    if row.processing_state == State::Complete {
        return Ok(());
    }
    let code = match row.source_url {
        Some(_) => ErrorCode::FetchError,
        None => ErrorCode::ParseError,
    };
    let mut row = ActiveModel::from(row);
    row.processing_state = Set(State::Complete);
    row.last_processed_at = Set(Some(now));
    row.error_code = Set(Some(code));
    set_problems(&mut row, problems);
    row.source_tag = Set(None);
    row.update(tx).await.map(drop)
}

fn set_problems(row: &mut ActiveModel, problems: StoredProblems) {
    row.errors = Set(problems.first);
    row.error_count = Set(problems.count);
}

/// Has the pages that are computed from a specification indexed, in the transaction that changes the specification.
pub async fn enqueue_index(tx: &Tx, job: JobId, row: &Model, now: Timestamp) -> Result<(), DbErr> {
    let payload = SpecificationToIndex {
        organization: row.organization_id,
        names: vec![row.slug.clone(), row.id.to_string()],
    };
    enqueue::<IndexSpecification>(tx, vec![(job, payload)], now).await
}

async fn has_content(tx: &Tx, version: Option<OpenapiSpecVersionId>, hash: Hash) -> Result<bool, DbErr> {
    let Some(version) = version else {
        return Ok(false);
    };
    let found = versions::Entity::find_by_id(version).one(tx).await?;
    Ok(found.is_some_and(|version| version.hash == hash.as_bytes()))
}
