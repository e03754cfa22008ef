//! The context of a request: its id, its operation and its caller. Tasks that work for a request have it, so that what they write
//! names the request; lines of the log have the same by its span.

use std::{
    future::Future,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use entity::ids::UserId;
use futures_util::future::Either;
use tokio::task::futures::TaskLocalFuture;
use tracing::{
    Span,
    field::{Empty, display},
};

tokio::task_local! {
    static CURRENT: Arc<RequestContext>;
}

/// Kept with each request under its `Arc`, so that layers within can add to it.
pub struct RequestContext {
    id: String,
    span: Span,
    operation: OnceLock<&'static str>,
    caller: OnceLock<UserId>,
    has_committed: AtomicBool,
    max_age: OnceLock<u32>,
}

impl RequestContext {
    pub fn new(id: String) -> Self {
        let span = tracing::info_span!(
            "request",
            request_id = id,
            operation = Empty,
            caller = Empty,
            status = Empty
        );
        Self {
            id,
            span,
            operation: OnceLock::new(),
            caller: OnceLock::new(),
            has_committed: AtomicBool::new(false),
            max_age: OnceLock::new(),
        }
    }

    /// Names the request in the answer, in the log and in what it changes.
    pub fn request_id(&self) -> &str {
        &self.id
    }

    /// The span of the request.
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// Notes the operation that is called, once it is known.
    pub fn set_operation(&self, operation: &'static str) {
        self.operation.get_or_init(|| {
            self.span.record("operation", operation);
            operation
        });
    }

    pub fn operation(&self) -> Option<&'static str> {
        self.operation.get().copied()
    }

    /// Notes who calls, for the log.
    pub fn set_caller(&self, caller: UserId) {
        self.caller.get_or_init(|| {
            self.span.record("caller", display(caller));
            caller
        });
    }

    pub fn caller(&self) -> Option<UserId> {
        self.caller.get().copied()
    }

    /// Notes that a change of the request was committed: what fails from now on does not undo it.
    pub fn note_commit(&self) {
        self.has_committed.store(true, Ordering::Relaxed);
    }

    pub fn has_committed(&self) -> bool {
        self.has_committed.load(Ordering::Relaxed)
    }

    /// Notes how long the caller may keep the answer, in seconds.
    pub fn set_max_age(&self, seconds: u32) {
        self.max_age.get_or_init(|| seconds);
    }

    pub fn max_age(&self) -> Option<u32> {
        self.max_age.get().copied()
    }

    /// Runs the handling of the request. Not an `async fn`, which would hold the large future twice.
    pub fn scope<F: Future>(self: Arc<Self>, handling: F) -> TaskLocalFuture<Arc<Self>, F> {
        CURRENT.scope(self, handling)
    }

    /// Calls `read` with the request that the current task works for, if there is one.
    pub fn with_current<T>(read: impl FnOnce(&Self) -> T) -> Option<T> {
        CURRENT.try_with(|context| read(context)).ok()
    }

    /// The id of the request that the current task works for, for rows that say where they come from.
    pub fn current_id() -> Option<String> {
        Self::with_current(|context| context.id.clone())
    }

    /// The request that the current task works for.
    pub fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }
}

/// Runs work that another task does for a request.
pub fn scope_if_any<F: Future>(
    context: Option<Arc<RequestContext>>,
    work: F,
) -> Either<TaskLocalFuture<Arc<RequestContext>, F>, F> {
    match context {
        Some(context) => Either::Left(context.scope(work)),
        None => Either::Right(work),
    }
}
