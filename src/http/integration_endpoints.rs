//! Public endpoints of integrations, where no session counts.

use openapi::{
    error::ApiError,
    input::{BodyLimit, read_body},
};
use poem::{
    Body, Request, Response,
    http::{HeaderValue, Method, StatusCode, header},
};

use super::errors;

use crate::{
    app::App,
    areas::integrations::endpoints::{EndpointAnswer, EndpointRequest, PREFIX},
};

/// The largest body of a request, in bytes.
const MAX_BODY: usize = 10 * 1024 * 1024;

/// The methods that events can tell, and those that the server answers itself.
const ALLOWED: HeaderValue = HeaderValue::from_static("DELETE, GET, HEAD, OPTIONS, POST, PUT");

/// Returns whether a path is one of these endpoints.
pub fn owns(path: &str) -> bool {
    path.starts_with(PREFIX)
}

pub async fn answer(app: &App, mut request: Request) -> Result<Response, ApiError> {
    let method = match *request.method() {
        Method::GET => "get",
        Method::POST => "post",
        Method::PUT => "put",
        Method::DELETE => "delete",
        Method::OPTIONS => {
            return Ok(Response::builder()
                .status(StatusCode::NO_CONTENT)
                .header(header::ALLOW, ALLOWED)
                .finish());
        }
        _ => return Ok(errors::method_not_allowed(ALLOWED)),
    };
    let body = request.take_body();
    let limit = request
        .data::<BodyLimit>()
        .map_or(MAX_BODY, |limit| limit.0.min(MAX_BODY));
    let body = match method {
        "get" => None,
        _ => Some(read_body(&request, body, limit).await?.into()),
    };
    let EndpointAnswer { status, headers, body } = app
        .integrations
        .answer_endpoint(EndpointRequest {
            method,
            path: request.uri().path(),
            query: request.uri().query(),
            headers: request.headers(),
            body,
        })
        .await?;
    let body = match status {
        StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED => Body::empty(),
        _ => Body::from(body),
    };
    let mut response = Response::builder().status(status).body(body);
    *response.headers_mut() = headers;
    Ok(response)
}
