//! Running the jobs that are due.

use std::{panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use entity::platform::jobs::Model;
use futures_util::FutureExt;
use sea_orm::DbErr;
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep, timeout},
};
use tracing::Instrument;

use super::{
    kind::{JobContext, JobError},
    queue::JobQueue,
    registry::{Kinds, RegisteredKind},
};

/// Interval of looking for due jobs: those of other processes, and failed ones that are due again.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Interval of renewing the lease of a running job.
const LEASE_CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Runs jobs. Several runners may work on one database, in one process or in many.
pub struct Runner {
    queue: JobQueue,
    slots: Vec<Slots>,
    /// Each ends with whether its job succeeded.
    running: JoinSet<bool>,
    /// True once every periodic kind has its job.
    periodic_jobs_exist: bool,
}

/// The runs of one kind that this process may begin.
struct Slots {
    registered: RegisteredKind,
    free: Arc<Semaphore>,
}

impl Runner {
    pub fn new(queue: JobQueue, kinds: Kinds) -> Self {
        let slots = kinds.into_registered().into_iter().map(|registered| Slots {
            free: Arc::new(Semaphore::new(registered.kind.concurrency())),
            registered,
        });
        Self {
            queue,
            slots: slots.collect(),
            running: JoinSet::new(),
            periodic_jobs_exist: false,
        }
    }

    /// Runs jobs as they become due until `stop` ends. Then begins no more, and waits up to `grace` for those that run;
    /// the others are run again after their lease has ended.
    pub async fn run(mut self, stop: impl Future<Output = ()>, grace: Duration) {
        let mut stop = pin!(stop);
        let mut ticks = interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                // Asked first: no job is begun after the stop.
                biased;
                () = &mut stop => break,
                _ = ticks.tick() => {}
                () = self.queue.woken() => {}
                Some(_) = self.running.join_next() => {}
            }
            if let Err(error) = self.start_due().await {
                tracing::warn!(%error, "due jobs cannot be claimed; the next attempt follows in a few seconds");
            }
        }
        let all_ended = async { while self.running.join_next().await.is_some() {} };
        if timeout(grace, all_ended).await.is_err() {
            let jobs = self.running.len();
            tracing::warn!(
                jobs,
                "jobs were stopped before they ended; they run again after their lease has ended"
            );
        }
    }

    /// Runs the jobs that are due, and those that become due meanwhile. Returns how many runs succeeded.
    pub async fn run_due(&mut self) -> Result<usize, DbErr> {
        let mut succeeded = 0;
        loop {
            self.start_due().await?;
            match self.running.join_next().await {
                Some(Ok(true)) => succeeded += 1,
                Some(_) => {}
                None => return Ok(succeeded),
            }
        }
    }

    /// Claims due jobs, as many of each kind as may run, and starts them.
    async fn start_due(&mut self) -> Result<(), DbErr> {
        self.create_periodic_jobs().await?;
        for Slots { registered, free } in &self.slots {
            let limit = free.available_permits();
            if limit == 0 {
                continue;
            }
            for job in self.queue.claim(registered, limit).await? {
                let (queue, registered, free) = (self.queue.clone(), registered.clone(), Arc::clone(free));
                let (request_id, attempt) = (&job.request_id, job.attempts);
                let span = tracing::info_span!("job", kind = job.kind, id = %job.id, attempt, request_id);
                // No other task takes permits, so this one is free.
                let permit = free.try_acquire_owned();
                let run = async move {
                    let _permit = permit;
                    run_claimed(&queue, &registered, &job).await
                };
                self.running.spawn(run.instrument(span));
            }
        }
        Ok(())
    }

    async fn create_periodic_jobs(&mut self) -> Result<(), DbErr> {
        if self.periodic_jobs_exist {
            return Ok(());
        }
        let periodic = self.slots.iter().map(|slots| &slots.registered);
        let periodic = periodic.filter(|registered| registered.interval.is_some());
        let names = periodic.map(|registered| registered.kind.name()).collect();
        self.queue.create_periodic(names).await?;
        self.periodic_jobs_exist = true;
        Ok(())
    }
}

/// Runs a job to its end, records the end, and returns whether the job succeeded.
async fn run_claimed(queue: &JobQueue, registered: &RegisteredKind, job: &Model) -> bool {
    let result = tokio::select! {
        result = run_within_limits(registered, job) => result,
        () = lease_lost(queue, job) => {
            tracing::warn!("the job was stopped: it was cancelled, or its lease ended");
            return false;
        }
    };
    let recorded = match &result {
        Ok(()) => queue.record_success(job, registered.interval).await,
        Err(error) => {
            tracing::warn!(%error, "the job failed");
            queue.record_failure(registered, job, error).await
        }
    };
    if let Err(error) = &recorded {
        tracing::warn!(%error, "the end of the job cannot be recorded; it runs again after its lease has ended");
    }
    result.is_ok() && recorded.is_ok()
}

async fn run_within_limits(registered: &RegisteredKind, job: &Model) -> Result<(), JobError> {
    let context = JobContext {
        id: job.id,
        lease: job.lease_id,
        created_at: job.created_at,
        attempt: job.attempts,
    };
    let limit = registered.kind.time_limit();
    let run = registered.kind.run_stored(&context, job.payload.clone());
    match AssertUnwindSafe(timeout(limit, run)).catch_unwind().await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(JobError::Retryable(format!(
            "the job ran longer than {} s",
            limit.as_secs()
        ))),
        Err(_) => Err(JobError::Retryable("the job panicked".to_owned())),
    }
}

/// Keeps the lease of a running job, and ends when it is lost.
async fn lease_lost(queue: &JobQueue, job: &Model) {
    loop {
        sleep(LEASE_CHECK_INTERVAL).await;
        match queue.keep_lease(job).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => tracing::warn!(%error, "the lease of the job cannot be checked"),
        }
    }
}
