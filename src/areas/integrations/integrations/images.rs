//! Icons and preview images: checked, stored as blobs, and named by their hash and their kind.

use base64::Engine;
use bytes::Bytes;
use openapi::{
    error::{ApiError, ErrorRule},
    models::ErrorDetail,
};
use platform::{blobs::StoredBlob, hash::Hash};

use crate::{
    areas::authoring::editor::uploads::{BASE64, image_size, of_bytes},
    kernel::Kernel,
};

const MAX_ICON_BYTES: usize = 250 * 1024;

const MAX_PREVIEW_BYTES: usize = 1024 * 1024;

/// The allowed kinds, which cannot contain scripts, with their extensions.
const KINDS: [(&str, &str); 4] = [
    ("image/gif", "gif"),
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/webp", "webp"),
];

/// An image in the store.
pub struct Image {
    pub blob: StoredBlob,
    pub content_type: &'static str,
}

/// The images of a version.
#[derive(Clone, Default)]
pub struct StoredImages {
    pub icon: Option<String>,
    pub previews: Vec<String>,
    /// The hashes of all of them, each once.
    pub hashes: Vec<Hash>,
}

/// An image that fulfills the rules.
struct Checked {
    bytes: Bytes,
    extension: &'static str,
}

/// Checks images in base64, and stores them if all fulfill the rules.
pub async fn store(kernel: &Kernel, icon: Option<&str>, previews: &[String]) -> Result<StoredImages, ApiError> {
    let mut refused = Vec::new();
    let mut check_or_note = |text: &str, pointer: String, most: usize| {
        let checked = check(text, &pointer, most);
        checked.map_err(|detail| refused.push(detail)).ok()
    };
    let icon = icon.and_then(|text| check_or_note(text, "/body/icon".to_owned(), MAX_ICON_BYTES));
    let previews: Vec<Checked> = previews
        .iter()
        .enumerate()
        .filter_map(|(i, text)| check_or_note(text, format!("/body/previewImages/{i}"), MAX_PREVIEW_BYTES))
        .collect();
    ApiError::refuse(refused)?;
    let mut stored = StoredImages::default();
    if let Some(icon) = icon {
        stored.icon = Some(put(kernel, icon, &mut stored.hashes).await?);
    }
    for preview in previews {
        let name = put(kernel, preview, &mut stored.hashes).await?;
        stored.previews.push(name);
    }
    Ok(stored)
}

fn check(text: &str, pointer: &str, most: usize) -> Result<Checked, ErrorDetail> {
    let refused = |code, message: String| ErrorDetail {
        pointer: pointer.to_owned(),
        code,
        message,
    };
    let bytes = BASE64.decode(text);
    let bytes = bytes.map_err(|_| refused(ErrorRule::Base64, "The text is not valid base64.".to_owned()))?;
    if bytes.len() > most {
        return Err(refused(
            ErrorRule::Image,
            format!("The image has more than {most} bytes."),
        ));
    }
    let found = of_bytes(&bytes);
    let kind = KINDS.into_iter().find(|(content_type, _)| *content_type == found);
    match kind {
        Some((content_type, extension)) if image_size::dimensions(content_type, &bytes).is_some() => Ok(Checked {
            bytes: bytes.into(),
            extension,
        }),
        _ => Err(refused(
            ErrorRule::Image,
            "The bytes are not a PNG, JPEG, GIF or WebP.".to_owned(),
        )),
    }
}

/// Stores an image and returns its name. The transaction that writes the version also holds the blob.
async fn put(kernel: &Kernel, image: Checked, hashes: &mut Vec<Hash>) -> Result<String, ApiError> {
    let stored = kernel.blobs.put(image.bytes).await;
    let hash = stored.map_err(|error| kernel.blob_error(&error))?;
    if !hashes.contains(&hash) {
        hashes.push(hash);
    }
    Ok(format!("{hash}.{}", image.extension))
}

/// The hash and the media type of a name.
pub fn parse_name(name: &str) -> Option<(Hash, &'static str)> {
    let (hash, extension) = name.split_once('.')?;
    let (content_type, _) = KINDS.into_iter().find(|(_, known)| *known == extension)?;
    Some((hash.parse().ok()?, content_type))
}
