//! Uploads of files, to signed addresses that work without a token until they expire.

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
    areas::publishing::uploads::{PREFIX, Upload},
};

const ALLOWED: HeaderValue = HeaderValue::from_static("OPTIONS, PUT");

/// Returns whether a path is one of an upload.
pub fn owns(path: &str) -> bool {
    path.starts_with(PREFIX)
}

pub async fn answer(app: &App, mut request: Request) -> Result<Response, ApiError> {
    let upload = Upload::verify(&app.kernel, request.uri().path());
    let upload = upload.ok_or_else(|| ApiError::not_found("upload"))?;
    match *request.method() {
        Method::PUT => {
            let body = request.take_body();
            let limit = request.data::<BodyLimit>();
            let limit = limit.map_or(upload.size, |limit| limit.0.min(upload.size));
            let bytes = read_body(&request, body, limit).await?;
            upload.store(&app.kernel, bytes.into()).await?;
        }
        Method::OPTIONS => {}
        _ => return Ok(errors::method_not_allowed(ALLOWED)),
    }
    Ok(Response::builder()
        .status(StatusCode::NO_CONTENT)
        .header(header::ALLOW, ALLOWED)
        .finish())
}
