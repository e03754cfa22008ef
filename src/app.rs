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
        conversations::Conversations,
        exchange::{Exchange, hooks::ExchangeHooks},
        identity::Identity,
        insights::{Insights, hooks::InsightsHooks},
        integrations::{
            Integrations, hooks::IntegrationsHooks, link_blocks::InstalledBlocks, site_integrations::InstalledScripts,
            space_integrations::InstalledOnSpaces,
        },
        languages::{Languages, hooks::LanguagesHooks},
        library::Library,
        organizations::Organizations,
        publishing::{Publishing, hooks::PublishingHooks, visits::Visits},
        specifications::Specifications,
    },
    kernel::{Kernel, hooks::ContextHooks},
};

/// The contexts of one process, for the entry points; cloning is cheap.
#[derive(Clone)]
pub struct App {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    pub identity: Arc<Identity>,
    pub organizations: Arc<Organizations>,
    pub conversations: Arc<Conversations>,
    pub contents: Arc<Contents>,
    pub library: Arc<Library>,
    pub authoring: Arc<Authoring>,
    pub exchange: Arc<Exchange>,
    pub publishing: Arc<Publishing>,
    pub languages: Arc<Languages>,
    pub specifications: Arc<Specifications>,
    pub integrations: Arc<Integrations>,
    pub insights: Arc<Insights>,
}

impl App {
    pub fn new(db: Db, settings: &Settings) -> Self {
        Self::with_clock(db, settings, Clock::system())
    }

    pub fn with_clock(db: Db, settings: &Settings, clock: Clock) -> Self {
        let hooks = [
            &ContentHooks as &dyn ContextHooks,
            &AuthoringHooks,
            &PublishingHooks,
            &ExchangeHooks,
            &LanguagesHooks,
            &IntegrationsHooks,
            &InsightsHooks,
        ];
        let kernel = Kernel::new(db, settings, clock, hooks);
        let creators = OrganizationCreators {
            setting: settings.organization_creation,
            operator: settings.admin_email.clone(),
        };
        let contents = Arc::new(Contents::new(&kernel, Arc::new(InstalledOnSpaces::new(&kernel))));
        let visits = Visits::new(&kernel, &contents);
        let access = Arc::new(Access::new(&kernel, creators, Arc::new(visits.clone())));
        let identity = Arc::new(Identity::new(&kernel, &access));
        let library = Arc::new(Library::new(&kernel, &access, &contents, settings));
        let authoring = Arc::new(Authoring::new(&kernel, &access, &contents, settings));
        let publishing = Arc::new(Publishing::new(
            &kernel,
            &access,
            &contents,
            &authoring,
            &visits,
            Arc::new(InstalledScripts(kernel.clone())),
            Arc::new(InstalledBlocks(kernel.clone())),
        ));
        let exchange = Arc::new(Exchange::new(&kernel, &access, &contents, &visits, settings));
        let languages = Arc::new(Languages::new(&kernel, &access, &contents, settings));
        let specifications = Arc::new(Specifications::new(&kernel, &access, &contents, &authoring, &visits));
        let integrations = Arc::new(Integrations::new(&kernel, &access, &visits, settings));
        Self {
            insights: Arc::new(Insights::new(&kernel, &access, &visits, settings)),
            conversations: Arc::new(Conversations::new(&kernel, &access, settings)),
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
            exchange,
            publishing,
            languages,
            specifications,
            integrations,
            access,
            kernel,
        }
    }
}
