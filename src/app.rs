//! The composition of the server: one service per context, on one kernel.

use std::sync::Arc;

use platform::{
    config::Settings,
    db::{Clock, Db},
};

use crate::{
    access::{Access, OrganizationCreators},
    areas::{
        authoring::{Authoring, hooks::AuthoringHooks},
        content::{Contents, hooks::ContentHooks},
        identity::Identity,
        languages::{Languages, hooks::LanguagesHooks},
        library::Library,
        organizations::Organizations,
        publishing::{Publishing, hooks::PublishingHooks, visits::Visits},
        specifications::Specifications,
    },
    kernel::{Kernel, hooks::Hooks},
};

/// The contexts of one process, for the entry points; cloning is cheap.
#[derive(Clone)]
pub struct App {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    pub identity: Arc<Identity>,
    pub organizations: Arc<Organizations>,
    pub contents: Arc<Contents>,
    pub library: Arc<Library>,
    pub authoring: Arc<Authoring>,
    pub publishing: Arc<Publishing>,
    pub languages: Arc<Languages>,
    pub specifications: Arc<Specifications>,
}

impl App {
    pub fn new(db: Db, settings: &Settings) -> Self {
        Self::with_clock(db, settings, Clock::system())
    }

    pub fn with_clock(db: Db, settings: &Settings, clock: Clock) -> Self {
        let hooks = Hooks::new([
            &ContentHooks as &dyn crate::kernel::hooks::ContextHooks,
            &AuthoringHooks,
            &PublishingHooks,
            &LanguagesHooks,
        ]);
        let kernel = Kernel::new(db, settings, clock, hooks);
        let creators = OrganizationCreators {
            setting: settings.organization_creation,
            operator: settings.admin_email.clone(),
        };
        let contents = Arc::new(Contents::new(&kernel));
        let visits = Visits::new(&kernel, &contents);
        let access = Arc::new(Access::new(&kernel, creators, Arc::new(visits.clone())));
        let identity = Arc::new(Identity::new(&kernel, &access));
        let library = Arc::new(Library::new(&kernel, &access, &contents, settings));
        let authoring = Arc::new(Authoring::new(&kernel, &access, &contents, settings));
        let publishing = Arc::new(Publishing::new(&kernel, &access, &contents, &authoring, &visits));
        let languages = Arc::new(Languages::new(&kernel, &access, &contents, settings));
        let specifications = Arc::new(Specifications::new(&kernel, &access, &contents, &authoring, &visits));
        Self {
            organizations: Arc::new(Organizations::new(
                &kernel,
                &access,
                &identity,
                Arc::clone(&specifications) as _,
            )),
            identity,
            contents,
            library,
            authoring,
            publishing,
            languages,
            specifications,
            access,
            kernel,
        }
    }
}
