//! One request, and the redirects that it leads to.

use std::error::Error;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use reqwest::{Client, Response, header};
use url::Url;

use super::{FetchError, addresses::Addresses, client::Refused};

const MAX_REDIRECTS: usize = 5;

/// What an address gave.
#[derive(Debug)]
pub struct Fetched {
    pub bytes: Bytes,
    /// As it was sent.
    pub content_type: Option<String>,
}

pub async fn get(client: &Client, addresses: &Addresses, url: &str, limit: usize) -> Result<Fetched, FetchError> {
    let mut url = Url::parse(url).map_err(|_| FetchError::Invalid)?;
    for _ in 0..=MAX_REDIRECTS {
        check(addresses, &url)?;
        let request = client.get(url.clone()).header(header::ACCEPT_ENCODING, "identity");
        let response = request.send().await.map_err(|e| failure(&e))?;
        if !response.status().is_redirection() {
            return read(response, limit).await;
        }
        url = target(&response).ok_or(FetchError::Status(response.status()))?;
    }
    Err(FetchError::TooManyRedirects)
}

fn check(addresses: &Addresses, url: &Url) -> Result<(), FetchError> {
    let open = url.username().is_empty() && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || !open {
        return Err(FetchError::Invalid);
    }
    if addresses.may_name(url) {
        Ok(())
    } else {
        Err(FetchError::Refused)
    }
}

fn target(response: &Response) -> Option<Url> {
    let location = response.headers().get(header::LOCATION)?.to_str().ok()?;
    response.url().join(location).ok()
}

/// Whether a name was refused is somewhere among the causes. Everything else looks the same, so that nobody learns how a
/// connection failed.
fn failure(error: &reqwest::Error) -> FetchError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<Refused>() {
            return FetchError::Refused;
        }
        cause = error.source();
    }
    FetchError::Unreachable
}

async fn read(response: Response, limit: usize) -> Result<Fetched, FetchError> {
    if !response.status().is_success() {
        return Err(FetchError::Status(response.status()));
    }
    let text = |name| {
        let value = response.headers().get(name)?;
        value.to_str().ok().map(str::to_owned)
    };
    if text(header::CONTENT_ENCODING).is_some_and(|coding| !coding.eq_ignore_ascii_case("identity")) {
        return Err(FetchError::Encoded);
    }
    let content_type = text(header::CONTENT_TYPE);
    let announced = response.content_length().unwrap_or_default();
    if usize::try_from(announced).map_or(true, |announced| announced > limit) {
        return Err(FetchError::TooLarge(limit));
    }
    let mut bytes = BytesMut::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|e| failure(&e))?;
        if piece.len() > limit.saturating_sub(bytes.len()) {
            return Err(FetchError::TooLarge(limit));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(Fetched {
        bytes: bytes.freeze(),
        content_type,
    })
}
