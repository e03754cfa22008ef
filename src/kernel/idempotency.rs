//! Requests with an idempotency key. The first one leaves a row in the transaction of its change, and then its answer in the row.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use chrono::TimeDelta;
use entity::{
    platform::idempotency_keys::{Column, Entity, Model},
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorType},
    idempotency::{Handling, KeyedRequest},
};
use platform::{
    db::{Clock, Db, Tx, rows},
    hash::Hash,
    jobs::{JobContext, JobError, JobKind, PeriodicJob},
    secrets::Secrets,
};
use poem::{Body, Response, ResponseParts, http::StatusCode};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    sea_query::{ExprTrait, OnConflict},
};
use serde::{Deserialize, Serialize};

const RETENTION: TimeDelta = TimeDelta::hours(24);

/// Longer answers are not kept.
const MAX_ANSWER: usize = 256 * 1024;

tokio::task_local! {
    static CURRENT: Arc<Marker>;
}

/// What the request that is being handled leaves in the database.
pub struct Marker {
    /// The hash of the caller and the key.
    id: Vec<u8>,
    request_hash: Vec<u8>,
    is_stored: AtomicBool,
}

impl Marker {
    /// The marker of the current request, if it has one that is not stored yet.
    pub fn pending() -> Option<Arc<Self>> {
        let marker = CURRENT.try_with(Arc::clone).ok()?;
        (!marker.is_stored()).then_some(marker)
    }

    /// Stores the marker in the transaction of a change. Fails if another request with the key was first.
    pub async fn store(&self, tx: &Tx, now: Timestamp) -> Result<(), ApiError> {
        self.put(tx, None, now).await
    }

    /// Notes that the transaction was committed.
    pub fn note_stored(&self) {
        self.is_stored.store(true, Ordering::Relaxed);
    }

    fn is_stored(&self) -> bool {
        self.is_stored.load(Ordering::Relaxed)
    }

    /// Writes the row in the place of none, or of an expired one; with an answer also in that of the same request.
    async fn put(&self, tx: &Tx, answer: Option<Vec<u8>>, now: Timestamp) -> Result<(), ApiError> {
        let is_same = Column::RequestHash
            .eq(self.request_hash.clone())
            .and(Column::Answer.is_null());
        let is_expired = Column::CreatedAt.lte(now.plus(-RETENTION));
        let is_replaced = match answer {
            Some(_) => is_expired.or(is_same),
            None => is_expired,
        };
        let row = Model {
            id: self.id.clone(),
            request_hash: self.request_hash.clone(),
            created_at: now,
            answer,
        };
        let replace = OnConflict::column(Column::Id)
            .update_columns([Column::RequestHash, Column::CreatedAt, Column::Answer])
            .action_and_where(is_replaced)
            .to_owned();
        let insert = Entity::insert(row.into_active_model().reset_all()).on_conflict(replace);
        match insert.exec_without_returning(tx).await {
            Ok(0) | Err(DbErr::RecordNotInserted) => Err(unanswered()),
            Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// What the answer is sealed for.
    fn purpose(&self) -> String {
        format!("idempotency key {}", data_encoding::HEXLOWER.encode(&self.id))
    }
}

/// An answer as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredAnswer {
    status: u16,
    headers: Vec<(String, String)>,
    /// JSON, or nothing.
    body: String,
}

impl StoredAnswer {
    fn of(parts: &ResponseParts, body: &[u8]) -> anyhow::Result<Self> {
        let headers = parts.headers.iter();
        let headers = headers.map(|(name, value)| Ok((name.to_string(), value.to_str()?.to_owned())));
        Ok(Self {
            status: parts.status.as_u16(),
            headers: headers.collect::<anyhow::Result<_>>()?,
            body: str::from_utf8(body)?.to_owned(),
        })
    }

    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or_default();
        let response = self
            .headers
            .into_iter()
            .fold(Response::builder().status(status), |response, (name, value)| {
                response.header(name, value)
            });
        response.body(self.body)
    }
}

/// The keys of all callers.
#[derive(Clone)]
pub struct IdempotencyKeys {
    db: Db,
    clock: Clock,
    secrets: Secrets,
}

impl IdempotencyKeys {
    pub fn new(db: Db, clock: Clock, secrets: Secrets) -> Self {
        Self { db, clock, secrets }
    }

    /// Handles a request of a caller, unless an earlier one with the same key has changed something.
    pub async fn once(
        &self,
        caller: &str,
        request: KeyedRequest,
        handling: Handling<'_>,
    ) -> Result<Response, ApiError> {
        let marker = Arc::new(Marker {
            id: Hash::of(format!("{caller} {}", request.key).as_bytes()).to_vec(),
            request_hash: request.hash.to_vec(),
            is_stored: AtomicBool::new(false),
        });
        if let Some(answer) = self.find(&marker).await? {
            return Ok(answer);
        }
        match CURRENT.scope(Arc::clone(&marker), handling).await {
            Ok(answer) => Ok(self.keep(marker, answer).await),
            // The first request may have ended meanwhile, and be the reason for the error.
            Err(error) if !marker.is_stored() => self.find(&marker).await?.ok_or(error),
            Err(error) => Err(error),
        }
    }

    /// The answer to an earlier request with the key. `None`: there was no such request.
    async fn find(&self, marker: &Marker) -> Result<Option<Response>, ApiError> {
        let row = Entity::find_by_id(marker.id.clone()).one(self.db.read()).await?;
        let oldest = self.clock.now().plus(-RETENTION);
        let Some(row) = row.filter(|row| row.created_at > oldest) else {
            return Ok(None);
        };
        if row.request_hash != marker.request_hash {
            let message = "The `Idempotency-Key` was used for another request. Choose a new one.";
            return Err(ApiError::new(ErrorType::IdempotencyKeyReused, message));
        }
        // Without the secret key that it was sealed with, the answer is lost.
        let opened = row
            .answer
            .and_then(|sealed| self.secrets.open(&marker.purpose(), &sealed).ok());
        let stored: StoredAnswer = serde_json::from_slice(&opened.ok_or_else(unanswered)?)?;
        Ok(Some(stored.into_response()))
    }

    /// Stores the answer to the first request, and returns it.
    async fn keep(&self, marker: Arc<Marker>, answer: Response) -> Response {
        let (parts, body) = answer.into_parts();
        let body = match body.into_bytes().await {
            Ok(body) => body,
            Err(error) => return ApiError::internal(error).into_response(),
        };
        if body.len() <= MAX_ANSWER
            && let Err(error) = self.store_answer(marker, &parts, &body).await
        {
            tracing::warn!(%error, "the answer to a request with an idempotency key is not kept");
        }
        Response::from_parts(parts, Body::from(body))
    }

    async fn store_answer(&self, marker: Arc<Marker>, parts: &ResponseParts, body: &[u8]) -> anyhow::Result<()> {
        let stored = serde_json::to_vec(&StoredAnswer::of(parts, body)?)?;
        let sealed = self.secrets.seal(&marker.purpose(), &stored)?;
        let now = self.clock.now();
        let work = move |tx: Tx| async move { marker.put(&tx, Some(sealed), now).await };
        Ok(self.db.write(work).await?)
    }
}

/// The first request with the key is not over, or what it answered is not known.
fn unanswered() -> ApiError {
    let message = "The first request with this `Idempotency-Key` made its change or still runs, and its response is not known. Read \
                   the present state.";
    ApiError::new(ErrorType::IdempotencyKeyUnanswered, message)
}

/// Removes the keys of requests that are a day old.
pub struct PurgeIdempotencyKeys(pub IdempotencyKeys);

impl JobKind for PurgeIdempotencyKeys {
    const NAME: &'static str = "purge-idempotency-keys";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let IdempotencyKeys { db, clock, .. } = &self.0;
        let expired = Entity::find().filter(Column::CreatedAt.lte(clock.now().plus(-RETENTION)));
        Ok(rows::remove_in_steps(db, expired).await?)
    }
}

impl PeriodicJob for PurgeIdempotencyKeys {
    const INTERVAL: TimeDelta = TimeDelta::minutes(10);
}
