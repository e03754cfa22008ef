//! The templates that come with the server.

use bindery::areas::library::templates::built_in::{BuiltIn, all, book, files};

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
