//! Requests that are handled to the end even if their clients go away.

use std::time::Duration;

use openapi::work::RequestPermits;
use platform::request_context::{RequestContext, scope_if_any};
use poem::Response;
use tokio::time::timeout;
use tracing::Instrument;

use super::errors;

/// Handles a request in a task of its own: a client that has lost its connection gets the answer when it sends the request again.
pub async fn run(
    permits: RequestPermits,
    time_limit: Duration,
    handling: impl Future<Output = poem::Result<Response>> + Send + 'static,
) -> poem::Result<Response> {
    let context = RequestContext::current();
    let handling = async move { timeout(time_limit, permits.scope(handling)).await };
    let task = tokio::spawn(scope_if_any(context, handling).in_current_span());
    match task.await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => Ok(errors::timed_out().into_response()),
        Err(_) => Ok(errors::panicked().into_response()),
    }
}
