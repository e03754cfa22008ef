//! Answers: JSON written by serde, and the set of errors that an operation declares.

use poem::{
    Body, IntoResponse, Response,
    http::{StatusCode, header},
};
use poem_openapi::{
    registry::{MetaHeader, MetaMediaType, MetaResponse, MetaSchemaRef},
    types::Type,
};
use serde::Serialize;

use crate::{
    conditional::EntityTag,
    describe::{Described, Describer},
    error::ApiError,
    models,
};

const JSON: &str = "application/json";

/// A JSON answer with its status.
pub struct Json<T, const STATUS: u16 = 200>(pub T);

/// 201 with the address of the new object.
pub struct Created<T> {
    pub location: String,
    pub body: T,
}

/// 200 for an object that existed, or 201 for a new one.
pub enum Upserted<T> {
    Existing(T),
    New(Created<T>),
}

/// A JSON answer with the tag of the state that it shows.
pub struct Tagged<T, const STATUS: u16 = 200> {
    pub tag: EntityTag,
    pub body: T,
}

/// The answer to a conditional read.
pub enum Conditional<T> {
    Fresh(Tagged<T>),
    /// The JSON of the answer: made while it is sent, because of its size, or kept from an earlier request.
    Written(Tagged<Body>),
    /// The caller has kept this state: 304.
    NotModified(EntityTag),
}

/// A status without a body.
pub struct Empty<const STATUS: u16 = 204>;

fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => Response::builder().status(status).content_type(JSON).body(bytes),
        Err(e) => ApiError::internal(e).into_response(),
    }
}

impl<T: Serialize + Send, const STATUS: u16> IntoResponse for Json<T, STATUS> {
    fn into_response(self) -> Response {
        json(StatusCode::from_u16(STATUS).unwrap_or(StatusCode::OK), &self.0)
    }
}

impl<T: Serialize + Send> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        let mut response = json(StatusCode::CREATED, &self.body);
        if let Ok(location) = self.location.parse() {
            response.headers_mut().insert(header::LOCATION, location);
        }
        response
    }
}

impl<T: Serialize + Send> IntoResponse for Upserted<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Existing(body) => Json::<T>(body).into_response(),
            Self::New(created) => created.into_response(),
        }
    }
}

impl<T: Serialize + Send, const STATUS: u16> IntoResponse for Tagged<T, STATUS> {
    fn into_response(self) -> Response {
        tagged(Json::<T, STATUS>(self.body).into_response(), &self.tag)
    }
}

impl<T: Serialize + Send> IntoResponse for Conditional<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Fresh(answer) => answer.into_response(),
            Self::Written(Tagged { tag, body }) => tagged(Response::builder().content_type(JSON).body(body), &tag),
            Self::NotModified(tag) => tagged(StatusCode::NOT_MODIFIED.into_response(), &tag),
        }
    }
}

/// A failure to write the body names no state.
fn tagged(mut response: Response, tag: &EntityTag) -> Response {
    if !response.status().is_server_error() {
        response.headers_mut().insert(header::ETAG, tag.header());
    }
    response
}

impl<const STATUS: u16> IntoResponse for Empty<STATUS> {
    fn into_response(self) -> Response {
        StatusCode::from_u16(STATUS)
            .unwrap_or(StatusCode::NO_CONTENT)
            .into_response()
    }
}

fn meta_response(status: Option<u16>, content: Option<MetaSchemaRef>) -> MetaResponse {
    let media = content.map(|schema| MetaMediaType {
        content_type: JSON,
        schema,
    });
    MetaResponse {
        description: "",
        status,
        status_range: None,
        content: media.into_iter().collect(),
        headers: vec![],
    }
}

fn with_header(mut response: MetaResponse, name: &str, description: &str) -> MetaResponse {
    response.headers.push(MetaHeader {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        required: true,
        deprecated: false,
        schema: String::schema_ref(),
    });
    response
}

/// The responses of an answer, for the derived document.
pub trait Answers {
    fn responses(describer: &mut Describer<'_>) -> Vec<MetaResponse>;
}

impl<T: Described, const STATUS: u16> Answers for Json<T, STATUS> {
    fn responses(describer: &mut Describer<'_>) -> Vec<MetaResponse> {
        vec![meta_response(Some(STATUS), Some(T::schema(describer)))]
    }
}

impl<T: Described> Answers for Created<T> {
    fn responses(describer: &mut Describer<'_>) -> Vec<MetaResponse> {
        let created = meta_response(Some(201), Some(T::schema(describer)));
        vec![with_header(created, "Location", "The address of the new object.")]
    }
}

impl<T: Described> Answers for Upserted<T> {
    fn responses(describer: &mut Describer<'_>) -> Vec<MetaResponse> {
        let mut responses = Json::<T>::responses(describer);
        responses.extend(Created::<T>::responses(describer));
        responses
    }
}

fn with_tag(response: MetaResponse) -> MetaResponse {
    with_header(response, "ETag", "The state that the answer shows.")
}

impl<T: Described, const STATUS: u16> Answers for Tagged<T, STATUS> {
    fn responses(describer: &mut Describer<'_>) -> Vec<MetaResponse> {
        vec![with_tag(meta_response(Some(STATUS), Some(T::schema(describer))))]
    }
}

impl<T: Described> Answers for Conditional<T> {
    fn responses(describer: &mut Describer<'_>) -> Vec<MetaResponse> {
        let mut responses = Tagged::<T>::responses(describer);
        responses.push(with_tag(meta_response(Some(304), None)));
        responses
    }
}

impl<const STATUS: u16> Answers for Empty<STATUS> {
    fn responses(_: &mut Describer<'_>) -> Vec<MetaResponse> {
        vec![meta_response(Some(STATUS), None)]
    }
}

/// Error statuses that operations declare, one bit each, in this order.
const STATUSES: [u16; 9] = [400, 401, 403, 404, 409, 412, 413, 415, 429];

/// The catch-all response.
const DEFAULT: u32 = 1 << 31;

/// The set of the given statuses and `default`; a status that is not listed here stops the build.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
pub const fn errors(declared: &[u16]) -> u32 {
    let mut set = DEFAULT;
    let mut i = 0;
    while i < declared.len() {
        let mut bit = 0;
        while STATUSES[bit] != declared[i] {
            bit += 1;
            assert!(bit < STATUSES.len(), "add the status to STATUSES");
        }
        set |= 1 << bit;
        i += 1;
    }
    set
}

fn declared(set: u32) -> impl Iterator<Item = u16> {
    let statuses = STATUSES.into_iter().enumerate();
    statuses
        .filter(move |(i, _)| set & (1 << i) != 0)
        .map(|(_, status)| status)
}

/// The answer of an operation: `T`, or an error out of the declared `SET`.
pub struct Answer<T, const SET: u32>(Result<T, ApiError>);

impl<T, const SET: u32> From<Result<T, ApiError>> for Answer<T, SET> {
    fn from(result: Result<T, ApiError>) -> Self {
        Self(result)
    }
}

impl<T: IntoResponse, const SET: u32> IntoResponse for Answer<T, SET> {
    fn into_response(self) -> Response {
        match self.0 {
            Ok(value) => value.into_response(),
            Err(e) if is_declared(SET, e.status()) => e.into_response(),
            Err(e) => {
                debug_assert!(false, "{e} is not declared for this operation");
                ApiError::internal(e).into_response()
            }
        }
    }
}

/// Faults of the server and time-outs are what `default` is for; any other status has to be listed.
fn is_declared(set: u32, status: StatusCode) -> bool {
    let unexpected = status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT;
    (unexpected && set & DEFAULT != 0) || declared(set).any(|declared| declared == status.as_u16())
}

impl<T: Answers, const SET: u32> Answers for Answer<T, SET> {
    fn responses(describer: &mut Describer<'_>) -> Vec<MetaResponse> {
        let mut responses = T::responses(describer);
        let error = models::Error::schema(describer);
        let error = |status| meta_response(status, Some(error.clone()));
        responses.extend(declared(SET).map(|status| error(Some(status))));
        responses.extend((SET & DEFAULT != 0).then(|| error(None)));
        responses
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn parts(answer: impl IntoResponse) -> (u16, Option<String>, Option<String>, String) {
        let response = answer.into_response();
        let header = |name: &str| response.header(name).map(str::to_owned);
        let (tag, kind) = (header("etag"), header("content-type"));
        let status = response.status().as_u16();
        let text = response.into_body().into_string().now_or_never().unwrap();
        (status, tag, kind, text.unwrap())
    }

    #[test]
    fn a_conditional_read_names_the_state_either_way() {
        let tag = EntityTag::new("rev.pages");
        let (quoted, json) = (Some("\"rev.pages\"".to_owned()), Some(JSON.to_owned()));
        let fresh = Tagged {
            tag: tag.clone(),
            body: 3,
        };
        let expected = (200, quoted.clone(), json, "3".to_owned());
        assert_eq!(parts(Conditional::Fresh(fresh)), expected);
        let kept = Conditional::<u8>::NotModified(tag);
        assert_eq!(parts(kept), (304, quoted, None, String::new()));
    }

    #[test]
    fn the_derived_document_has_both_answers() {
        let responses = Conditional::<models::Error>::responses(&mut Describer::default());
        let said = responses.iter().map(|response| {
            let header = response.headers.first().map(|header| header.name.as_str());
            (response.status, header, response.content.len())
        });
        let said: Vec<_> = said.collect();
        assert_eq!(said, [(Some(200), Some("ETag"), 1), (Some(304), Some("ETag"), 0)]);
    }
}
