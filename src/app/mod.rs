//! The application: the state and the services that all requests share.

pub mod address_names;
pub mod audit;
pub mod audit_actions;
pub mod comment_counts;
pub mod conditions;
pub mod content_urls;
pub mod content_writes;
pub mod count_parts;
pub mod dns_proof;
pub mod lists;
pub mod reaction_counts;
pub mod site_layouts;
pub mod site_spaces;
pub mod space_details;
pub mod urls;
pub mod wire;

use std::sync::Arc;

use content::state::ContentState;
use expressions::Evaluator;
use openapi::{guard::Service, work::WorkBudget};
use platform::{
    blobs::{BlobStore, FileLinks},
    config::Settings,
    db::{Clock, Cursors, Db, IdSource},
    dns::Dns,
    jobs::JobQueue,
    outbound::Outbound,
    secrets::Secrets,
};

use crate::{
    access::{AccessGuard, OrganizationCreators, visitors::Visitors},
    app::{count_parts::CountParts, site_layouts::SiteLayouts, urls::Urls},
};

/// One for each process, shared by all requests.
#[derive(Clone)]
pub struct App(Arc<Services>);

pub struct Services {
    pub db: Db,
    pub blobs: BlobStore,
    pub jobs: JobQueue,
    pub clock: Clock,
    pub ids: IdSource,
    pub cursors: Cursors,
    pub guard: AccessGuard,
    pub outbound: Outbound,
    pub dns: Dns,
    pub secrets: Secrets,
    pub visitors: Visitors,
    pub urls: Urls,
    pub content: ContentState,
    pub count_parts: CountParts,
    pub site_layouts: SiteLayouts,
    pub work: WorkBudget,
    pub expressions: Arc<Evaluator>,
    /// Mails with invitations that each organization may send in a day.
    pub invitations_per_day: usize,
}

impl App {
    pub fn new(db: Db, settings: &Settings) -> Self {
        Self::with_clock(db, settings, Clock::system())
    }

    pub fn with_clock(db: Db, settings: &Settings, clock: Clock) -> Self {
        let secrets = Secrets::new(&settings.secret_key);
        let (visitors, expressions) = (Visitors::new(&secrets), Arc::<Evaluator>::default());
        let ids = IdSource::new(clock.clone());
        let creators = OrganizationCreators {
            setting: settings.organization_creation,
            operator: settings.admin_email.clone(),
        };
        Self(Arc::new(Services {
            blobs: BlobStore::new(db.clone(), clock.clone(), ids.clone(), settings.blob_store.clone()),
            jobs: JobQueue::new(db.clone(), clock.clone(), ids.clone()),
            guard: AccessGuard::new(
                db.clone(),
                clock.clone(),
                creators,
                visitors.clone(),
                Arc::clone(&expressions),
            ),
            count_parts: CountParts::new(db.clone()),
            db,
            ids,
            clock,
            cursors: Cursors::new(secrets.derive("cursors")),
            dns: Dns::new(settings.dns_server),
            outbound: Outbound::new(settings.allow_private_addresses.clone()),
            urls: Urls::new(
                &settings.public_url,
                FileLinks::new(secrets.derive("files")),
                settings.sites_address(),
            ),
            visitors,
            secrets,
            content: ContentState::new(),
            site_layouts: SiteLayouts::default(),
            work: WorkBudget::new(),
            expressions,
            invitations_per_day: settings.invitations_per_day,
        }))
    }
}

impl Service for App {
    type Guard = AccessGuard;

    fn guard(&self) -> &AccessGuard {
        &self.guard
    }
}

impl std::ops::Deref for App {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.0
    }
}
