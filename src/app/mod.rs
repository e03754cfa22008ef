//! The application: the state and the services that all requests share.

pub mod address_names;
pub mod audit;
pub mod audit_actions;
pub mod comment_counts;
pub mod computed;
pub mod conditions;
pub mod content_urls;
pub mod content_writes;
pub mod count_parts;
pub mod default_site;
pub mod dns_proof;
pub mod document_links;
pub mod document_targets;
pub mod embed_cache;
pub mod lists;
pub mod located_pages;
pub mod page_answers;
pub mod pdf_links;
pub mod printer;
pub mod reaction_counts;
pub mod search_jobs;
pub mod site_answers;
pub mod site_customization;
pub mod site_layout;
pub mod site_lookups;
pub mod site_paths;
pub mod site_spaces;
pub mod slugs;
pub mod space_details;
pub mod translation_runs;
pub mod translator;
pub mod urls;
pub mod visible_layout;
pub mod visited_site;
pub mod wire;

use std::sync::Arc;

use chrono::TimeDelta;
use content::state::ContentState;
use expressions::Evaluator;
use openapi::{error::ApiError, guard::Service, work::WorkBudget};
use platform::{
    blobs::{BlobStore, FileLinks, is_not_writable},
    config::Settings,
    db::{Clock, Cursors, Db, IdSource},
    dns::Dns,
    jobs::JobQueue,
    outbound::Outbound,
    secrets::Secrets,
};
use sea_orm::DbErr;

use crate::{
    access::{AccessGuard, OrganizationCreators, recent::ReadAt, visitors::Visitors},
    app::{
        computed::{OutlineCache, TreeCache},
        count_parts::CountParts,
        document_links::DocumentLinks,
        embed_cache::EmbedCache,
        located_pages::LocatedPages,
        page_answers::PageAnswers,
        pdf_links::PdfLinks,
        printer::Printer,
        site_answers::SiteAnswers,
        site_lookups::SiteLookups,
        translator::Translator,
        urls::Urls,
    },
};

/// Clocks of several nodes may differ by this much.
const TOLERATED_LAG: TimeDelta = TimeDelta::minutes(1);

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
    pub embeds: EmbedCache,
    pub outlines: OutlineCache,
    pub located_pages: LocatedPages,
    pub page_answers: PageAnswers,
    pub site_answers: SiteAnswers,
    pub site_lookups: SiteLookups,
    pub computed_trees: TreeCache,
    pub work: WorkBudget,
    pub expressions: Arc<Evaluator>,
    pub translator: Translator,
    pub printer: Printer,
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
        let work = WorkBudget::new();
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
                DocumentLinks::new(secrets.derive("openapi-documents")),
                PdfLinks::new(secrets.derive("pdf-exports")),
                settings.sites_address(),
            ),
            visitors,
            secrets,
            content: ContentState::new(work.clone()),
            embeds: EmbedCache::default(),
            outlines: OutlineCache::default(),
            located_pages: LocatedPages::default(),
            page_answers: PageAnswers::default(),
            site_answers: SiteAnswers::default(),
            site_lookups: SiteLookups::default(),
            computed_trees: TreeCache::default(),
            work,
            expressions,
            translator: Translator::new(settings),
            printer: Printer::new(settings),
            invitations_per_day: settings.invitations_per_day,
        }))
    }
}

impl App {
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

    /// The moment before something is read now.
    pub fn read_at(&self) -> ReadAt {
        ReadAt::begin(&self.db, self.clock.now())
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
