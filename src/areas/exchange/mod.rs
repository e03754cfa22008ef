//! Content that comes in and goes out as files: directories, zip archives, Git repositories.

pub mod content_exports;
pub mod export;
pub mod git;
pub mod guard;
pub mod hooks;
pub mod import;
pub mod import_access;
pub mod import_runs;
pub mod pulled;

use std::{path::PathBuf, sync::Arc};

use ::git::{Git, Limits, Protocols};
use content::{
    objects::Content,
    pages::{Page, Pages, Snapshot},
    revisions::Revision,
};
use entity::{exchange::git_syncs, ids::NodeId, library::nodes};
use openapi::{
    error::{ApiError, ErrorType},
    guard::ExchangeService,
};
use platform::{config::Settings, db::Reads};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter};
use tokio::sync::Semaphore;

use self::guard::ExchangeGuard;
use crate::{
    access::Access,
    areas::{
        authoring::guard::AuthoringGuard,
        content::Contents,
        identity::guard::IdentityGuard,
        library::guard::LibraryGuard,
        organizations::guard::OrganizationsGuard,
        publishing::{guard::PublishingGuard, visits::Visits},
    },
    kernel::Kernel,
};

/// The service of this context.
#[derive(Clone)]
pub struct Exchange {
    pub kernel: Kernel,
    pub contents: Arc<Contents>,
    git: Git,
    /// The directory of what was fetched from repositories.
    caches: PathBuf,
    /// The directory of what imports fetch.
    scratch: PathBuf,
    downloads: Arc<Semaphore>,
    authoring_guard: Arc<AuthoringGuard>,
    exchange_guard: Arc<ExchangeGuard>,
    identity_guard: Arc<IdentityGuard>,
    library_guard: Arc<LibraryGuard>,
    publishing_guard: Arc<PublishingGuard>,
    organizations_guard: Arc<OrganizationsGuard>,
}

impl Exchange {
    pub fn new(
        kernel: &Kernel,
        access: &Arc<Access>,
        contents: &Arc<Contents>,
        visits: &Visits,
        settings: &Settings,
    ) -> Self {
        Self {
            kernel: kernel.clone(),
            contents: Arc::clone(contents),
            git: git_program(settings),
            caches: settings.data_dir.join(git::CACHES),
            scratch: settings.data_dir.join(import_runs::SCRATCH),
            downloads: Arc::new(Semaphore::new(content_exports::CONCURRENCY)),
            authoring_guard: Arc::new(AuthoringGuard::new(access)),
            exchange_guard: Arc::new(ExchangeGuard::new(access)),
            identity_guard: Arc::new(IdentityGuard::new(access)),
            library_guard: Arc::new(LibraryGuard::new(access)),
            publishing_guard: Arc::new(PublishingGuard::new(access, visits)),
            organizations_guard: Arc::new(OrganizationsGuard::new(access)),
        }
    }

    /// The present content of a space, whether people may edit it directly or not.
    pub async fn head(&self, space: NodeId) -> Result<Arc<Revision>, ApiError> {
        let found = self.contents.current_revision(space).await?;
        found.ok_or_else(|| ApiError::not_found("space"))
    }

    /// Reads the content of a space.
    fn content(&self, space: NodeId) -> Content<'_, Reads> {
        Content::new(self.kernel.db.read(), &self.contents.state.objects, space)
    }

    /// The number of spaces that do not follow their branch at present.
    pub async fn failing_git_syncs(&self) -> Result<u64, DbErr> {
        let failing = git_syncs::Entity::find().filter(git_syncs::Column::FailedDirection.is_not_null());
        failing.count(self.kernel.db.read()).await
    }

    /// The number of pages of a space in which somebody has written, by its content. `None`: nobody has.
    async fn written_pages(&self, space: NodeId, snapshot: Snapshot) -> Result<Option<usize>, ApiError> {
        let mut content = self.content(space);
        let found = content.run(|objects| {
            let pages = Pages::of(objects, snapshot);
            let forest = pages.forest()?;
            let has_text = |page: &Page| page.document().is_some();
            let count = forest.pages().count();
            let is_written = count > 1 || forest.pages().any(has_text) || pages.file_count() > 0;
            Ok(is_written.then_some(count))
        });
        Ok(found.await?)
    }

    /// Refuses if the server has no Git program.
    pub async fn require_git(&self) -> Result<(), ApiError> {
        let version = self.git.version().await;
        version
            .map(drop)
            .map_err(|error| ApiError::new(ErrorType::GitUnavailable, error.to_string()))
    }

    /// Whether there is a space that is not deleted.
    async fn has_space(&self, space: NodeId) -> Result<bool, ApiError> {
        let found = nodes::Entity::find_by_id(space).filter(nodes::Column::DeletedAt.is_null());
        Ok(found.one(self.kernel.db.read()).await?.is_some())
    }
}

/// How git is run. A program that cannot be found fails when it is started.
pub fn git_program(settings: &Settings) -> Git {
    let program = settings.git_program.clone();
    let program = program.unwrap_or_else(|| std::env::current_exe().unwrap_or_else(|_| PathBuf::from("bindery")));
    let protocols = Protocols {
        http: settings.git_allow.http,
        file: settings.git_allow.file,
    };
    Git::new(program, protocols, Limits::default())
}

impl ExchangeService for Exchange {
    type AuthoringGuard = AuthoringGuard;
    type ExchangeGuard = ExchangeGuard;
    type IdentityGuard = IdentityGuard;
    type LibraryGuard = LibraryGuard;
    type PublishingGuard = PublishingGuard;
    type OrganizationsGuard = OrganizationsGuard;

    fn authoring_guard(&self) -> &AuthoringGuard {
        &self.authoring_guard
    }

    fn exchange_guard(&self) -> &ExchangeGuard {
        &self.exchange_guard
    }

    fn identity_guard(&self) -> &IdentityGuard {
        &self.identity_guard
    }

    fn library_guard(&self) -> &LibraryGuard {
        &self.library_guard
    }

    fn publishing_guard(&self) -> &PublishingGuard {
        &self.publishing_guard
    }

    fn organizations_guard(&self) -> &OrganizationsGuard {
        &self.organizations_guard
    }
}
