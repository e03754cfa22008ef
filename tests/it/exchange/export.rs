//! Spaces that become directories.

use std::path::PathBuf;

use bindery::areas::exchange::{
    export::write::{Sink, write},
    import::ImportDestination,
};
use bytes::Bytes;
use tempfile::TempDir;

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{attempt, directory, problems, wanted},
    world::World,
};

on_each_database![
    an_export_is_what_an_import_reads,
    an_exported_space_has_the_usual_layout,
    names_that_file_systems_confuse_are_told_apart
];

struct Folder(PathBuf);

impl Sink for Folder {
    async fn put(&mut self, path: &str, bytes: Bytes) -> anyhow::Result<()> {
        let file = self.0.join(path);
        std::fs::create_dir_all(file.parent().unwrap())?;
        Ok(std::fs::write(file, bytes)?)
    }
}

async fn exported(world: &World) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    let app = world.app();
    let revision = app.exchange.head(world.space).await.unwrap();
    let mut folder = Folder(to.path().to_owned());
    write(&app.exchange, world.space, revision.snapshot, &mut folder)
        .await
        .unwrap();
    to
}

fn read(directory: &TempDir, path: &str) -> String {
    std::fs::read_to_string(directory.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

async fn an_export_is_what_an_import_reads(database: TestDatabase) {
    let world = World::new(database).await;
    let place = || ImportDestination::Space(world.space.to_string());
    let from = directory(&[
        (
            "SUMMARY.md",
            "# Table of contents\n\n* [Welcome](README.md)\n* [A \\[draft\\] & more](a b/README.md \"Short\")\n  * [B](<a b/b(1).md>)\n  \
             * [Web](https://example.com/a?b=(c))\n\n## Care <a href=\"#look-after\" id=\"look-after\"></a>\n\n* [C](c.md)\n  \
             * [Empty](a b/empty.md)\n\n***\n\n* [Last](last.md)\n* ```yaml\n  type: builtin:openapi\n  title: Calls\n  props:\n    models: true\n  \
             dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: petstore\n  ```\n",
        ),
        (
            "README.md",
            "---\ndescription: First\ncover: pics/x.svg\ncoverY: 3\n---\n\n# Welcome\n\n[a](a%20b/README.md#part) [b](<a b/b(1).md>) \
             ![x](pics/x.svg) <img src=\"pics/x.svg\" alt=\"\">\n\n{% include \".gitbook/includes/note.md\" %}\n\n- one\n* two\n",
        ),
        (
            "a b/README.md",
            "# A \\[draft] & more\n\n## Part\n\n[up](../README.md) [licence](../LICENSE)\n",
        ),
        (
            "a b/b(1).md",
            "---\nhidden: true\nicon: bolt\nlayout:\n  width: wide\ntags:\n  - tag: beta\nx-own: [1, 2]\n---\n\n# B\n",
        ),
        ("a b/empty.md", "# Empty\n"),
        (
            "c.md",
            "# C\n\n{% hint style=\"info\" %}\n[last](last.md)\n{% endhint %}\n",
        ),
        ("last.md", "# Last\n\n```\n[a](a.md)\n```\n"),
        ("unlisted.md", "# Unlisted\n\n[c](c.md)\n"),
        (
            ".gitbook/includes/note.md",
            "---\ntitle: Note\n---\n\n[c](../../c.md)\n",
        ),
        (".gitbook/vars.yaml", "version: '1.0'\nname: a \"quoted\" one\n"),
        (".gitbook/assets/photo.svg", "<svg width=\"3\" height=\"1\"/>"),
        ("pics/x.svg", "<svg width=\"1\" height=\"1\"/>"),
        ("LICENSE", "Do what you like.\n"),
    ]);
    let first = attempt(&world, wanted(from.path()), place()).await.unwrap();
    let to = exported(&world).await;
    let again = attempt(&world, wanted(to.path()), place()).await.unwrap();
    assert_eq!(problems(&again), Vec::<String>::new());
    assert_eq!(again.written, first.written, "{}", read(&to, "SUMMARY.md"));
    let twice = exported(&world).await;
    assert_eq!(read(&twice, "README.md"), read(&to, "README.md"));
}

async fn an_exported_space_has_the_usual_layout(database: TestDatabase) {
    let world = World::new(database).await;
    let from = directory(&[
        ("README.md", "# Home\n\n[deep](guides/first/deep.md#here)\n"),
        ("guides/README.md", "# Guides\n"),
        ("guides/first/README.md", "# First\n\n![p](../../p.svg)\n"),
        ("guides/first/deep.md", "# Deep\n\n## Here\n\n[home](../../README.md)\n"),
        ("p.svg", "<svg width=\"1\" height=\"1\"/>"),
    ]);
    let place = ImportDestination::Space(world.space.to_string());
    attempt(&world, wanted(from.path()), place).await.unwrap();
    let to = exported(&world).await;
    assert_eq!(
        read(&to, "SUMMARY.md"),
        "# Table of contents\n\n* [Home](README.md)\n* [Guides](guides/README.md)\n  * [First](guides/first/README.md)\n    \
         * [Deep](guides/first/deep.md)\n"
    );
    assert_eq!(read(&to, "README.md"), "# Home\n\n[deep](guides/first/deep.md#here)\n");
    assert_eq!(
        read(&to, "guides/first/README.md"),
        "# First\n\n![p](../../.gitbook/assets/p.svg)\n"
    );
    assert_eq!(
        read(&to, "guides/first/deep.md"),
        "# Deep\n\n## Here\n\n[home](../../README.md)\n"
    );
    assert_eq!(read(&to, ".gitbook/assets/p.svg"), "<svg width=\"1\" height=\"1\"/>");
}

async fn names_that_file_systems_confuse_are_told_apart(database: TestDatabase) {
    let world = World::new(database).await;
    let from = directory(&[
        (
            "SUMMARY.md",
            "* [Home](home.md)\n* [P](p.md)\n  * [Readme](readme.md)\n  * [Two](two.md)\n",
        ),
        ("home.md", "# Home\n\n![a](a/x.svg) ![b](b/X.svg) ![c](c/x.svg)\n"),
        ("p.md", "# P\n"),
        ("readme.md", "# Readme\n"),
        ("two.md", "# Two\n"),
        ("a/x.svg", "<svg width=\"1\" height=\"1\"/>"),
        ("b/X.svg", "<svg width=\"2\" height=\"1\"/>"),
        ("c/x.svg", "<svg width=\"3\" height=\"1\"/>"),
    ]);
    let place = ImportDestination::Space(world.space.to_string());
    attempt(&world, wanted(from.path()), place).await.unwrap();
    let to = exported(&world).await;
    let mut names = std::collections::BTreeSet::new();
    let mut next = vec![to.path().to_owned()];
    while let Some(directory) = next.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            assert!(
                names.insert(path.to_string_lossy().to_lowercase()),
                "{}",
                path.display()
            );
            if path.is_dir() {
                next.push(path);
            }
        }
    }
    assert_eq!(
        read(&to, ".gitbook/assets/x (2).svg"),
        "<svg width=\"3\" height=\"1\"/>"
    );
}
