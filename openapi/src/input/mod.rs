//! Reading of requests: after access is decided, and with every violation in one answer.

mod decidable;

mod late_body;
mod lenient;
mod parameters;
mod report;
mod spec;

use std::{borrow::Cow, pin::pin};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use ids::Id;
use poem::{
    Body, Request,
    http::{Uri, header},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use validator::Validate;

use crate::{
    error::ApiError,
    idempotency::{self, KeyedRequest},
    ignored::IgnoredMembers,
    models::{ErrorDetail, ErrorRule, ErrorType},
    skipped,
    work::{RequestPermits, off_runtime},
};

pub use late_body::LateBody;
pub use report::escape;
use spec::Place;
pub use spec::Spec;

/// The most violations that an answer lists.
const MAX_DETAILS: usize = 100;

/// The most bytes of a request body; kept with the request by the server.
#[derive(Clone, Copy)]
pub struct BodyLimit(pub usize);

const DEFAULT_BODY_LIMIT: usize = 10 * 1024 * 1024;

/// A request with a body of more bytes is large.
const SMALL_BODY: usize = 32 * 1024;

/// Bytes in memory of an object of a body, and of an item or a member; and the most of all of a body.
const OBJECT_BYTES: usize = 700;
const ITEM_BYTES: usize = 80;
const MAX_OBJECTS: usize = 128 * 1024 * 1024;

/// Larger bodies are parsed while other requests go on.
const LONG_PARSE: usize = 256 * 1024;

/// Refused bodies whose objects take more are not read again for a list of all violations.
const MAX_REPORTED_OBJECTS: usize = 8 * 1024 * 1024;

/// The most bytes that are still read of a body that is too large.
const MAX_DISCARDED: usize = 16 * 1024 * 1024;

/// The names of path parameters in the router, in the order of the path.
const PATH_PARAMETERS: [&str; 6] = ["param0", "param1", "param2", "param3", "param4", "param5"];

/// The path parameter at a place of the path, which the framework has decoded; the guard decides what it means.
pub fn path(request: &Request, at: usize) -> Result<&str, ApiError> {
    let name = PATH_PARAMETERS.get(at).copied().unwrap_or_default();
    let value = request.raw_path_param(name);
    value.ok_or_else(|| ApiError::internal(format!("the route has no {name}")))
}

/// The id at a place of the path; the guard decides what it means.
pub fn path_id<I: Id>(request: &Request, at: usize) -> Result<I, ApiError> {
    path(request, at).map(I::parse_or_nil)
}

/// The query parameter with this name, if it is declared and valid.
pub fn query_parameter(request: &Request, spec: &'static Spec, name: &str) -> Option<String> {
    let query = request.uri().query()?;
    let values = parameters::query(query, spec.parameters_in(Place::Query)).ok()?;
    let value = values.get(name)?.as_str()?;
    let pointer = format!("/query/{name}");
    let problems = report::violations(spec, Place::Query, &values);
    let is_valid = problems.iter().all(|problem| problem.pointer != pointer);
    is_valid.then(|| value.to_owned())
}

/// The names in the query of an address that the operation does not know.
pub fn unknown_parameters<'a>(uri: &'a Uri, spec: &'static Spec) -> impl Iterator<Item = Cow<'a, str>> {
    let query = uri.query().unwrap_or_default();
    parameters::unknown(query, spec.parameters_in(Place::Query))
}

/// Reads the input of one request and collects what is wrong with it.
pub struct Input<'a> {
    request: &'a Request,
    spec: &'static Spec,
    found: Vec<ErrorDetail>,
    /// The hash of a request with an idempotency key.
    keyed: Option<Sha256>,
}

impl<'a> Input<'a> {
    pub fn new(request: &'a Request, spec: &'static Spec) -> Self {
        let has_key = request.headers().contains_key(idempotency::HEADER);
        Self {
            request,
            spec,
            found: Vec::new(),
            keyed: has_key.then(|| Sha256::new_with_prefix(format!("{}\n", request.uri()))),
        }
    }

    pub fn path(&mut self, at: usize, name: &str) -> Result<Option<String>, ApiError> {
        let value = path(self.request, at)?.to_owned();
        let found = report::path(self.spec, name, &value);
        let valid = found.is_empty();
        self.found.extend(found);
        Ok(valid.then_some(value))
    }

    pub fn path_id<I: Id>(&mut self, at: usize, name: &str) -> Result<Option<I>, ApiError> {
        let value = self.path(at, name)?;
        Ok(value.map(|text| I::parse_or_nil(&text)))
    }

    pub fn query<T: DeserializeOwned + Validate>(&mut self) -> Option<T> {
        let query = self.request.uri().query().unwrap_or_default();
        let values = parameters::query(query, self.spec.parameters_in(Place::Query));
        self.together(Place::Query, values)
    }

    pub fn headers<T: DeserializeOwned + Validate>(&mut self) -> Option<T> {
        let headers = self.request.headers();
        let values = parameters::headers(headers, self.spec.parameters_in(Place::Header));
        self.together(Place::Header, values)
    }

    /// The key of the request, if it has one, and the hash of what was read of it.
    pub fn keyed(&mut self) -> Option<Option<KeyedRequest>> {
        let Some(hash) = self.keyed.take() else {
            return Some(None);
        };
        let declared = self.spec.parameters_in(Place::Header);
        let own = declared.filter(|parameter| parameter.name == idempotency::HEADER);
        let (key, found) = match parameters::headers(self.request.headers(), own) {
            Ok(values) => {
                let key = values.get(idempotency::HEADER).and_then(Value::as_str);
                (
                    key.map(str::to_owned),
                    report::violations(self.spec, Place::Header, &values),
                )
            }
            Err(found) => (None, found),
        };
        let pointer = format!("/header/{}", idempotency::HEADER);
        let mut own = found.into_iter().filter(|detail| detail.pointer == pointer).peekable();
        if own.peek().is_none()
            && let Some(key) = key
        {
            let hash = hash.finalize().into();
            return Some(Some(KeyedRequest { key, hash }));
        }
        // A report on the other headers has them too.
        let reported = self.found.iter().any(|detail| detail.pointer == pointer);
        self.found.extend(own.filter(|_| !reported));
        None
    }

    /// The parameters of one place.
    fn together<T>(&mut self, place: Place, values: Result<Value, Vec<ErrorDetail>>) -> Option<T>
    where
        T: DeserializeOwned + Validate,
    {
        let problem = match values {
            Ok(values) => match T::deserialize(&values) {
                Ok(read) if read.validate().is_ok() => return Some(read),
                _ => report::parameters(self.spec, place, &values),
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
        if essence.eq_ignore_ascii_case("text/plain") && self.spec.takes_plain_text() {
            return Ok(());
        }
        Err(ApiError::new(
            ErrorType::UnsupportedMediaType,
            "The body has to be sent with `Content-Type: application/json`.",
        ))
    }

    async fn bytes(&mut self, body: Body) -> Result<Vec<u8>, ApiError> {
        let of_server = self.request.data::<BodyLimit>();
        let of_server = of_server.map_or(DEFAULT_BODY_LIMIT, |limit| limit.0);
        let bytes = read_body(self.request, body, of_server.min(self.spec.max_body_bytes())).await?;
        if bytes.len() > SMALL_BODY
            && let Some(permits) = self.request.data::<RequestPermits>()
        {
            if object_bytes(&bytes) > MAX_OBJECTS {
                let message = "Has more members than the server reads in one request.";
                return Err(ApiError::invalid_member("/body", ErrorRule::TooManyMembers, message));
            }
            permits.acquire_large().await?;
        }
        if let Some(hash) = &mut self.keyed {
            off_runtime(bytes.len() > LONG_PARSE, || hash.update(&bytes));
        }
        Ok(bytes)
    }

    /// The fast way: serde and the generated rules. Only what they refuse is looked at again, for the report.
    fn parse<T: DeserializeOwned + Validate>(&mut self, bytes: &[u8]) -> Option<T> {
        let is_long = bytes.len() > LONG_PARSE;
        let problem = match off_runtime(is_long, || read::<T>(bytes)) {
            Ok(value) => match report::nul_characters(bytes) {
                found if found.is_empty() => return Some(value),
                found => match self.parse_leniently(bytes) {
                    Some(value) => return Some(value),
                    None => found,
                },
            },
            Err(problem) if object_bytes(bytes) > MAX_REPORTED_OBJECTS => {
                vec![report::detail("/body", ErrorRule::Invalid, problem)]
            }
            Err(problem) => match off_runtime(is_long, || self.parse_again(bytes, &problem)) {
                Ok(value) => return Some(value),
                Err(found) => found,
            },
        };
        self.found.extend(problem);
        None
    }

    /// Parses a refused body without the items that are wrong. `None`: the operation refuses such bodies, or nothing is left.
    fn parse_leniently<T: DeserializeOwned + Validate>(&self, bytes: &[u8]) -> Option<T> {
        let lenient = lenient::repaired(self.spec, self.spec.lenient_items()?, bytes)?;
        let value = read(&lenient.bytes).ok()?;
        skipped::note(lenient.skipped);
        if let Some(ignored) = self.request.data::<IgnoredMembers>() {
            ignored.set(lenient.unknown);
        }
        Some(value)
    }

    /// Parses a refused body without what may be ignored or left out, or lists what is wrong with it.
    fn parse_again<T: DeserializeOwned + Validate>(&self, bytes: &[u8], problem: &str) -> Result<T, Vec<ErrorDetail>> {
        if let Some(value) = self.parse_leniently(bytes) {
            return Ok(value);
        }
        let ignored = self.request.data::<IgnoredMembers>();
        let Some(ignored) = ignored.filter(|_| self.spec.lenient_items().is_none()) else {
            return Err(report::body(self.spec, bytes, problem));
        };
        if let Some((known, names)) = report::without_unknown_members(self.spec, bytes)
            && let Ok(value) = read(&known)
            && report::nul_characters(&known).is_empty()
        {
            ignored.set(names);
            return Ok(value);
        }
        let mut found = report::body(self.spec, bytes, problem);
        let is_other = |detail: &ErrorDetail| detail.code != ErrorRule::UnknownMember;
        if found.iter().any(is_other) {
            found.retain(is_other);
        }
        Err(found)
    }

    /// Everything that was wrong, as one answer.
    pub fn refused(mut self) -> ApiError {
        self.found.truncate(MAX_DETAILS);
        ApiError::invalid(self.found)
    }
}

/// Estimates the bytes in memory of the objects, members and items of a body. In a text, a quote has a backslash before it.
fn object_bytes(bytes: &[u8]) -> usize {
    let mut total: usize = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let is_object = || {
            let rest = bytes.get(at + 1..).unwrap_or_default();
            let first = rest.iter().find(|byte| !byte.is_ascii_whitespace());
            matches!(first, Some(b'"' | b'}'))
        };
        total += match byte {
            b'{' if is_object() => OBJECT_BYTES,
            b',' => ITEM_BYTES,
            _ => 0,
        };
    }
    total
}

/// Reads the body of a request, of at most `limit` bytes.
pub async fn read_body(request: &Request, body: Body, limit: usize) -> Result<Vec<u8>, ApiError> {
    let mut stream = body.into_bytes_stream();
    let mut bytes = Vec::new();
    let mut is_counted = false;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|e| ApiError::invalid_member("/body", ErrorRule::Unreadable, e.to_string()))?;
        if bytes.len() + chunk.len() > limit {
            discard(stream).await;
            let message = format!("The body is larger than {limit} bytes.");
            return Err(ApiError::new(ErrorType::PayloadTooLarge, message));
        }
        if !is_counted && bytes.len() + chunk.len() > SMALL_BODY {
            let declared = request.headers().get(header::CONTENT_LENGTH);
            let declared = declared.and_then(|length| length.to_str().ok()?.parse().ok());
            let expected = declared.unwrap_or(limit).min(limit);
            if let Some(permits) = request.data::<RequestPermits>()
                && let Err(refused) = permits.acquire_body(expected).await
            {
                discard(stream).await;
                return Err(refused.into());
            }
            bytes.reserve_exact(expected);
            is_counted = true;
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Takes in some of what a client goes on sending: one that is cut off while it sends does not get to read the answer.
async fn discard<E>(stream: impl Stream<Item = Result<Bytes, E>>) {
    let mut left = MAX_DISCARDED;
    let mut stream = pin!(stream);
    while let Some(Ok(chunk)) = stream.next().await {
        left = match left.checked_sub(chunk.len()) {
            Some(left) => left,
            None => return,
        };
    }
}

fn read<T: DeserializeOwned + Validate>(bytes: &[u8]) -> Result<T, String> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value: T = serde_path_to_error::deserialize(&mut json).map_err(|e| e.to_string())?;
    json.end().map_err(|e| e.to_string())?;
    // The errors have the values in them.
    value
        .validate()
        .map_err(|_| "Breaks a rule of the contract.".to_owned())?;
    Ok(value)
}
