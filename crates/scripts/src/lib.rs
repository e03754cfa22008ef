//! Scripts of integrations, run by QuickJS in processes of their own within fixed limits.
//!
//! [`Scripts`] is the parent's side: a pool with one process for each integration. An [`Event`] goes in, the [`Answer`] of the
//! script comes out, and [`Rest`] is the end of what the script does after its answer. [`run`] is the child's side: a program
//! that calls it reads events from standard input until the parent closes it.
//!
//! A script sees the Web APIs of `child/prelude` and nothing else. Its requests leave through the [`Fetch`] of the caller.
//! Three rings of limits hold it: the engine asks after each few thousand steps whether the time of the slice is over, the child
//! watches CPU and wall time of the event, and the parent kills the process shortly after that. A process may neither open
//! files nor connect (seccomp, on Linux).

mod api;
mod child;
mod frames;
mod pool;
mod process;

pub use api::{
    Answer, Event, Failure, Fetch, FetchFuture, FetchRequest, FetchResponse, Finished, Headers, Limits, Log, LogLevel,
    Reason, Rest, ScriptRuntime, Settings,
};
pub use child::run;
pub use pool::Scripts;
