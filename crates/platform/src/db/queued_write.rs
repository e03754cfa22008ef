//! A write without its type parameters: both databases queue, run and repeat writes of all types by the same code.

use std::any::Any;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sea_orm::DbErr;
use tokio::sync::oneshot;
use tracing::{Instrument, Span};

use super::tx::{Effect, Tx};
use crate::request_context::{RequestContext, scope_if_any};

/// The closure of a write, and its outcome once it ran.
trait Closure: Send {
    /// Returns whether the caller no longer waits for the outcome.
    fn is_abandoned(&self) -> bool;

    /// Calls the closure, and stores what it returns.
    fn call(&mut self, tx: Tx) -> BoxFuture<'_, Effect>;

    /// Replaces what the closure returned. `None`: the closure has to be called again, or fails with the commit.
    fn replace(&mut self, failure: Option<Failure>);

    /// Sends the outcome to the caller. A closure that succeeded still fails if its commit failed.
    fn respond(self: Box<Self>, committed: Result<(), DbErr>);
}

/// A write, in a queue or in its own task.
pub(super) struct QueuedWrite {
    closure: Box<dyn Closure>,
    /// The caller's request, which rows of the closure name.
    request: Option<Arc<RequestContext>>,
    /// From the queue to the outcome, within the caller's span.
    span: Span,
    /// The number of writes that have ended.
    ended: Arc<AtomicU64>,
}

enum Failure {
    Error(DbErr),
    Panic(Box<dyn Any + Send>),
}

enum Outcome<T, E> {
    Returned(Result<T, E>),
    Panicked(Box<dyn Any + Send>),
}

/// The receiver of the outcome of a write.
pub(super) struct Response<T, E>(oneshot::Receiver<Outcome<T, E>>);

impl<T, E> Response<T, E> {
    /// Returns the outcome; a panic of the closure continues here. `None`: the write was dropped before it ran.
    pub(super) async fn receive(self) -> Option<Result<T, E>> {
        match self.0.await.ok()? {
            Outcome::Returned(result) => Some(result),
            Outcome::Panicked(panic) => resume_unwind(panic),
        }
    }
}

impl QueuedWrite {
    /// `is_repeated`: the closure may be called more than once. `ended` counts the write before the caller has its outcome.
    pub(super) fn new<F, Fut, T, E>(work: F, is_repeated: bool, ended: &Arc<AtomicU64>) -> (Self, Response<T, E>)
    where
        F: FnOnce(Tx) -> Fut + Clone + Send + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<DbErr> + Send + 'static,
    {
        let (caller, response) = oneshot::channel();
        let closure = Box::new(TypedClosure {
            work: Some(work),
            is_repeated,
            outcome: None,
            caller,
        });
        let write = Self {
            closure,
            request: RequestContext::current(),
            span: tracing::info_span!("write"),
            ended: Arc::clone(ended),
        };
        (write, Response(response))
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.closure.is_abandoned()
    }

    /// Calls the closure in a transaction. Returns an error if the transaction is lost, even if the closure succeeded.
    pub(super) async fn run(&mut self, tx: &Tx) -> Result<Effect, DbErr> {
        // Unwind safe: the closure's own state is dropped with it, and its changes in the database are rolled back.
        let work = AssertUnwindSafe(tx.run(self.closure.call(tx.share()))).catch_unwind();
        let work = scope_if_any(self.request.clone(), work).instrument(self.span.clone());
        let failure = match work.await {
            Ok(Ok(Ok(effect))) => return Ok(effect),
            Ok(Ok(Err(error))) => Failure::Error(error),
            Ok(Err(lost)) => {
                self.forget();
                return Err(lost);
            }
            Err(panic) => Failure::Panic(panic),
        };
        self.closure.replace(Some(failure));
        Ok(Effect::RollBack)
    }

    /// Forgets what the closure returned: its transaction is lost.
    pub(super) fn forget(&mut self) {
        self.closure.replace(None);
    }

    pub(super) fn respond(self, committed: Result<(), DbErr>) {
        self.ended.fetch_add(1, Ordering::Release);
        self.closure.respond(committed);
    }
}

struct TypedClosure<F, T, E> {
    work: Option<F>,
    is_repeated: bool,
    outcome: Option<Outcome<T, E>>,
    caller: oneshot::Sender<Outcome<T, E>>,
}

impl<F, Fut, T, E> Closure for TypedClosure<F, T, E>
where
    F: FnOnce(Tx) -> Fut + Clone + Send,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Send,
    E: From<DbErr> + Send,
{
    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn call(&mut self, tx: Tx) -> BoxFuture<'_, Effect> {
        let work = if self.is_repeated {
            self.work.clone()
        } else {
            self.work.take()
        };
        Box::pin(async move {
            let Some(work) = work else {
                return Effect::RollBack;
            };
            let returned = work(tx).await;
            let effect = if returned.is_ok() {
                Effect::Keep
            } else {
                Effect::RollBack
            };
            self.outcome = Some(Outcome::Returned(returned));
            effect
        })
    }

    fn replace(&mut self, failure: Option<Failure>) {
        self.outcome = failure.map(|failure| match failure {
            Failure::Error(error) => Outcome::Returned(Err(error.into())),
            Failure::Panic(panic) => Outcome::Panicked(panic),
        });
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
