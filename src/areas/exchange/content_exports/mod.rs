//! Content as zip files, at signed addresses that work without a token until they expire.

use std::{future::Future, sync::Arc};

use archive::ZipSink;
use bytes::Bytes;
use chrono::TimeDelta;
use content::revisions::Revision;
use entity::ids::{NodeId, RevisionId};
use openapi::{
    error::{ApiError, ErrorType},
    models::ContentExportUrl,
    operations::content_exports::ContentExportsApi,
};

use super::{
    Exchange,
    export::write::{Sink, write},
};
use crate::{
    access::{ChangeRequestAccess, SpaceAccess},
    areas::authoring::editor::write::load_revision,
    kernel::{Kernel, signatures},
};

/// The beginning of the paths of exports.
pub const PREFIX: &str = "/exports/";

/// The lifetime of an address.
const LIFETIME: TimeDelta = TimeDelta::hours(1);

/// Downloads at once: each holds the list of its pages in memory.
pub const CONCURRENCY: usize = 8;

impl ContentExportsApi for Exchange {
    async fn export_space_content(&self, access: SpaceAccess) -> Result<ContentExportUrl, ApiError> {
        let revision = access.row.space.revision_id;
        Ok(url(&self.kernel, access.row.node.id, revision))
    }

    async fn export_revision_content(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
    ) -> Result<ContentExportUrl, ApiError> {
        let revision = load_revision(&self.contents, access.row.node.id, revision_id).await?;
        Ok(url(&self.kernel, revision.space, revision.id))
    }

    async fn export_change_request_content(&self, access: ChangeRequestAccess) -> Result<ContentExportUrl, ApiError> {
        Ok(url(&self.kernel, access.row.node.id, access.request.revision_id))
    }
}

fn url(kernel: &Kernel, space: NodeId, revision: RevisionId) -> ContentExportUrl {
    let of = format!("{space}/{revision}");
    let rest = signatures::temporary(key(kernel), LIFETIME, &of, kernel.clock.now());
    ContentExportUrl {
        url: format!("{}{PREFIX}{rest}", kernel.urls.base()),
    }
}

fn key(kernel: &Kernel) -> [u8; 32] {
    kernel.secrets.derive("content exports")
}

impl Exchange {
    /// Returns the revision of the rest of a path after the prefix.
    pub async fn exported_revision(&self, path: &str) -> Result<Arc<Revision>, ApiError> {
        let unknown = || ApiError::not_found("export");
        let (space, revision) = verify(&self.kernel, path).ok_or_else(unknown)?;
        // A deleted space has no content for anybody.
        if !self.has_space(space).await? {
            return Err(unknown());
        }
        load_revision(&self.contents, space, revision).await
    }

    /// Writes a revision into a zip file, which the client downloads meanwhile.
    pub fn start_zip(&self, revision: Arc<Revision>) -> Result<archive::ZipBytes, ApiError> {
        let busy = |_| ApiError::new(ErrorType::Busy, "The server makes many exports. Try again.");
        let permit = Arc::clone(&self.downloads).try_acquire_owned().map_err(busy)?;
        let (sink, bytes) = archive::stream();
        let exchange = self.clone();
        tokio::spawn(async move {
            let mut sink = Zip(sink);
            let written = write(&exchange, revision.space, revision.snapshot, &mut sink).await;
            let written = match written {
                Ok(_) => sink.0.finish().await.map_err(Into::into),
                Err(error) => Err(error),
            };
            if let Err(error) = written {
                // The stream ends with an error, which clients see as a broken download.
                tracing::info!(error = format!("{error:#}"), "an export of content was not completed");
            }
            drop(permit);
        });
        Ok(bytes)
    }
}

fn verify(kernel: &Kernel, path: &str) -> Option<(NodeId, RevisionId)> {
    let of = signatures::verify_temporary(key(kernel), path, kernel.clock.now())?;
    let (space, revision) = of.split_once('/')?;
    Some((space.parse().ok()?, revision.parse().ok()?))
}

/// A zip file as the place of an export.
pub struct Zip(pub ZipSink);

impl Sink for Zip {
    fn put(&mut self, path: &str, bytes: Bytes) -> impl Future<Output = anyhow::Result<()>> + Send {
        let path = path.to_owned();
        async move { Ok(self.0.file(path, bytes).await?) }
    }
}
