//! The search entries of large changes, in small transactions after the change. Until then the search finds the earlier text.
//!
//! The job is written in the transaction of the change, so that it runs after a crash as well. A page is brought up to the
//! content that the space has at that time, so it makes no difference how often and in which order jobs run.
//!
//! The same jobs make the entries of a space anew when its language or the form of the index has changed.

use std::sync::Arc;

use chrono::TimeDelta;
use content::{
    copy::CopySource,
    index::{Index, search_entries},
};
use entity::{
    ids::{JobId, NodeId, PageId},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::{
    db::Tx,
    jobs::{JobContext, JobError, JobKind, PeriodicJob, enqueue},
};
use sea_orm::DbErr;
use search::{index, scattered};
use serde::{Deserialize, Serialize};

use super::{
    computed::{IndexComputedPages, is_computed},
    content_writes::retry_stale,
};
use crate::{areas::content::Contents, kernel::Kernel};

/// Pages of one job.
const PAGES_PER_JOB: usize = 200;

/// Spaces that one transaction begins to index anew.
const SPACES_AT_ONCE: u64 = 20;

/// Adds changed pages to the search index.
pub struct IndexPages(pub Arc<Contents>);

#[derive(Serialize, Deserialize)]
pub struct ChangedPages {
    space: NodeId,
    pages: Vec<PageId>,
}

impl JobKind for IndexPages {
    const NAME: &'static str = "index-pages";
    type Payload = ChangedPages;

    async fn run(&self, _: &JobContext, changed: ChangedPages) -> Result<(), JobError> {
        let refreshed = refresh(&self.0, changed.space, &changed.pages).await;
        refreshed.map_err(|error| JobError::Retryable(error.to_string()))
    }
}

/// Finds the spaces whose search entries have to be made anew, and enqueues the jobs that do it.
pub struct RenewSearchIndex(pub Arc<Contents>);

impl JobKind for RenewSearchIndex {
    const NAME: &'static str = "renew-search-index";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let contents = &self.0;
        loop {
            let spaces = index::outdated(contents.kernel.db.read(), SPACES_AT_ONCE).await?;
            if spaces.is_empty() {
                return Ok(());
            }
            let (ids, now) = (contents.kernel.ids.clone(), contents.kernel.clock.now());
            let work = move |tx| async move {
                for space in spaces {
                    let (computed, pages): (Vec<PageId>, Vec<PageId>) = index::renew(&tx, space)
                        .await?
                        .into_iter()
                        .partition(|page| is_computed(*page));
                    if !computed.is_empty() {
                        IndexComputedPages::enqueue(&tx, ids.next(), space, now).await?;
                    }
                    let pages = scattered(pages);
                    let pages = pages.chunks(PAGES_PER_JOB).map(<[PageId]>::to_vec);
                    let jobs = pages.map(|pages| (ids.next(), ChangedPages { space, pages }));
                    enqueue::<IndexPages>(&tx, jobs.collect(), now).await?;
                }
                Ok::<_, DbErr>(())
            };
            contents.kernel.db.write(work).await?;
            contents.kernel.jobs.wake();
        }
    }
}

impl PeriodicJob for RenewSearchIndex {
    const INTERVAL: TimeDelta = TimeDelta::minutes(1);
}

async fn refresh(contents: &Contents, space: NodeId, pages: &[PageId]) -> Result<(), ApiError> {
    retry_stale(async || {
        let Some(revision) = contents.current_revision(space).await? else {
            return Ok(Some(()));
        };
        let target = (&*revision, pages);
        let refreshed = search_entries::refresh(
            (&contents.kernel.db, &contents.kernel.work),
            &contents.state.objects,
            target,
        )
        .await?;
        Ok(refreshed.then_some(()))
    })
    .await
}

/// The jobs of an index.
#[derive(Clone)]
pub struct IndexJobs {
    jobs: Vec<(JobId, Vec<PageId>)>,
    /// For the computed pages.
    computed: Option<JobId>,
    space: NodeId,
    now: Timestamp,
}

impl IndexJobs {
    pub fn of(kernel: &Kernel, space: NodeId, index: &Index) -> Self {
        Self::new(kernel, space, index.deferred(), index.changes_computed_pages())
    }

    /// The jobs of a space to which content is copied.
    pub fn of_copy(kernel: &Kernel, space: NodeId, content: &CopySource) -> Self {
        Self::new(
            kernel,
            space,
            content.pages_to_index(),
            content.has_computed_pages_to_index(),
        )
    }

    fn new(kernel: &Kernel, space: NodeId, pages: &[PageId], has_computed_pages: bool) -> Self {
        let pages = scattered(pages.to_vec());
        let jobs = pages.chunks(PAGES_PER_JOB);
        Self {
            jobs: jobs.map(|pages| (kernel.ids.next(), pages.to_vec())).collect(),
            computed: has_computed_pages.then(|| kernel.ids.next()),
            space,
            now: kernel.clock.now(),
        }
    }

    /// Stores the jobs in the transaction of the change.
    pub async fn store(self, tx: &Tx) -> Result<(), DbErr> {
        let space = self.space;
        if let Some(job) = self.computed {
            IndexComputedPages::enqueue(tx, job, space, self.now).await?;
        }
        let jobs = self
            .jobs
            .into_iter()
            .map(|(id, pages)| (id, ChangedPages { space, pages }));
        enqueue::<IndexPages>(tx, jobs.collect(), self.now).await
    }
}
