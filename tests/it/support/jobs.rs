//! Kinds of jobs for tests, and processes that run them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use bindery::{app::App, commands::background};
use chrono::TimeDelta;
use entity::{
    ids::{JobId, OrganizationId},
    platform::jobs::{Column, Entity, JobState, Model},
    timestamp::Timestamp,
};
use platform::{
    db::{Clock, Db, DbOptions, IdSource, ManualClock, Tx},
    jobs::{
        Cancellation, EndReason, JobContext, JobError, JobKind, JobQueue, Kinds, NewJob, PeriodicJob, Runner, enqueue,
    },
};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    sea_query::{Expr, SimpleExpr},
};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{Notify, Semaphore},
    task::JoinHandle,
    time::timeout,
};

use super::{database::TestDatabase, service::START};

/// More than anything here takes.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A kind that does what its payload says, and remembers its runs.
#[derive(Clone)]
pub struct Probe(Arc<Shared>);

struct Shared {
    runs: Mutex<Vec<(JobId, i32)>>,
    /// The jobs that ended without success.
    ended: Mutex<BTreeMap<JobId, EndReason>>,
    begun: Notify,
    released: Semaphore,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub enum Work {
    Succeed,
    Fail,
    FailForGood,
    Panic,
    /// Ends when it is released.
    Wait,
}

impl JobKind for Probe {
    const NAME: &'static str = "probe";
    const CONCURRENCY: usize = 2;
    const TURNS_WITH: Option<&'static str> = Some(Companion::NAME);
    type Payload = Work;

    async fn run(&self, context: &JobContext, work: Work) -> Result<(), JobError> {
        self.0.runs.lock().unwrap().push((context.id, context.attempt));
        self.0.begun.notify_one();
        match work {
            Work::Succeed => Ok(()),
            Work::Fail => Err(JobError::Retryable("not\u{0}\nnow".to_owned())),
            Work::FailForGood => Err(JobError::Permanent("never".to_owned())),
            Work::Panic => panic!("a job of a test panics"),
            Work::Wait => {
                self.0.released.acquire().await.unwrap().forget();
                Ok(())
            }
        }
    }

    async fn end_without_success(&self, tx: &Tx, job: JobId, _: Work, reason: EndReason) -> Result<(), DbErr> {
        // It sees the end of the job, so it runs in the same transaction.
        let found = Entity::find_by_id(job).one(tx).await?.unwrap();
        assert_eq!((found.next_attempt_at, found.lease_id), (None, None));
        self.0.ended.lock().unwrap().insert(job, reason);
        Ok(())
    }
}

/// A kind that does the same work as [`Probe`].
pub struct Companion;

impl JobKind for Companion {
    const NAME: &'static str = "companion";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(())
    }
}

impl Probe {
    pub fn new() -> Self {
        Self(Arc::new(Shared {
            runs: Mutex::default(),
            ended: Mutex::default(),
            begun: Notify::new(),
            released: Semaphore::new(0),
        }))
    }

    /// The jobs of the runs that have begun, in their order.
    pub fn begun_jobs(&self) -> Vec<JobId> {
        self.0.runs.lock().unwrap().iter().map(|(job, _)| *job).collect()
    }

    pub fn runs(&self) -> usize {
        self.0.runs.lock().unwrap().len()
    }

    pub fn ended(&self) -> Vec<(JobId, EndReason)> {
        let ended = self.0.ended.lock().unwrap();
        ended.iter().map(|(job, reason)| (*job, *reason)).collect()
    }

    /// Kinds of a process, for what concerns jobs that it does not run.
    pub fn kinds(&self) -> Kinds {
        Kinds::default().with(self.clone())
    }

    pub async fn begun(&self) {
        timeout(PATIENCE, self.0.begun.notified()).await.unwrap();
    }

    pub fn release(&self) {
        self.0.released.add_permits(1);
    }
}

/// A periodic kind; fails when it is told to.
#[derive(Clone, Default)]
pub struct Daily {
    pub runs: Arc<Mutex<usize>>,
    pub fails: bool,
}

impl JobKind for Daily {
    const NAME: &'static str = "daily";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        *self.runs.lock().unwrap() += 1;
        match self.fails {
            true => Err(JobError::Permanent("never".to_owned())),
            false => Ok(()),
        }
    }
}

impl PeriodicJob for Daily {
    const INTERVAL: TimeDelta = TimeDelta::days(1);
}

/// A process with a runner of probes.
pub struct Node {
    pub db: Db,
    pub queue: JobQueue,
    pub ids: IdSource,
    pub clock: Clock,
    pub probe: Probe,
    pub runner: Runner,
}

impl Node {
    pub async fn new(database: &TestDatabase) -> (Self, ManualClock) {
        let (clock, manual) = Clock::manual(START);
        let db = database.migrated().await;
        (Self::of(db, clock), manual)
    }

    pub fn of(db: Db, clock: Clock) -> Self {
        let ids = IdSource::new(clock.clone());
        let queue = JobQueue::new(db.clone(), clock.clone(), ids.clone());
        let probe = Probe::new();
        let runner = Runner::new(queue.clone(), Kinds::default().with(probe.clone()).with(Companion));
        Self {
            db,
            queue,
            ids,
            clock,
            probe,
            runner,
        }
    }

    /// Another process on the same database, with the same clock.
    pub async fn another(&self, database: &TestDatabase) -> Self {
        let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
        Self::of(db, self.clock.clone())
    }

    pub async fn enqueue(&self, works: &[Work]) -> Vec<JobId> {
        self.enqueue_for(None, works).await
    }

    pub async fn enqueue_for(&self, organization: Option<OrganizationId>, works: &[Work]) -> Vec<JobId> {
        self.enqueue_as::<Probe>(organization, works).await
    }

    pub async fn enqueue_as<K: JobKind<Payload: Copy + Sync>>(
        &self,
        organization: Option<OrganizationId>,
        payloads: &[K::Payload],
    ) -> Vec<JobId> {
        let jobs = payloads.iter().map(|payload| NewJob {
            id: self.ids.next(),
            organization,
            payload: *payload,
        });
        let jobs: Vec<NewJob<K::Payload>> = jobs.collect();
        let ids = jobs.iter().map(|job| job.id).collect();
        let now = self.clock.now();
        let written: Result<(), DbErr> = self
            .db
            .write(move |tx| {
                let jobs: Vec<NewJob<K::Payload>> = jobs.clone();
                async move { enqueue::<K>(&tx, jobs, now).await }
            })
            .await;
        written.unwrap();
        ids
    }

    pub async fn run_due(&mut self) -> usize {
        timeout(PATIENCE, self.runner.run_due()).await.unwrap().unwrap()
    }

    pub async fn jobs(&self) -> Vec<Model> {
        let query = Entity::find().order_by_asc(Column::Id);
        query.all(self.db.read()).await.unwrap()
    }

    pub async fn job(&self) -> Model {
        let [job] = self.jobs().await.try_into().unwrap();
        job
    }

    /// Runs until the process is killed.
    pub fn start(self) -> JoinHandle<()> {
        tokio::spawn(self.runner.run(std::future::pending(), PATIENCE))
    }
}

/// Cancels the only job of a kind that has not ended, as an operator does.
pub async fn cancel_job(app: &App, kind: &str) {
    let open = Entity::find()
        .filter(Column::Kind.eq(kind))
        .filter(Column::NextAttemptAt.is_not_null());
    let [job] = open.all(app.kernel.db.read()).await.unwrap().try_into().unwrap();
    let cancelled = app.kernel.jobs.cancel(job.id, &background::kinds(app, None)).await;
    assert_eq!(cancelled.unwrap(), Cancellation::Cancelled);
}

/// As time would do it.
pub async fn end_leases(db: &Db) {
    make_due_if(db, Column::State.eq(JobState::Running)).await;
}

/// All jobs that have not ended are due at once, also those of processes that are gone.
pub async fn make_due(db: &Db) {
    make_due_if(db, Column::NextAttemptAt.is_not_null()).await;
}

async fn make_due_if(db: &Db, condition: SimpleExpr) {
    let due = |tx| async move {
        let update = Entity::update_many().col_expr(Column::NextAttemptAt, Expr::value(Timestamp::from_millis(0)));
        update.filter(condition).exec(&tx).await.map(drop)
    };
    db.write(due).await.unwrap();
}
