//! The kernel: what every context needs to serve requests and jobs, and what none of them owns.

pub mod audit;
pub mod audit_actions;
pub mod conditions;
pub mod cookies;
pub mod dns_proof;
pub mod document_links;
pub mod document_targets;
pub mod hooks;
pub mod idempotency;
pub mod lists;
pub mod localized;
pub mod pdf_links;
pub mod signatures;
pub mod urls;
pub mod wire;

use std::sync::Arc;

use chrono::TimeDelta;
use openapi::{error::ApiError, work::WorkLimits};
use platform::{
    backups::Backups,
    blobs::{BlobStore, FileLinks, is_not_writable},
    config::Settings,
    db::{Clock, Cursors, Db, IdSource},
    dns::Dns,
    jobs::JobQueue,
    outbound::Outbound,
    secrets::Secrets,
};
use sea_orm::DbErr;

use self::{
    document_links::DocumentLinks,
    hooks::{ContextHooks, Hooks},
    pdf_links::PdfLinks,
    urls::Urls,
};

/// Clocks of several nodes may differ by this much.
const TOLERATED_LAG: TimeDelta = TimeDelta::minutes(1);

/// Handles that all contexts share; cloning is cheap.
#[derive(Clone)]
pub struct Kernel {
    pub db: Db,
    pub blobs: BlobStore,
    pub backups: Backups,
    pub jobs: JobQueue,
    pub clock: Clock,
    pub ids: IdSource,
    pub cursors: Cursors,
    pub secrets: Secrets,
    pub urls: Arc<Urls>,
    pub outbound: Arc<Outbound>,
    pub dns: Arc<Dns>,
    pub work: WorkLimits,
    pub hooks: Hooks,
}

impl Kernel {
    pub fn new(
        db: Db,
        settings: &Settings,
        clock: Clock,
        hooks: impl IntoIterator<Item = &'static dyn ContextHooks>,
    ) -> Self {
        let secrets = Secrets::new(&settings.secret_key);
        let ids = IdSource::new(clock.clone());
        let urls = Arc::new(Urls::new(
            &settings.public_url,
            FileLinks::new(secrets.derive("files")),
            DocumentLinks::new(secrets.derive("openapi-documents")),
            PdfLinks::new(secrets.derive("pdf-exports")),
            settings.sites_address(),
        ));
        Self {
            blobs: BlobStore::new(db.clone(), clock.clone(), ids.clone(), settings.blob_store.clone()),
            backups: Backups::new(db.clone(), clock.clone(), ids.clone()),
            jobs: JobQueue::new(db.clone(), clock.clone(), ids.clone()),
            hooks: Hooks::new(hooks, clock.clone(), ids.clone(), Arc::clone(&urls), secrets.clone()),
            db,
            ids,
            clock,
            cursors: Cursors::new(secrets.derive("cursors")),
            dns: Arc::new(Dns::new(settings.dns_server)),
            outbound: Arc::new(Outbound::new(settings.allow_private_addresses.clone())),
            urls,
            secrets,
            work: WorkLimits::new(settings.memory),
        }
    }

    /// Makes ids greater than those in the database: lists are in the order of ids, and the clock may have been set back since an earlier
    /// process made them. Times follow the clock all the same, so that nothing expires late because it once was ahead.
    pub async fn continue_ids(&self) -> Result<(), DbErr> {
        let Some((id, occurred_at)) = audit::newest(self.db.read()).await? else {
            return Ok(());
        };
        self.ids.continue_after(id.as_uuid());
        let now = self.clock.now();
        if occurred_at > now.plus(TOLERATED_LAG) {
            tracing::warn!(
                now = %now.to_utc(),
                newest_change = %occurred_at.to_utc(),
                "the clock is behind the newest change in the database; check the system clock"
            );
        }
        Ok(())
    }

    /// The answer if bytes cannot be stored.
    #[track_caller]
    pub fn blob_error(&self, error: &anyhow::Error) -> ApiError {
        if let Some(error) = error.downcast_ref::<DbErr>() {
            return error.clone().into();
        }
        let reason = format!("{error:#}");
        if is_not_writable(error) {
            return ApiError::file_store_not_writable(reason);
        }
        // A directory of this machine does not come back by itself.
        if self.blobs.objects.is_local() {
            ApiError::internal(reason)
        } else {
            ApiError::file_store_unavailable(reason)
        }
    }
}
