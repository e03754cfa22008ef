//! Files that callers add: from what they send, or from where they say.

mod media_types;
mod names;
mod pictures;

use std::time::{Duration, Instant};

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use bytes::Bytes;
use content::pages::File;
use entity::ids::FileId;
use openapi::error::ApiError;
use platform::{
    hash::Hash,
    outbound::{FetchError, FetchLimits, Fetched},
};

pub use self::{media_types::of_extension, names::check as check_name};

use crate::app::App;

/// Bytes of a file that is sent along.
pub const MAX_SENT: usize = 1024 * 1024;

/// Bytes of one that is fetched.
const MAX_FETCHED: usize = 20 * 1024 * 1024;

/// How long the files of one request may take to fetch, all together: less than a request may take.
pub const FETCH_TIME: Duration = Duration::from_secs(20);

/// With or without the padding at the end, which many leave out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// One file, as a caller describes it.
#[derive(Debug, Clone)]
pub struct Upload {
    pub name: String,
    pub source: Source,
    /// Needed with bytes that are sent along; otherwise what the other server says counts.
    pub content_type: Option<String>,
}

#[derive(Debug, Clone)]
pub enum Source {
    Base64(String),
    Url(String),
}

/// Stores the bytes of a file. `pointer` says where its description stands in the body, for what is refused; what has to be
/// fetched has to be there by `until`.
///
/// Whoever makes a revision with the file references its blob in the same transaction.
pub async fn take(app: &App, upload: Upload, pointer: &str, until: Instant) -> Result<File, ApiError> {
    names::check(&upload.name).map_err(|refused| invalid(pointer, "name", "file-name", refused))?;
    let given = match &upload.content_type {
        Some(text) => Some(media_types::read(text).ok_or_else(|| {
            let message = "Has to be a media type, such as image/png.";
            invalid(pointer, "contentType", "media-type", message)
        })?),
        None => None,
    };
    let (bytes, told) = match &upload.source {
        Source::Base64(text) => (decode(text, pointer)?, None),
        Source::Url(url) => fetch(app, url, pointer, until).await?,
    };
    let content_type = match (given, &upload.source) {
        (Some(given), _) => given,
        (None, Source::Base64(_)) => {
            let message = "Is needed with `base64`.";
            return Err(invalid(pointer, "contentType", "media-type", message));
        }
        (None, Source::Url(_)) => media_types::guess(told.as_deref(), &bytes),
    };
    keep(app, app.ids.next(), upload.name, content_type, bytes, true).await
}

/// Stores bytes under a name that was checked; without `really`, only says what they would be stored as.
pub async fn keep(
    app: &App,
    id: FileId,
    name: String,
    content_type: String,
    bytes: Bytes,
    really: bool,
) -> Result<File, ApiError> {
    let size = u64::try_from(bytes.len())?;
    let dimensions = pictures::dimensions(&content_type, &bytes);
    let blob = if really {
        let stored = app.blobs.put(bytes).await;
        stored.map_err(|e| ApiError::internal(format!("{e:#}")))?
    } else {
        Hash::of(&bytes)
    };
    Ok(File {
        id,
        name,
        content_type,
        size,
        dimensions,
        blob,
    })
}

fn decode(text: &str, pointer: &str) -> Result<Bytes, ApiError> {
    let refused = |code, message: String| invalid(pointer, "base64", code, message);
    let too_large = || refused("file-size", format!("Is more than {MAX_SENT} bytes."));
    // Four characters are three bytes; what is longer is not even read.
    if text.len() > MAX_SENT.div_ceil(3).saturating_mul(4) {
        return Err(too_large());
    }
    let decoded = BASE64.decode(text);
    let bytes = decoded.map_err(|_| refused("base64", "Is not valid base64.".to_owned()))?;
    if bytes.len() > MAX_SENT {
        return Err(too_large());
    }
    Ok(bytes.into())
}

/// The bytes, and what the other server says they are.
async fn fetch(app: &App, url: &str, pointer: &str, until: Instant) -> Result<(Bytes, Option<String>), ApiError> {
    let limits = FetchLimits {
        bytes: MAX_FETCHED,
        time: until.saturating_duration_since(Instant::now()),
    };
    match app.outbound.get(url, limits).await {
        Ok(Fetched { bytes, content_type }) => Ok((bytes, content_type)),
        Err(FetchError::Client(error)) => Err(ApiError::internal(format!("{error:#}"))),
        Err(error) => Err(invalid(pointer, "url", "not-fetched", format!("The address {error}."))),
    }
}

fn invalid(pointer: &str, member: &str, code: &str, message: impl Into<String>) -> ApiError {
    ApiError::invalid_member(format!("{pointer}/{member}"), code, message)
}
