//! A queued write without its type parameters, so that writes of all types share one queue.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sea_orm::DbErr;
use tokio::sync::oneshot;

use crate::{
    db::tx::Tx,
    request_context::{RequestContext, scope_if_any},
};

/// A write in the queue of the writer.
pub(super) trait QueuedWrite: Send {
    /// Returns whether the caller no longer waits for the outcome.
    fn is_abandoned(&self) -> bool;

    /// Runs the closure and stores its outcome. An error means that the whole transaction is lost.
    fn run<'a>(&'a mut self, tx: &'a Tx) -> BoxFuture<'a, Result<Effect, DbErr>>;

    /// Sends the outcome to the caller. A closure that succeeded still fails if its commit failed.
    fn respond(self: Box<Self>, committed: Result<(), DbErr>);
}

/// The fate of the changes of a closure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Keep,
    RollBack,
}

pub(super) enum Outcome<T, E> {
    Returned(Result<T, E>),
    Panicked(Box<dyn Any + Send>),
}

/// The closure before it runs, and its outcome afterwards.
pub(super) struct TypedWrite<F, T, E> {
    work: Option<F>,
    /// The caller's request, which log lines of the closure name.
    request: Option<Arc<RequestContext>>,
    outcome: Option<Outcome<T, E>>,
    caller: oneshot::Sender<Outcome<T, E>>,
}

impl<F, T, E> TypedWrite<F, T, E> {
    pub(super) fn new(work: F) -> (Self, oneshot::Receiver<Outcome<T, E>>) {
        let (caller, response) = oneshot::channel();
        (
            Self {
                work: Some(work),
                request: RequestContext::current(),
                outcome: None,
                caller,
            },
            response,
        )
    }
}

impl<F, Fut, T, E> QueuedWrite for TypedWrite<F, T, E>
where
    F: FnOnce(Tx) -> Fut + Send,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Send,
    E: From<DbErr> + Send,
{
    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn run<'a>(&'a mut self, tx: &'a Tx) -> BoxFuture<'a, Result<Effect, DbErr>> {
        Box::pin(async move {
            let Some(work) = self.work.take() else {
                return Ok(Effect::RollBack);
            };
            // Unwind safe: the closure's own state is dropped with it, and its changes in the database are rolled back.
            let result = AssertUnwindSafe(scope_if_any(self.request.take(), async { tx.run(work).await }))
                .catch_unwind()
                .await;
            let outcome = match result {
                Ok(returned) => Outcome::Returned(returned?),
                Err(panic) => Outcome::Panicked(panic),
            };
            let effect = if matches!(outcome, Outcome::Returned(Ok(_))) {
                Effect::Keep
            } else {
                Effect::RollBack
            };
            self.outcome = Some(outcome);
            Ok(effect)
        })
    }

    fn respond(self: Box<Self>, committed: Result<(), DbErr>) {
        let outcome = match (self.outcome, committed) {
            (Some(Outcome::Returned(Ok(_))) | None, Err(error)) => Outcome::Returned(Err(error.into())),
            (Some(outcome), _) => outcome,
            // A write that did not run gets no response but an error.
            (None, Ok(())) => return,
        };
        // Fails only if the caller no longer waits.
        drop(self.caller.send(outcome));
    }
}
