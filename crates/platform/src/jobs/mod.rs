//! Background work: jobs are rows of the database, and every process runs those that are due.
//!
//! A job is written in the transaction of the change that needs it ([`enqueue`]). A process claims due jobs with a lease,
//! runs them ([`Runner`]), and renews the lease as long as they run. A job whose process died is run again after its lease
//! has ended, so each job runs at least once, and its kind must bear a second run. A run that fails is repeated with
//! exponential backoff. Jobs of different organizations take turns, so that nobody waits for all the jobs of somebody else.
//!
//! A new kind of work is a type with [`JobKind`] in a file beside its area, and one line where the server registers kinds.

mod backoff;
mod jobs_table;
mod kind;
mod purge_job;
mod queue;
mod registry;
mod runner;

pub use self::{
    jobs_table::{NewJob, cancel, enqueue, enqueue_at, hasten, make_due, run_again},
    kind::{EndReason, JobContext, JobError, JobKind, PeriodicJob},
    purge_job::PurgeJobs,
    queue::{Cancellation, JobFilter, JobQueue, JobSummary},
    registry::Kinds,
    runner::Runner,
};
