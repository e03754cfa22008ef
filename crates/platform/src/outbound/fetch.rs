//! A request and its redirects.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use reqwest::{
    Client, Method, Response, StatusCode,
    header::{self, HeaderMap},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::Url;

use super::{FetchError, FetchLimits, Oversize, address_policy::AddressPolicy};

const MAX_REDIRECTS: usize = 5;

/// The body of a response, whose memory is reserved until this is dropped.
#[derive(Debug)]
pub struct Fetched {
    pub bytes: Bytes,
    /// The address after all redirects.
    pub url: Url,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// The `ETag` header.
    pub tag: Option<String>,
    _memory: Option<OwnedSemaphorePermit>,
}

/// A request as its caller makes it.
#[derive(Debug)]
pub struct OutgoingRequest {
    pub method: Method,
    pub url: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A response of any status. Its memory is reserved until this is dropped.
#[derive(Debug)]
pub struct IncomingResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    _memory: Option<OwnedSemaphorePermit>,
}

impl IncomingResponse {
    /// A response that was made in this process.
    pub fn new(status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        Self {
            status,
            headers,
            body,
            _memory: None,
        }
    }
}

/// The state that a request asks for.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    pub url: &'a str,
    /// The entity tag of a state that is not fetched again.
    pub tag: Option<&'a str>,
}

/// The memory for the body of a response.
pub struct BodyMemory<'a> {
    /// A permit for each byte that all requests together may still hold.
    pub free: &'a Arc<Semaphore>,
    /// The permits of this request.
    pub held: Option<OwnedSemaphorePermit>,
}

/// Fetches a target, following redirects. `None`: the server still has the state with the entity tag.
pub async fn get(
    client: &Client,
    policy: &AddressPolicy,
    memory: BodyMemory<'_>,
    Target { url, tag }: Target<'_>,
    limits: FetchLimits,
) -> Result<Option<Fetched>, FetchError> {
    let mut url = Url::parse(url).map_err(|_| FetchError::Invalid)?;
    for _ in 0..=MAX_REDIRECTS {
        check(policy, &url)?;
        let mut request = client.get(url.clone()).header(header::ACCEPT_ENCODING, "identity");
        if let Some(tag) = tag {
            request = request.header(header::IF_NONE_MATCH, tag);
        }
        let response = request.send().await.map_err(|_| FetchError::Unreachable)?;
        if tag.is_some() && response.status() == StatusCode::NOT_MODIFIED {
            return Ok(None);
        }
        if !response.status().is_redirection() {
            return read(response, memory, limits).await.map(Some);
        }
        url = redirect_target(&response).ok_or(FetchError::Status(response.status()))?;
    }
    Err(FetchError::TooManyRedirects)
}

/// Sends a request once. A redirect is the response.
pub async fn send(
    client: &Client,
    policy: &AddressPolicy,
    memory: BodyMemory<'_>,
    request: OutgoingRequest,
    limits: FetchLimits,
) -> Result<IncomingResponse, FetchError> {
    let OutgoingRequest {
        method,
        url,
        mut headers,
        body,
    } = request;
    let url = Url::parse(&url).map_err(|_| FetchError::Invalid)?;
    check(policy, &url)?;
    headers.insert(header::ACCEPT_ENCODING, header::HeaderValue::from_static("identity"));
    let request = client.request(method, url).headers(headers).body(body);
    let response = request.send().await.map_err(|_| FetchError::Unreachable)?;
    require_plain(&response)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let (body, memory) = read_body(response, memory, limits).await?;
    Ok(IncomingResponse {
        status,
        headers,
        body,
        _memory: memory,
    })
}

pub fn check(policy: &AddressPolicy, url: &Url) -> Result<(), FetchError> {
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    if !matches!(url.scheme(), "http" | "https") || has_credentials {
        return Err(FetchError::Invalid);
    }
    if policy.allows_url(url) {
        Ok(())
    } else {
        Err(FetchError::Refused)
    }
}

fn redirect_target(response: &Response) -> Option<Url> {
    let location = response.headers().get(header::LOCATION)?.to_str().ok()?;
    response.url().join(location).ok()
}

async fn read(response: Response, memory: BodyMemory<'_>, limits: FetchLimits) -> Result<Fetched, FetchError> {
    if !response.status().is_success() {
        return Err(FetchError::Status(response.status()));
    }
    require_plain(&response)?;
    let text = |name| {
        let value = response.headers().get(name)?;
        value.to_str().ok().map(str::to_owned)
    };
    let (content_type, tag) = (text(header::CONTENT_TYPE), text(header::ETAG));
    let url = response.url().clone();
    let (bytes, memory) = read_body(response, memory, limits).await?;
    Ok(Fetched {
        bytes,
        url,
        content_type,
        tag,
        _memory: memory,
    })
}

/// Refuses a body with a content coding.
fn require_plain(response: &Response) -> Result<(), FetchError> {
    let coding = response.headers().get(header::CONTENT_ENCODING);
    match coding.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        true => Err(FetchError::Encoded),
        false => Ok(()),
    }
}

/// Reads the body, and returns it with its memory.
async fn read_body(
    response: Response,
    memory: BodyMemory<'_>,
    limits: FetchLimits,
) -> Result<(Bytes, Option<OwnedSemaphorePermit>), FetchError> {
    let BodyMemory { free, mut held } = memory;
    let FetchLimits {
        bytes: limit, oversize, ..
    } = limits;
    let length = response.content_length().unwrap_or_default();
    if oversize == Oversize::Refuse && usize::try_from(length).map_or(true, |length| length > limit) {
        return Err(FetchError::TooLarge(limit));
    }
    // Memory that is not written to takes none.
    let mut bytes = BytesMut::with_capacity(usize::try_from(length).unwrap_or(limit).min(limit));
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let mut chunk = chunk.map_err(|_| FetchError::Unreachable)?;
        let room = limit.saturating_sub(bytes.len());
        let is_too_large = chunk.len() > room;
        if is_too_large && oversize == Oversize::Refuse {
            return Err(FetchError::TooLarge(limit));
        }
        chunk.truncate(room);
        bytes.extend_from_slice(&chunk);
        let wanted = bytes.len().saturating_sub(permits(held.as_ref()));
        let permit = Arc::clone(free).try_acquire_many_owned(u32::try_from(wanted).unwrap_or(u32::MAX));
        let permit = permit.map_err(|_| FetchError::Busy)?;
        match &mut held {
            Some(held) => held.merge(permit),
            None => held = Some(permit),
        }
        if is_too_large {
            break;
        }
    }
    let unused = permits(held.as_ref()).saturating_sub(bytes.len());
    drop(held.as_mut().and_then(|held| held.split(unused)));
    Ok((bytes.freeze(), held))
}

fn permits(held: Option<&OwnedSemaphorePermit>) -> usize {
    held.map_or(0, OwnedSemaphorePermit::num_permits)
}
