//! Content that comes in and goes out as files.

pub mod import;

use std::sync::Arc;

use crate::{areas::content::Contents, kernel::Kernel};

/// The service of this context.
#[derive(Clone)]
pub struct Exchange {
    pub kernel: Kernel,
    pub contents: Arc<Contents>,
}

impl Exchange {
    pub fn new(kernel: &Kernel, contents: &Arc<Contents>) -> Self {
        Self {
            kernel: kernel.clone(),
            contents: Arc::clone(contents),
        }
    }
}
