//! The templates that come with the server: folders of Markdown files, as the import reads them.

mod book;
mod files;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_templates_can_be_read() {
        for files in files::ALL {
            let (template, _) = book::read(files).unwrap_or_else(|error| panic!("{}: {error:#}", files.id));
            let markdown = files.texts.iter().filter(|(path, _)| path.ends_with(".md"));
            assert!(template.page_count() >= markdown.count() - 1, "{}", files.id);
        }
    }

    #[test]
    fn the_runbook_has_a_parameter() {
        let named = |template: &BuiltIn| template.parameters.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        let parameters: Vec<_> = all().iter().map(|template| (template.id, named(template))).collect();
        let none = Vec::<String>::new;
        let expected = [
            ("builtin:handbook", none()),
            ("builtin:api-reference", none()),
            ("builtin:product-guide", none()),
            ("builtin:runbook", vec!["escalation".to_owned()]),
            ("builtin:changelog", none()),
        ];
        assert_eq!(parameters, expected);
    }
}
