//! Webhooks of the hosts of Git repositories, which prove by a secret of the installation who they are.

use openapi::{
    error::ApiError,
    input::{BodyLimit, read_body},
};
use poem::{
    Request, Response,
    http::{HeaderValue, Method, StatusCode, header},
};

use super::errors;

use crate::{
    app::App,
    areas::exchange::git::webhook::{MAX_BODY, PREFIX, installation},
};

const ALLOWED: HeaderValue = HeaderValue::from_static("OPTIONS, POST");

/// Returns whether a path is one of a webhook.
pub fn owns(path: &str) -> bool {
    path.starts_with(PREFIX)
}

pub async fn answer(app: &App, mut request: Request) -> Result<Response, ApiError> {
    let installation = installation(request.uri().path()).ok_or_else(|| ApiError::not_found("Git installation"))?;
    match *request.method() {
        Method::POST => {
            let body = request.take_body();
            let limit = request.data::<BodyLimit>();
            let limit = limit.map_or(MAX_BODY, |limit| limit.0.min(MAX_BODY));
            let bytes = read_body(&request, body, limit).await?;
            let headers = request.headers();
            app.exchange.receive_webhook(installation, headers, &bytes).await?;
        }
        Method::OPTIONS => {}
        _ => return Ok(errors::method_not_allowed(ALLOWED)),
    }
    Ok(Response::builder()
        .status(StatusCode::NO_CONTENT)
        .header(header::ALLOW, ALLOWED)
        .finish())
}
