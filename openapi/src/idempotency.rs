//! Requests with `Idempotency-Key`, which clients send again when they do not know the answer.

use futures_util::{FutureExt, future::BoxFuture};
use poem::{IntoResponse, Response};
use poem_openapi::registry::MetaResponse;

use crate::{answer::Answers, describe::Describer, error::ApiError, guard::Guard};

/// The header with the key.
pub const HEADER: &str = "Idempotency-Key";

/// A request with a key.
pub struct KeyedRequest {
    pub key: String,
    /// The SHA-256 of the address and the body.
    pub hash: [u8; 32],
}

/// The handler of such a request.
pub type Handling<'a> = BoxFuture<'a, Result<Response, ApiError>>;

/// The answer of a handler, or the one that the first request with the key got.
pub enum Once<T> {
    Direct(T),
    Kept(Response),
}

impl<T: IntoResponse> IntoResponse for Once<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Direct(answer) => answer.into_response(),
            Self::Kept(response) => response,
        }
    }
}

impl<T: Answers> Answers for Once<T> {
    fn responses(describer: &mut Describer<'_>) -> Vec<MetaResponse> {
        T::responses(describer)
    }
}

/// Calls the handler; for a request with a key, through the guard.
pub async fn once<G, A, T, F>(
    guard: &G,
    access: A,
    keyed: Option<KeyedRequest>,
    handler: impl FnOnce(A) -> F,
) -> Result<Once<T>, ApiError>
where
    G: Guard,
    A: AsRef<G::Caller>,
    T: IntoResponse,
    F: Future<Output = Result<T, ApiError>> + Send,
{
    let Some(request) = keyed else {
        return handler(access).await.map(Once::Direct);
    };
    let caller = access.as_ref().clone();
    let handling = handler(access).map(|answer| answer.map(IntoResponse::into_response));
    guard.once(&caller, request, handling.boxed()).await.map(Once::Kept)
}
