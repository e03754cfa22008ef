//! Uploaded files: sent as base64, or fetched from a URL.

pub mod image_size;
pub mod media_types;
pub mod names;

use std::time::{Duration, Instant};

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use bytes::Bytes;
use content::pages::File;
use entity::ids::{FileId, OrganizationId, UserId};
use openapi::error::{ApiError, ErrorRule};
use platform::{
    hash::Hash,
    outbound::{FetchError, FetchLimits, Fetched, OnBehalf, Oversize},
};

pub use self::{
    media_types::{of_bytes, of_name_and_bytes},
    names::check as check_name,
};

use crate::kernel::Kernel;

/// The maximum size of a file that is sent as base64.
pub const MAX_INLINE_BYTES: usize = 1024 * 1024;

/// The maximum size of a file that is fetched from a URL.
const MAX_FETCHED_BYTES: usize = 20 * 1024 * 1024;

/// The time to fetch all files of one request: less than the timeout of requests.
pub const FETCH_TIMEOUT: Duration = Duration::from_secs(20);

/// Seconds after which the server may have finished what it fetches.
const RETRY_AFTER: u32 = 5;

/// With or without padding: many clients leave it out.
pub const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A file that a request describes.
#[derive(Debug, Clone)]
pub struct Upload {
    pub name: String,
    pub source: UploadSource,
}

#[derive(Debug, Clone)]
pub enum UploadSource {
    Base64 {
        text: String,
        content_type: Option<String>,
    },
    Url {
        url: String,
        /// Takes precedence over the type that the other server declares.
        content_type: Option<String>,
    },
}

/// The user who stores a file, and their organization. Downloads are made on their behalf.
#[derive(Debug, Clone, Copy)]
pub struct Uploader {
    pub organization: OrganizationId,
    pub user: UserId,
}

/// Stores the bytes of a file. `pointer` is the location of its description in the body, for errors; a download has to
/// end before `until`.
///
/// The transaction that writes a revision with the file also references its blob.
pub async fn store_upload(
    kernel: &Kernel,
    uploader: Uploader,
    upload: Upload,
    pointer: &str,
    until: Instant,
) -> Result<File, ApiError> {
    names::check(&upload.name).map_err(|refused| invalid(pointer, "name", ErrorRule::FileName, refused))?;
    let media_type = |text: &String| {
        media_types::parse(text).ok_or_else(|| {
            let message = "`contentType` is not a media type such as image/png.";
            invalid(pointer, "contentType", ErrorRule::MediaType, message)
        })
    };
    let (id, name) = (kernel.ids.next(), upload.name);
    match &upload.source {
        UploadSource::Base64 { text, content_type } => {
            let given = content_type.as_ref().map(media_type).transpose()?;
            let bytes = decode(text, pointer)?;
            let content_type = given.unwrap_or_else(|| of_name_and_bytes(&name, &bytes));
            store_file(kernel, id, name, content_type, bytes, true).await
        }
        UploadSource::Url { url, content_type } => {
            let given = content_type.as_ref().map(media_type).transpose()?;
            let fetched = fetch(kernel, uploader, url, pointer, until).await?;
            let told = fetched.content_type.as_deref();
            let content_type = given.unwrap_or_else(|| media_types::detect(told, &fetched.bytes));
            store_file(kernel, id, name, content_type, fetched.bytes.clone(), true).await
        }
    }
}

/// Stores bytes under a validated name; without `really`, only computes the file's metadata.
pub async fn store_file(
    kernel: &Kernel,
    id: FileId,
    name: String,
    content_type: String,
    bytes: Bytes,
    really: bool,
) -> Result<File, ApiError> {
    let size = u64::try_from(bytes.len())?;
    let dimensions = image_size::dimensions(&content_type, &bytes);
    let blob = if really {
        kernel
            .blobs
            .put(bytes)
            .await
            .map_err(|error| kernel.blob_error(&error))?
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
    let too_large = || {
        refused(
            ErrorRule::FileSize,
            format!("`base64` holds more than {MAX_INLINE_BYTES} bytes."),
        )
    };
    // Four characters are three bytes. A longer text is refused before decoding.
    if text.len() > MAX_INLINE_BYTES.div_ceil(3).saturating_mul(4) {
        return Err(too_large());
    }
    let decoded = BASE64.decode(text);
    let bytes = decoded.map_err(|_| refused(ErrorRule::Base64, "`base64` is not valid base64.".to_owned()))?;
    if bytes.len() > MAX_INLINE_BYTES {
        return Err(too_large());
    }
    Ok(bytes.into())
}

async fn fetch(
    kernel: &Kernel,
    uploader: Uploader,
    url: &str,
    pointer: &str,
    until: Instant,
) -> Result<Fetched, ApiError> {
    let limits = FetchLimits {
        bytes: MAX_FETCHED_BYTES,
        oversize: Oversize::Refuse,
        time: until.saturating_duration_since(Instant::now()),
        on_behalf: OnBehalf {
            tenant: *uploader.organization.as_uuid(),
            user: Some(*uploader.user.as_uuid()),
        },
    };
    match kernel.outbound.get(url, limits).await {
        Ok(fetched) => Ok(fetched),
        Err(error @ FetchError::Busy) => Err(ApiError::overloaded(format!("{pointer}/url {error}."), RETRY_AFTER)),
        Err(FetchError::Client(error)) => Err(ApiError::internal(format!("{error:#}"))),
        Err(error) => Err(invalid(
            pointer,
            "url",
            ErrorRule::NotFetched,
            format!("The address {error}."),
        )),
    }
}

fn invalid(pointer: &str, member: &str, code: ErrorRule, message: impl Into<String>) -> ApiError {
    ApiError::invalid_member(format!("{pointer}/{member}"), code, message)
}
