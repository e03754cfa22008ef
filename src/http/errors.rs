//! The error body for what the framework refuses, in the words of the contract.

use openapi::error::{ApiError, Failure};
use poem::{
    Response,
    http::{HeaderValue, StatusCode, header},
};

use crate::access::request_context::RequestContext;

pub fn unknown_route() -> ApiError {
    ApiError::new(
        StatusCode::NOT_FOUND,
        "unknown-route",
        "There is nothing at this address; /docs/ lists what is.",
    )
}

/// The answer to a method that the address does not have.
pub fn method_not_allowed(allowed: HeaderValue) -> Response {
    let message = format!("This address allows {}.", allowed.to_str().unwrap_or_default());
    let error = ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", message);
    let mut response = error.into_response();
    response.headers_mut().insert(header::ALLOW, allowed);
    response
}

pub fn malformed_path() -> ApiError {
    let message = "The address has a % that does not begin a percent-encoded character of UTF-8.";
    ApiError::new(StatusCode::BAD_REQUEST, "malformed-path", message)
}

pub fn unsupported_encoding() -> ApiError {
    let message = "The body has to be sent without `Content-Encoding`.";
    ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", message)
}

pub fn too_many_requests() -> ApiError {
    let message = "Too many requests; `Retry-After` says when to go on.";
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", message)
}

pub fn timed_out() -> ApiError {
    ApiError::new(
        StatusCode::REQUEST_TIMEOUT,
        "timeout",
        "The request took too long and was given up.",
    )
}

pub fn panicked() -> ApiError {
    ApiError::internal("the handler panicked")
}

/// What the framework itself refuses, outside any handler.
pub fn of_framework(error: poem::Error) -> ApiError {
    match error.status() {
        StatusCode::NOT_FOUND => unknown_route(),
        status if status.is_client_error() => ApiError::new(status, "invalid-request", error.to_string()),
        _ => ApiError::internal(error.to_string()),
    }
}

/// Names the request in the body of an error, so that a report of it finds the log.
pub fn add_request_id(response: &mut Response, context: &RequestContext) {
    let Some(failure) = response.data::<Failure>() else {
        return;
    };
    let body = serde_json::to_vec(&failure.0.body(Some(context.request_id())));
    response.set_body(body.unwrap_or_default());
}
