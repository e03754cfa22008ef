//! Sites: what organizations publish, and to whom.

pub mod adaptive_content;
pub mod custom_fonts;
pub mod custom_hostnames;
pub mod embed_cache;
pub mod embeds;
pub mod guard;
pub mod hooks;
pub mod hostnames;
pub mod layout;
pub mod link_blocks;
mod page_actions;
pub mod published_content;
pub mod publishing_auth;
pub mod share_links;
pub mod site_answers;
pub mod site_customization;
pub mod site_mcp_servers;
pub mod site_permissions;
pub mod site_redirects;
mod site_roles;
pub mod site_scripts;
pub mod site_search;
mod site_settings;
mod site_space_removal;
pub mod sites;
pub mod structure;
pub mod uploads;
pub mod urls;
pub mod visits;

use std::sync::Arc;

use openapi::guard::PublishingService;

use self::{
    embed_cache::EmbedCache, link_blocks::LinkBlocks, site_customization::InForceCache, site_scripts::SiteScripts,
    visits::Visits,
};
use crate::{
    access::Access,
    areas::{
        authoring::Authoring, content::Contents, identity::guard::IdentityGuard, library::guard::LibraryGuard,
        organizations::guard::OrganizationsGuard, publishing::guard::PublishingGuard,
    },
    kernel::Kernel,
};

/// The service of this context.
pub struct Publishing {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    pub contents: Arc<Contents>,
    pub authoring: Arc<Authoring>,
    pub embeds: EmbedCache,
    pub settings_in_force: InForceCache,
    pub site_scripts: Arc<dyn SiteScripts>,
    pub link_blocks: Arc<dyn LinkBlocks>,
    pub visits: Visits,
    identity_guard: IdentityGuard,
    library_guard: LibraryGuard,
    organizations_guard: OrganizationsGuard,
    publishing_guard: PublishingGuard,
}

impl Publishing {
    pub fn new(
        kernel: &Kernel,
        access: &Arc<Access>,
        contents: &Arc<Contents>,
        authoring: &Arc<Authoring>,
        visits: &Visits,
        site_scripts: Arc<dyn SiteScripts>,
        link_blocks: Arc<dyn LinkBlocks>,
    ) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            contents: Arc::clone(contents),
            authoring: Arc::clone(authoring),
            embeds: EmbedCache::default(),
            settings_in_force: InForceCache::default(),
            site_scripts,
            link_blocks,
            visits: visits.clone(),
            identity_guard: IdentityGuard::new(access),
            library_guard: LibraryGuard::new(access),
            organizations_guard: OrganizationsGuard::new(access),
            publishing_guard: PublishingGuard::new(access, visits),
        }
    }
}

impl PublishingService for Publishing {
    type IdentityGuard = IdentityGuard;
    type LibraryGuard = LibraryGuard;
    type OrganizationsGuard = OrganizationsGuard;
    type PublishingGuard = PublishingGuard;

    fn identity_guard(&self) -> &IdentityGuard {
        &self.identity_guard
    }

    fn library_guard(&self) -> &LibraryGuard {
        &self.library_guard
    }

    fn organizations_guard(&self) -> &OrganizationsGuard {
        &self.organizations_guard
    }

    fn publishing_guard(&self) -> &PublishingGuard {
        &self.publishing_guard
    }
}
