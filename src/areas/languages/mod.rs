//! Translations of spaces, and the words that they use.

pub mod glossary;
pub mod hooks;
mod translation_runs;
pub mod translations;
pub mod translator;

use std::sync::Arc;

use openapi::guard::Service;
use platform::config::Settings;

use self::translator::Translator;
use crate::{access::AccessGuard, areas::content::Contents, kernel::Kernel};

/// The service of this context.
pub struct Languages {
    pub kernel: Kernel,
    pub access: Arc<AccessGuard>,
    pub contents: Arc<Contents>,
    pub translator: Translator,
}

impl Languages {
    pub fn new(kernel: &Kernel, access: &Arc<AccessGuard>, contents: &Arc<Contents>, settings: &Settings) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            contents: Arc::clone(contents),
            translator: Translator::new(settings),
        }
    }
}

impl Service for Languages {
    type Guard = AccessGuard;

    fn guard(&self) -> &AccessGuard {
        &self.access
    }
}
