//! The templates that come with the server: folders of Markdown files, as the import reads them.

pub mod book;
pub mod files;

use std::sync::{Arc, LazyLock};

use content::template::{Parameter, Template};

use self::files::Files;

/// A template that comes with the server.
pub struct BuiltIn {
    pub id: &'static str,
    pub title: &'static str,
    pub emoji: &'static str,
    pub description: &'static str,
    pub parameters: Vec<Parameter>,
    pub content: Arc<Template>,
}

/// All of them, in the order in which they are listed.
pub fn all() -> &'static [BuiltIn] {
    static ALL: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| files::ALL.iter().filter_map(read).collect());
    &ALL
}

/// Reads a template. A test makes sure that all of them can be read.
fn read(files: &Files) -> Option<BuiltIn> {
    let read = book::read(files);
    let (content, parameters) = read
        .inspect_err(|error| tracing::error!("cannot read the template {}: {error:#}", files.id))
        .ok()?;
    Some(BuiltIn {
        id: files.id,
        title: files.title,
        emoji: files.emoji,
        description: files.description,
        parameters,
        content: Arc::new(content),
    })
}
