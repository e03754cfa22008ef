//! Writing an export: file by file, in the order of the paths.

use std::future::Future;

use bytes::Bytes;
use content::pages::{File, Snapshot};
use entity::ids::NodeId;
use openapi::error::ApiError;
use platform::blobs;

use super::{Exported, ExportedFile, KnownPaths, Parts, texts};
use crate::areas::exchange::Exchange;

/// Texts that are read and written at a time.
const BATCH: usize = 64;

/// Receives the files of an export.
pub trait Sink: Send {
    fn put(&mut self, path: &str, bytes: Bytes) -> impl Future<Output = anyhow::Result<()>> + Send;
}

/// What was written.
#[derive(Debug, Default)]
pub struct Written {
    pub files: usize,
    pub bytes: u64,
}

/// Writes the content of a revision.
pub async fn write<S: Sink>(
    exchange: &Exchange,
    space: NodeId,
    snapshot: Snapshot,
    sink: &mut S,
) -> anyhow::Result<Written> {
    let contents = &exchange.contents;
    let mut content = exchange.content(space);
    let exported = Exported::new(Parts::load(&mut content, snapshot).await?, &KnownPaths::default());
    let files: Vec<(String, ExportedFile)> = exported.files().into_iter().collect();
    let mut written = Written::default();
    for batch in files.chunks(BATCH) {
        let mut hashes = Vec::new();
        for (_, file) in batch {
            hashes.extend(file.document());
        }
        let texts = texts(&mut content, hashes).await?;
        for (path, file) in batch {
            let bytes = match file {
                ExportedFile::Asset(file) => read(exchange, space, file).await?,
                file => {
                    let stored = file.document().and_then(|hash| texts.get(&hash));
                    let stored = stored.map(String::as_str).unwrap_or_default();
                    let computation = contents.kernel.work.start(stored.len()).await?;
                    computation
                        .run(|| exported.text(path, file, stored))
                        .unwrap_or_default()
                        .into()
                }
            };
            written.files += 1;
            written.bytes += u64::try_from(bytes.len())?;
            sink.put(path, bytes).await?;
        }
    }
    Ok(written)
}

/// The bytes of a file.
pub async fn read(exchange: &Exchange, space: NodeId, file: &File) -> Result<Bytes, ApiError> {
    let kernel = &exchange.kernel;
    let found = blobs::find(kernel.db.read(), space, file.blob).await?;
    let blob = found.ok_or_else(|| ApiError::not_found("file"))?;
    let bytes = kernel.blobs.objects.read(blob.name).await;
    bytes.map_err(|error| kernel.blob_error(&error))
}
