//! A queued write without its types, so that writes of all kinds wait in one queue.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sea_orm::DbErr;
use tokio::sync::oneshot;
use tracing::{Instrument, Span};

use crate::db::{tx::Tx, write_span};

/// A write on its way through the writer.
pub(super) trait Job: Send {
    /// Nobody waits for the outcome any more.
    fn abandoned(&self) -> bool;

    /// Runs the closure and keeps its outcome. An error means that the whole transaction is lost.
    fn run<'a>(&'a mut self, tx: &'a Tx) -> BoxFuture<'a, Result<Effect, DbErr>>;

    /// Tells the caller how it ended. A closure that succeeded still fails if its commit did.
    fn answer(self: Box<Self>, committed: Result<(), DbErr>);
}

/// What becomes of the changes a closure made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Keep,
    Undo,
}

pub(super) enum Outcome<T, E> {
    Returned(Result<T, E>),
    Panicked(Box<dyn Any + Send>),
}

/// The closure before it has run, and its outcome after.
pub(super) struct Pending<F, T, E> {
    work: Option<F>,
    /// The caller's span: lines that the closure logs carry the caller's request.
    span: Span,
    outcome: Option<Outcome<T, E>>,
    caller: oneshot::Sender<Outcome<T, E>>,
}

impl<F, T, E> Pending<F, T, E> {
    pub(super) fn new(work: F) -> (Self, oneshot::Receiver<Outcome<T, E>>) {
        let (caller, answer) = oneshot::channel();
        (
            Self {
                work: Some(work),
                span: write_span(),
                outcome: None,
                caller,
            },
            answer,
        )
    }
}

impl<F, Fut, T, E> Job for Pending<F, T, E>
where
    F: FnOnce(Tx) -> Fut + Send,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Send,
    E: From<DbErr> + Send,
{
    fn abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn run<'a>(&'a mut self, tx: &'a Tx) -> BoxFuture<'a, Result<Effect, DbErr>> {
        Box::pin(async move {
            let Some(work) = self.work.take() else {
                return Ok(Effect::Undo);
            };
            // Unwind safe: what a panic may have left half done in the closure's own state goes down with it, and what
            // it left in the database is undone.
            let ended = AssertUnwindSafe(async { tx.run(work).await })
                .catch_unwind()
                .instrument(self.span.clone())
                .await;
            let outcome = match ended {
                Ok(returned) => Outcome::Returned(returned?),
                Err(panic) => Outcome::Panicked(panic),
            };
            let effect = if matches!(outcome, Outcome::Returned(Ok(_))) {
                Effect::Keep
            } else {
                Effect::Undo
            };
            self.outcome = Some(outcome);
            Ok(effect)
        })
    }

    fn answer(self: Box<Self>, committed: Result<(), DbErr>) {
        let outcome = match (self.outcome, committed) {
            (Some(Outcome::Returned(Ok(_))) | None, Err(error)) => Outcome::Returned(Err(error.into())),
            (Some(outcome), _) => outcome,
            // A job that was not run is only ever answered with an error.
            (None, Ok(())) => return,
        };
        // Fails only if the caller has gone away, who then does not want to know.
        drop(self.caller.send(outcome));
    }
}
