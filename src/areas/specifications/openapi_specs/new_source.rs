//! Sources that requests set.

use chrono::TimeDelta;
use entity::{
    ids::{JobId, OpenapiSpecId, OrganizationId},
    specifications::openapi_specs::{ActiveModel, Model, OpenapiSpecProcessingState as State, OpenapiSpecVisibility},
    timestamp::Timestamp,
};
use openapi::{error::ApiError, models::OpenApiSpecSource};
use platform::{
    db::{Tx, rows},
    hash::Hash,
    jobs::enqueue,
};
use sea_orm::{ActiveModelTrait, DbErr, IntoActiveModel};
use serde_json::{Value, json};

use super::{problems::StoredProblems, process_job::ProcessSpec, store::SpecToProcess};

use crate::kernel::Kernel;

/// A source with an address is fetched again after this time.
pub const REFRESH_INTERVAL: TimeDelta = TimeDelta::hours(6);

/// A source that a request sets, whose text is stored.
#[derive(Clone)]
pub struct NewSource {
    url: Option<String>,
    text: Option<Hash>,
    id: OpenapiSpecId,
    job: JobId,
    now: Timestamp,
}

impl NewSource {
    pub async fn store(kernel: &Kernel, source: OpenApiSpecSource) -> Result<Self, ApiError> {
        let (url, text) = match source {
            OpenApiSpecSource::OpenApiSpecSourceUrl(source) => (Some(source.url), None),
            OpenApiSpecSource::OpenApiSpecSourceText(source) => {
                let stored = kernel.blobs.put(source.text.into_bytes().into()).await;
                (None, Some(stored.map_err(|error| kernel.blob_error(&error))?))
            }
        };
        Ok(Self {
            url,
            text,
            id: kernel.ids.next(),
            job: kernel.ids.next(),
            now: kernel.clock.now(),
        })
    }

    /// What the audit log says of it: addresses may have secrets in them.
    pub fn payload(&self) -> Value {
        json!({ "source": if self.url.is_some() { "url" } else { "text" } })
    }

    fn next_fetch_at(&self) -> Option<Timestamp> {
        self.url.as_ref().map(|_| self.now.plus(REFRESH_INTERVAL))
    }

    /// Creates a specification.
    pub async fn insert(&self, tx: &Tx, organization: OrganizationId, slug: String) -> Result<Model, ApiError> {
        let problems = StoredProblems::none();
        let row = Model {
            id: self.id,
            organization_id: organization,
            slug,
            source_url: self.url.clone(),
            source_hash: self.text.map(Hash::to_vec),
            source_number: 0,
            source_tag: None,
            visibility: OpenapiSpecVisibility::Private,
            processing_state: State::Pending,
            last_version_id: None,
            last_processed_at: None,
            error_code: None,
            errors: problems.first,
            error_count: problems.count,
            next_fetch_at: self.next_fetch_at(),
            created_at: self.now,
            updated_at: self.now,
        };
        rows::insert(tx, &row).await?;
        self.enqueue(tx, &row).await?;
        Ok(row)
    }

    /// Replaces the source of a specification.
    pub async fn replace(&self, tx: &Tx, row: Model) -> Result<Model, ApiError> {
        let row = Model {
            source_url: self.url.clone(),
            source_hash: self.text.map(Hash::to_vec),
            source_number: row.source_number.wrapping_add(1),
            source_tag: None,
            processing_state: State::Pending,
            next_fetch_at: self.next_fetch_at(),
            updated_at: self.now,
            ..row
        };
        let row: Model = ActiveModel::reset_all(row.into_active_model()).update(tx).await?;
        self.enqueue(tx, &row).await?;
        Ok(row)
    }

    async fn enqueue(&self, tx: &Tx, row: &Model) -> Result<(), DbErr> {
        enqueue::<ProcessSpec>(tx, vec![SpecToProcess::job(self.job, row)], self.now).await
    }
}
