//! Content that comes in and goes out as files: directories, zip archives, Git repositories.

pub mod content_exports;
pub mod export;
pub mod git;
pub mod guard;
pub mod hooks;
pub mod import;

use std::{path::PathBuf, sync::Arc};

use ::git::{Git, Limits, Protocols};
use entity::{
    exchange::git_syncs,
    ids::{NodeId, RevisionId},
    library::{nodes, spaces},
};
use openapi::{error::ApiError, guard::ExchangeService};
use platform::config::Settings;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect};
use tokio::sync::Semaphore;

use self::guard::ExchangeGuard;
use crate::{
    access::Access,
    areas::{
        authoring::guard::AuthoringGuard,
        content::Contents,
        identity::guard::IdentityGuard,
        library::guard::LibraryGuard,
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
    downloads: Arc<Semaphore>,
    authoring_guard: Arc<AuthoringGuard>,
    exchange_guard: Arc<ExchangeGuard>,
    identity_guard: Arc<IdentityGuard>,
    library_guard: Arc<LibraryGuard>,
    publishing_guard: Arc<PublishingGuard>,
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
            downloads: Arc::new(Semaphore::new(content_exports::CONCURRENCY)),
            authoring_guard: Arc::new(AuthoringGuard::new(access)),
            exchange_guard: Arc::new(ExchangeGuard::new(access)),
            identity_guard: Arc::new(IdentityGuard::new(access)),
            library_guard: Arc::new(LibraryGuard::new(access)),
            publishing_guard: Arc::new(PublishingGuard::new(access, visits)),
        }
    }

    /// The revision that is the content of a space.
    pub async fn current_revision(&self, space: NodeId) -> Result<RevisionId, ApiError> {
        let found = spaces::Entity::find_by_id(space)
            .select_only()
            .column(spaces::Column::RevisionId)
            .into_tuple()
            .one(self.kernel.db.read());
        found.await?.ok_or_else(|| ApiError::not_found("space"))
    }

    /// The number of spaces that do not follow their branch at present.
    pub async fn failing_git_syncs(&self) -> Result<u64, DbErr> {
        let failing = git_syncs::Entity::find().filter(git_syncs::Column::FailedDirection.is_not_null());
        failing.count(self.kernel.db.read()).await
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
}
