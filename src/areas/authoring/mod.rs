//! Authoring: content, change requests, reviews, comments, links, search, PDFs and pictures.

pub mod change_requests;
pub mod comment_counts;
pub mod comments;
pub mod content;
pub mod content_links;
pub mod count_parts;
pub mod editor;
pub mod guard;
pub mod hooks;
pub mod included_words;
pub mod located_pages;
pub mod named_spaces;
pub mod page_answers;
pub mod page_links;
pub mod pdf_exports;
pub mod pictures;
pub mod printer;
pub mod reaction_counts;
pub mod reader;
pub mod reviews;
pub mod revisions;
pub mod search;

use std::sync::Arc;

use openapi::guard::AuthoringService;
use platform::config::Settings;

use self::{
    count_parts::CountParts, located_pages::LocatedPages, named_spaces::NamedSpacesCache, page_answers::PageAnswers,
    printer::Printer,
};
use crate::{
    access::Access,
    areas::{
        authoring::guard::AuthoringGuard, content::Contents, library::guard::LibraryGuard,
        organizations::guard::OrganizationsGuard,
    },
    kernel::Kernel,
};

/// The service of this context.
pub struct Authoring {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    pub contents: Arc<Contents>,
    pub count_parts: CountParts,
    pub located_pages: LocatedPages,
    pub named_spaces: NamedSpacesCache,
    pub page_answers: PageAnswers,
    pub printer: Printer,
    authoring_guard: AuthoringGuard,
    library_guard: LibraryGuard,
    organizations_guard: OrganizationsGuard,
}

impl Authoring {
    pub fn new(kernel: &Kernel, access: &Arc<Access>, contents: &Arc<Contents>, settings: &Settings) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            contents: Arc::clone(contents),
            count_parts: CountParts::new(kernel.db.clone()),
            located_pages: LocatedPages::default(),
            named_spaces: NamedSpacesCache::default(),
            page_answers: PageAnswers::default(),
            printer: Printer::new(settings),
            authoring_guard: AuthoringGuard::new(access),
            library_guard: LibraryGuard::new(access),
            organizations_guard: OrganizationsGuard::new(access),
        }
    }
}

impl AuthoringService for Authoring {
    type AuthoringGuard = AuthoringGuard;
    type LibraryGuard = LibraryGuard;
    type OrganizationsGuard = OrganizationsGuard;

    fn authoring_guard(&self) -> &AuthoringGuard {
        &self.authoring_guard
    }

    fn library_guard(&self) -> &LibraryGuard {
        &self.library_guard
    }

    fn organizations_guard(&self) -> &OrganizationsGuard {
        &self.organizations_guard
    }
}
