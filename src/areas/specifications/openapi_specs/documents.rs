//! The documents of versions, sent as they are stored.

use entity::{
    ids::{OpenapiSpecId, OpenapiSpecVersionId, OrganizationId},
    specifications::openapi_specs::{Entity, Model, OpenapiSpecVisibility, versions},
};
use futures_util::{StreamExt, stream};
use openapi::{
    answer::{Conditional, Tagged},
    conditional::EntityTag,
    error::ApiError,
    models::{OpenApiSpecContent, OpenApiSpecRawContent},
};
use platform::blobs::{self, StoredBlob};
use poem::Body;
use sea_orm::EntityTrait;

use super::store;

use crate::kernel::Kernel;

/// The members of the only file of a version, except for its document.
const FILE: &str = r#""dir":".","isEntrypoint":true,"references":[],"filename":"openapi.json""#;

/// The document of a version with its addresses, as an answer that is not held in memory.
pub async fn content(
    kernel: &Kernel,
    (version, spec): (&versions::Model, &Model),
    kept: Option<&str>,
) -> Result<Conditional<OpenApiSpecContent>, ApiError> {
    let blob = blob(kernel, &version.content_hash).await?;
    let published = match spec.visibility {
        OpenapiSpecVisibility::Public => Some(kernel.urls.published_openapi_spec(spec.id)),
        OpenapiSpecVisibility::Private => None,
    };
    let visibility = if published.is_some() { "public" } else { "private" };
    let tag = EntityTag::new(format_args!("{}.{visibility}-content", version.id));
    if tag.is_kept(kept) {
        return Ok(Conditional::NotModified(tag));
    }
    let url = serde_json::to_string(&kernel.urls.openapi_document(version.id))?;
    let published = serde_json::to_string(&published)?;
    let (before, after) = (
        format!(r#"{{"filesystem":[{{{FILE},"specification":"#),
        format!(r#"}}],"url":{url},"urls":{{"source":{url},"public":{published}}}}}"#),
    );
    let bytes = stream(kernel, &blob).await?;
    let once = |text: String| stream::once(std::future::ready(Ok(bytes::Bytes::from(text))));
    let body = Body::from_bytes_stream(once(before).chain(bytes).chain(once(after)));
    Ok(Conditional::Written(Tagged { tag, body }))
}

/// The source of a version, exactly as it was submitted, as an answer that is not held in memory.
pub async fn source(
    kernel: &Kernel,
    version: &versions::Model,
    kept: Option<&str>,
) -> Result<Conditional<OpenApiSpecRawContent>, ApiError> {
    let tag = EntityTag::new(format_args!("{}.source", version.id));
    if tag.is_kept(kept) {
        return Ok(Conditional::NotModified(tag));
    }
    let blob = blob(kernel, &version.source_hash).await?;
    let format = if version.source_is_json { "json" } else { "yaml" };
    let bytes = stream(kernel, &blob).await?.map(|piece| piece.map(escaped));
    let once = |text: String| stream::once(std::future::ready(Ok(bytes::Bytes::from(text))));
    let (before, after) = (r#"{"text":""#.to_owned(), format!(r#"","format":"{format}"}}"#));
    let body = Body::from_bytes_stream(once(before).chain(bytes).chain(once(after)));
    Ok(Conditional::Written(Tagged { tag, body }))
}

/// A piece of a text as a piece of a JSON string. No character of several bytes has one that is escaped.
fn escaped(piece: bytes::Bytes) -> bytes::Bytes {
    let mut escaped = Vec::with_capacity(piece.len() + piece.len() / 16);
    for byte in piece {
        match byte {
            b'"' | b'\\' => escaped.extend([b'\\', byte]),
            b'\n' => escaped.extend(br"\n"),
            0..0x20 => escaped.extend(format!("\\u{byte:04x}").into_bytes()),
            _ => escaped.push(byte),
        }
    }
    escaped.into()
}

/// The latest document of a public specification.
pub async fn published(kernel: &Kernel, spec: OpenapiSpecId) -> Result<Option<StoredBlob>, ApiError> {
    let db = kernel.db.read();
    let found = Entity::find_by_id(spec).one(db).await?;
    let latest = found.filter(|spec| spec.visibility == OpenapiSpecVisibility::Public);
    match latest.and_then(|spec| spec.last_version_id) {
        Some(version) => of_version(kernel, version).await,
        None => Ok(None),
    }
}

/// The latest document of a specification, for pages that show parts of it.
pub async fn latest(kernel: &Kernel, organization: OrganizationId, slug: &str) -> Result<Option<StoredBlob>, ApiError> {
    let found = store::find(kernel.db.read(), organization, slug).await?;
    match found.and_then(|spec| spec.last_version_id) {
        Some(version) => of_version(kernel, version).await,
        None => Ok(None),
    }
}

/// The document of a version, for those who know its signed address.
pub async fn of_version(kernel: &Kernel, version: OpenapiSpecVersionId) -> Result<Option<StoredBlob>, ApiError> {
    let found = versions::Entity::find_by_id(version).one(kernel.db.read()).await?;
    match found {
        Some(version) => Ok(Some(load(kernel, &version).await?)),
        None => Ok(None),
    }
}

/// The bytes of a document.
pub async fn stream(
    kernel: &Kernel,
    blob: &StoredBlob,
) -> Result<impl stream::Stream<Item = std::io::Result<bytes::Bytes>> + Send + use<>, ApiError> {
    let stream = kernel.blobs.objects.stream(blob.name, 0..blob.size).await;
    stream.map_err(|error| kernel.blob_error(&error))
}

/// The bytes of a document, whole.
pub async fn read(kernel: &Kernel, blob: &StoredBlob) -> Result<bytes::Bytes, ApiError> {
    let read = kernel.blobs.objects.read(blob.name).await;
    read.map_err(|error| kernel.blob_error(&error))
}

/// Where the document of a version is, and its size.
pub async fn load(kernel: &Kernel, version: &versions::Model) -> Result<StoredBlob, ApiError> {
    blob(kernel, &version.hash).await
}

async fn blob(kernel: &Kernel, hash: &[u8]) -> Result<StoredBlob, ApiError> {
    let found = blobs::load(kernel.db.read(), hash).await?;
    found.ok_or_else(|| ApiError::internal("a version has no document"))
}
