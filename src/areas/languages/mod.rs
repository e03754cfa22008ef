//! Translations of spaces, and the words that they use.

pub mod glossary;
pub mod guard;
pub mod hooks;
pub mod translation_access;
mod translation_runs;
pub mod translations;
pub mod translator;

use std::sync::Arc;

use openapi::guard::LanguagesService;
use platform::config::Settings;

use self::translator::Translator;
use crate::{
    access::Access,
    areas::{content::Contents, languages::guard::LanguagesGuard, organizations::guard::OrganizationsGuard},
    kernel::Kernel,
};

/// The service of this context.
pub struct Languages {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    pub contents: Arc<Contents>,
    pub translator: Translator,
    languages_guard: LanguagesGuard,
    organizations_guard: OrganizationsGuard,
}

impl Languages {
    pub fn new(kernel: &Kernel, access: &Arc<Access>, contents: &Arc<Contents>, settings: &Settings) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            contents: Arc::clone(contents),
            translator: Translator::new(settings),
            languages_guard: LanguagesGuard::new(access),
            organizations_guard: OrganizationsGuard::new(access),
        }
    }
}

impl LanguagesService for Languages {
    type LanguagesGuard = LanguagesGuard;
    type OrganizationsGuard = OrganizationsGuard;

    fn languages_guard(&self) -> &LanguagesGuard {
        &self.languages_guard
    }

    fn organizations_guard(&self) -> &OrganizationsGuard {
        &self.organizations_guard
    }
}
