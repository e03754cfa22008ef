//! How requests are read: after access is decided, and with every violation in one answer.

mod decidable;
mod extractors;
mod parameters;
mod report;
mod spec;

use poem::{
    Body, Request,
    error::ReadBodyError,
    http::{StatusCode, header},
};
use serde::de::DeserializeOwned;
use validator::Validate;

use crate::{error::ApiError, models::ErrorDetail};

pub use extractors::{LateBody, PathParameter, QueryParameter};
pub use spec::Spec;

/// How many violations an answer lists at most.
const MAX_DETAILS: usize = 100;

/// How large a request body may be, in bytes; kept with the request by the server.
#[derive(Clone, Copy)]
pub struct BodyLimit(pub usize);

const DEFAULT_BODY_LIMIT: usize = 10 * 1024 * 1024;

/// A path parameter as it was sent; the guard decides what it means.
pub fn path<'a>(request: &'a Request, name: &str) -> Result<&'a str, ApiError> {
    request
        .raw_path_param(name)
        .ok_or_else(|| ApiError::internal(format!("the route has no `{name}`")))
}

/// Reads the input of one request and collects what is wrong with it.
pub struct Input<'a> {
    request: &'a Request,
    spec: &'static Spec,
    found: Vec<ErrorDetail>,
}

impl<'a> Input<'a> {
    pub fn new(request: &'a Request, spec: &'static Spec) -> Self {
        Self {
            request,
            spec,
            found: Vec::new(),
        }
    }

    pub fn path(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        let value = path(self.request, name)?.to_owned();
        let found = self.spec.check_path(name, &value);
        let valid = found.is_empty();
        self.found.extend(found);
        Ok(valid.then_some(value))
    }

    pub fn query<T: DeserializeOwned + Validate>(&mut self) -> Option<T> {
        let query = parameters::read(self.request.uri().query().unwrap_or_default(), self.spec);
        let problem = match query {
            Ok(values) => match serde_json::from_value::<T>(values.clone()).map_err(|e| e.to_string()) {
                Ok(read) => match read.validate() {
                    Ok(()) => return Some(read),
                    Err(_) => report::query(self.spec, &values),
                },
                Err(_) => report::query(self.spec, &values),
            },
            Err(found) => found,
        };
        self.found.extend(problem);
        None
    }

    /// A body that has to be there.
    pub async fn body<T: DeserializeOwned + Validate>(
        &mut self,
        body: LateBody<T, true>,
    ) -> Result<Option<T>, ApiError> {
        self.check_content_type()?;
        let bytes = self.bytes(body.into_inner()).await?;
        Ok(self.parse(&bytes))
    }

    /// A body that may be left out.
    pub async fn optional_body<T: DeserializeOwned + Validate>(
        &mut self,
        body: LateBody<T, false>,
    ) -> Result<Option<Option<T>>, ApiError> {
        let bytes = self.bytes(body.into_inner()).await?;
        if bytes.is_empty() {
            return Ok(Some(None));
        }
        self.check_content_type()?;
        Ok(self.parse(&bytes).map(Some))
    }

    fn check_content_type(&self) -> Result<(), ApiError> {
        let declared = self.request.content_type().unwrap_or_default();
        let essence = declared.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/json") {
            return Ok(());
        }
        Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported-media-type",
            "The body has to be sent with `Content-Type: application/json`.",
        ))
    }

    async fn bytes(&self, body: Body) -> Result<Vec<u8>, ApiError> {
        let limit = self
            .request
            .data::<BodyLimit>()
            .map_or(DEFAULT_BODY_LIMIT, |limit| limit.0);
        let too_large = || {
            let message = format!("The body is larger than {limit} bytes.");
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "payload-too-large", message)
        };
        let announced = self.request.headers().get(header::CONTENT_LENGTH);
        let announced = announced.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        if announced.is_some_and(|length| length > limit) {
            return Err(too_large());
        }
        match body.into_bytes_limit(limit).await {
            Ok(bytes) => Ok(bytes.into()),
            Err(ReadBodyError::PayloadTooLarge) => Err(too_large()),
            Err(e) => Err(ApiError::invalid_member("/body", "unreadable", e.to_string())),
        }
    }

    /// The fast way: serde and the generated rules. Only what they refuse is looked at again, for the report.
    fn parse<T: DeserializeOwned + Validate>(&mut self, bytes: &[u8]) -> Option<T> {
        let problem = match read::<T>(bytes) {
            Ok(value) => match report::nul_characters(bytes) {
                found if found.is_empty() => return Some(value),
                found => found,
            },
            Err(problem) => report::body(self.spec, bytes, &problem),
        };
        self.found.extend(problem);
        None
    }

    /// Everything that was wrong, as one answer.
    pub fn refused(mut self) -> ApiError {
        self.found.truncate(MAX_DETAILS);
        ApiError::invalid(self.found)
    }
}

fn read<T: DeserializeOwned + Validate>(bytes: &[u8]) -> Result<T, String> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value: T = serde_path_to_error::deserialize(&mut json).map_err(|e| e.to_string())?;
    json.end().map_err(|e| e.to_string())?;
    value.validate().map_err(|e| e.to_string())?;
    Ok(value)
}
