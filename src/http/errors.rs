//! Error bodies for requests that never reach a handler, in the form of the contract.

use openapi::error::{ApiError, ErrorType, Failure};
use platform::request_context::RequestContext;
use poem::{
    Response,
    http::{HeaderValue, StatusCode, header},
};

pub fn unknown_route() -> ApiError {
    ApiError::new(
        ErrorType::UnknownRoute,
        "This path does not exist. `/docs/` lists all operations.",
    )
}

/// The response to an operation of the public API that this server does not have.
pub fn not_offered(operation: &str) -> ApiError {
    let message = format!(
        "This server does not have the operation `{operation}`. `x-not-offered` of `/openapi.json` lists all such operations."
    );
    ApiError::new(ErrorType::NotOffered, message)
}

/// The response to a method that the path does not allow.
pub fn method_not_allowed(allowed: HeaderValue) -> Response {
    let message = format!(
        "The method is not allowed for this path. Allowed methods: {}.",
        allowed.to_str().unwrap_or_default()
    );
    let error = ApiError::new(ErrorType::MethodNotAllowed, message);
    let mut response = error.into_response();
    response.headers_mut().insert(header::ALLOW, allowed);
    response
}

pub fn malformed_path() -> ApiError {
    let message = "The path is not valid percent-encoded UTF-8. Encode a literal `%` as `%25`.";
    ApiError::new(ErrorType::MalformedPath, message)
}

pub fn unsupported_encoding() -> ApiError {
    let message = "`Content-Encoding` is not supported in requests. Send the body uncompressed.";
    ApiError::new(ErrorType::UnsupportedMediaType, message)
}

pub fn not_a_form() -> ApiError {
    let message = "The body has to be a form: `application/x-www-form-urlencoded`.";
    ApiError::new(ErrorType::UnsupportedMediaType, message)
}

pub fn too_many_requests() -> ApiError {
    let message = "Too many requests. Retry after the number of seconds in `Retry-After`.";
    ApiError::new(ErrorType::TooManyRequests, message)
}

pub fn no_room_for_request() -> ApiError {
    // Seconds after which other requests may have been answered.
    const RETRY_AFTER: u32 = 1;
    let message = "The server holds too many requests. Retry after the number of seconds in `Retry-After`.";
    ApiError::overloaded(message, RETRY_AFTER)
}

pub fn unknown_expectation() -> ApiError {
    let message = "The expectation in `Expect` is not supported; `100-continue` is.";
    ApiError::new(ErrorType::ExpectationFailed, message)
}

pub fn payload_too_large(limit: usize) -> ApiError {
    let message = format!("The body is larger than {limit} bytes.");
    ApiError::new(ErrorType::PayloadTooLarge, message)
}

pub fn timed_out() -> ApiError {
    ApiError::new(
        ErrorType::Timeout,
        "The request exceeded the time limit of the server and was cancelled.",
    )
}

pub fn panicked() -> ApiError {
    ApiError::internal("the handler panicked")
}

/// Converts an error of the framework outside of any handler.
pub fn of_framework(error: poem::Error) -> ApiError {
    match error.status() {
        StatusCode::NOT_FOUND => unknown_route(),
        status if status.is_client_error() => {
            ApiError::new(ErrorType::InvalidRequest, error.to_string()).with_status(status)
        }
        _ => ApiError::internal(error.to_string()),
    }
}

/// The message of an error after a commit: a second attempt would make the change twice.
const COMMITTED: &str =
    "The change was saved, but its answer could not be made. Read the present state instead of trying again.";

/// Adds the request id to the body of an error, so that the log line of a reported error can be found. The message says whether the
/// request has changed something all the same.
pub fn add_request_id(response: &mut Response, context: &RequestContext) {
    let Some(failure) = response.data::<Failure>() else {
        return;
    };
    let mut body = failure.0.body(Some(context.request_id()));
    let status = failure.0.status();
    if context.has_committed() && (status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT) {
        COMMITTED.clone_into(&mut body.error.message);
        response.headers_mut().remove(header::RETRY_AFTER);
    }
    response.set_body(serde_json::to_vec(&body).unwrap_or_default());
}
