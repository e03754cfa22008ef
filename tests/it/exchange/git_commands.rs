//! `bindery import` and `bindery export git` with repositories, beside the server.

use std::process::Output;

use crate::support::{
    database::{TestDatabase, on_each_database},
    git::Repository,
    import::{outline, tree},
    process::command,
    texts::add,
    world::World,
};

on_each_database![a_branch_is_imported_and_exported, refused_commands_name_the_reason];

/// Repositories on disk are refused unless an operator allows them.
const ALLOW: [&str; 2] = ["--git-allow", "file"];

fn run(world: &World, url: &str, arguments: &[&str]) -> Output {
    command(world.service.data(), url, &[arguments, &ALLOW].concat())
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

async fn a_branch_is_imported_and_exported(database: TestDatabase) {
    let url = database.url().to_owned();
    let world = World::new(database).await;
    let repository = Repository::of(&[
        ("docs/README.md", "# Grip\n"),
        ("docs/care.md", "# Care\n"),
        ("main.c", "int main;\n"),
    ]);
    let (source, space) = (repository.url(), world.space.to_string());
    let import = [
        "import",
        &source,
        "--space",
        &space,
        "--subdirectory",
        "docs",
        "--branch",
        "main",
    ];
    let imported = run(&world, &url, &import);
    assert!(imported.status.success(), "{imported:?}");
    assert!(said(&imported).contains("pages     2"), "{imported:?}");
    assert_eq!(
        outline(&tree(&world, world.space).await["pages"]),
        "Grip=readme, Care=care"
    );

    add(&world, world.space, &[("Parts", "Two arms.")]).await;
    let before = repository.tip();
    let export = [
        "export",
        "git",
        &space,
        &source,
        "--subdirectory",
        "docs",
        "--message",
        "Add the parts",
    ];
    let exported = run(&world, &url, &export);
    assert!(
        !exported.status.success() && said(&exported).contains("Both the branch and the space have content"),
        "{exported:?}"
    );
    assert_eq!(repository.tip(), before);
    let exported = run(&world, &url, &[&export[..], &["--force"]].concat());
    assert!(exported.status.success(), "{exported:?}");
    assert_ne!(repository.tip(), before);
    assert_eq!(repository.at_host(&["show", "main:main.c"]), "int main;");
    assert_eq!(
        repository.at_host(&["show", "main:docs/parts.md"]),
        "# Parts\n\nTwo arms."
    );
    let subject = repository.at_host(&["show", "--no-patch", "--format=%s", "main"]);
    assert_eq!(subject, "Add the parts");
}

async fn refused_commands_name_the_reason(database: TestDatabase) {
    let url = database.url().to_owned();
    let world = World::new(database).await;
    let repository = Repository::of(&[("README.md", "# Grip\n")]);
    let (source, space) = (repository.url(), world.space.to_string());
    for (arguments, message) in [
        (
            ["import", &source, "--space", &space, "--branch", "none"],
            "The repository has no refs/heads/none.",
        ),
        (
            ["import", "ext::sh://x", "--space", &space, "--branch", "x"],
            "must begin with `https://`",
        ),
        (
            ["import", "/nowhere", "--space", &space, "--branch", "x"],
            "--branch and --git-token-file are for addresses",
        ),
        (["export", "git", &space, &source, "--branch", "a..b"], "invalid branch"),
    ] {
        let output = run(&world, &url, &arguments);
        assert!(
            !output.status.success() && said(&output).contains(message),
            "{arguments:?}: {output:?}"
        );
    }
}
