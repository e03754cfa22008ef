//! From a source to a document: fetching and bundling.

use std::time::{Duration, Instant};

use bytes::Bytes;
use entity::{
    ids::OrganizationId,
    specifications::openapi_specs::{Model, OpenapiSpecErrorCode as ErrorCode},
};
use platform::{
    blobs,
    hash::Hash,
    jobs::JobError,
    outbound::{FetchError, FetchLimits, Fetched, OnBehalf, Oversize},
};
use serde::de::IgnoredAny;
use specifications::{Bundle, Finished, MAX_SOURCE_BYTES, Problem};
use tokio::sync::{Semaphore, SemaphorePermit};
use url::Url;

use super::problems::{StoredProblem, StoredProblems};

use crate::{areas::content::computed::StoredOutline, kernel::Kernel};

/// The time to fetch a source and all documents that it refers to.
const FETCH_TIMEOUT: Duration = Duration::from_secs(60);

/// Sources of more bytes are large.
const SMALL_BYTES: usize = 1024 * 1024;

/// What became of a source.
#[derive(Clone)]
pub enum Outcome {
    /// The source is the one that was processed last.
    Unchanged,
    Document {
        blobs: VersionBlobs,
        tag: Option<String>,
        outline: StoredOutline,
        problems: StoredProblems,
    },
    Failed {
        code: ErrorCode,
        problems: StoredProblems,
    },
}

/// The blobs of a version.
#[derive(Clone)]
pub struct VersionBlobs {
    pub document: Hash,
    pub content: Hash,
    pub source: Hash,
    pub source_is_json: bool,
}

/// Why there is no document.
enum Failure {
    Fetch {
        url: String,
        error: FetchError,
    },
    Invalid(Vec<Problem>),
    /// The server itself failed, and may succeed later.
    Server(JobError),
}

impl<E: Into<JobError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Server(error.into())
    }
}

/// Large documents are processed one at a time, because their values take much memory.
pub struct TurnOfLarge<'a> {
    turns: &'a Semaphore,
    held: Option<SemaphorePermit<'a>>,
}

impl<'a> TurnOfLarge<'a> {
    pub fn new(turns: &'a Semaphore) -> Self {
        Self { turns, held: None }
    }

    /// Waits for its turn if the sources have so many bytes. Small ones, which others may wait for, never wait.
    async fn wait_for(&mut self, bytes: usize) -> anyhow::Result<()> {
        if bytes > SMALL_BYTES && self.held.is_none() {
            self.held = Some(self.turns.acquire().await?);
        }
        Ok(())
    }
}

pub async fn process(kernel: &Kernel, spec: Model, turn: TurnOfLarge<'_>) -> Result<Outcome, JobError> {
    match make(kernel, &spec, turn).await {
        Ok(outcome) => Ok(outcome),
        Err(Failure::Server(error)) => Err(error),
        Err(Failure::Fetch { url, error }) if matches!(error, FetchError::Busy | FetchError::Client(_)) => {
            Err(JobError::Retryable(format!("{url} {error}")))
        }
        Err(Failure::Fetch { url, error }) => {
            let code = match error {
                FetchError::TooSlow => ErrorCode::FetchTimeout,
                _ => ErrorCode::FetchError,
            };
            failed(code, vec![StoredProblem::new(format!("{url} {error}."))])
        }
        Err(Failure::Invalid(problems)) => {
            let problems = problems.into_iter().map(StoredProblem::from).collect();
            failed(ErrorCode::ParseError, problems)
        }
    }
}

fn failed(code: ErrorCode, problems: Vec<StoredProblem>) -> Result<Outcome, JobError> {
    let problems = StoredProblems::all(problems).map_err(anyhow::Error::from)?;
    Ok(Outcome::Failed { code, problems })
}

async fn make(kernel: &Kernel, spec: &Model, mut turn: TurnOfLarge<'_>) -> Result<Outcome, Failure> {
    let sources = Sources {
        kernel,
        tenant: spec.organization_id,
        until: Instant::now() + FETCH_TIMEOUT,
    };
    let (bytes, address, tag) = match &spec.source_url {
        Some(url) => {
            let Some(fetched) = sources.fetch(url, spec.source_tag.as_deref(), MAX_SOURCE_BYTES).await? else {
                return Ok(Outcome::Unchanged);
            };
            (fetched.bytes, Url::parse(url).ok(), fetched.tag)
        }
        None => (text(kernel, spec).await?, None, None),
    };
    turn.wait_for(bytes.len()).await?;
    let source = kernel.blobs.put(bytes.clone()).await?;
    let (mut bundle, source_is_json) = compute(move || {
        let is_json = serde_json::from_slice::<IgnoredAny>(&bytes).is_ok();
        Ok((Bundle::open(&bytes, address)?, is_json))
    })
    .await?;
    // What a tag says of the source says nothing of the documents that it refers to.
    let tag = tag.filter(|_| bundle.missing().is_none());
    while let Some(address) = bundle.missing().cloned() {
        let limit = bundle.bytes_left().min(MAX_SOURCE_BYTES);
        let fetched = sources.fetch(address.as_str(), None, limit).await?;
        let bytes = fetched.map(|fetched| fetched.bytes).unwrap_or_default();
        turn.wait_for(bundle.bytes().saturating_add(bytes.len())).await?;
        let add = move || bundle.add(address, &bytes).map(|()| bundle);
        bundle = compute(add).await?;
    }
    let Finished {
        document,
        content,
        problems,
    } = compute(move || bundle.finish()).await?;
    let document = Bytes::from(document);
    let blobs = VersionBlobs {
        document: kernel.blobs.put(document.clone()).await?,
        content: kernel.blobs.put(content.into()).await?,
        source,
        source_is_json,
    };
    Ok(Outcome::Document {
        blobs,
        tag,
        outline: StoredOutline::read(document).await?,
        problems: StoredProblems::reported(problems).map_err(anyhow::Error::from)?,
    })
}

/// Runs a step that takes long where it keeps no request waiting.
async fn compute<T: Send + 'static>(
    step: impl FnOnce() -> Result<T, Vec<Problem>> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(step).await;
    done.map_err(anyhow::Error::from)?.map_err(Failure::Invalid)
}

async fn text(kernel: &Kernel, spec: &Model) -> Result<Bytes, Failure> {
    let hash = spec.source_hash.as_deref().unwrap_or_default();
    let found = blobs::load(kernel.db.read(), hash).await?;
    let found = found.ok_or_else(|| JobError::Permanent("the text of the specification is gone".to_owned()))?;
    Ok(kernel.blobs.objects.read(found.name).await?)
}

struct Sources<'a> {
    kernel: &'a Kernel,
    tenant: OrganizationId,
    until: Instant,
}

impl Sources<'_> {
    async fn fetch(&self, url: &str, tag: Option<&str>, bytes: usize) -> Result<Option<Fetched>, Failure> {
        let limits = FetchLimits {
            bytes,
            oversize: Oversize::Refuse,
            time: self.until.saturating_duration_since(Instant::now()),
            on_behalf: OnBehalf {
                tenant: *self.tenant.as_uuid(),
                user: None,
            },
        };
        let fetched = self.kernel.outbound.get_if_changed(url, tag, limits).await;
        fetched.map_err(|error| Failure::Fetch {
            url: url.to_owned(),
            error,
        })
    }
}
