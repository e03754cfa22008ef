//! What holds for files wherever they come from.

use std::io;

use bindery::areas::exchange::import::{
    Entry, EntryKind, FileList, Import, ImportDestination, ImportSource, MAX_FILES, Report,
};

use crate::support::{
    database::{TestDatabase, on_one_database},
    import::{attempt, directory, outline, problems, tree, wanted},
    world::World,
};

on_one_database![
    files_left_out_of_an_import_are_reported,
    a_part_of_a_repository_is_imported,
    the_number_of_files_is_limited,
];

fn file(path: &str, text: &str) -> (Entry, String) {
    let size = text.len() as u64;
    other(path, EntryKind::File { size }, text)
}

fn other(path: &str, kind: EntryKind, text: &str) -> (Entry, String) {
    let path = path.to_owned();
    (Entry { path, kind }, text.to_owned())
}

/// A list of files with their texts, as other sources make it.
fn listed(files: Vec<(Entry, String)>) -> ImportSource {
    let read = |text: &String, limit: u64| match text.as_str() {
        "lost" => Err(io::Error::other("it is lost")),
        text if text.len() as u64 > limit => Err(io::Error::other("it is too long")),
        text => Ok(text.as_bytes().to_vec()),
    };
    ImportSource::Tree(Box::new(FileList::new(files, read)))
}

async fn import(world: &World, source: ImportSource, subdirectory: Option<&str>) -> anyhow::Result<Report> {
    let import = Import {
        source,
        subdirectory: subdirectory.map(str::to_owned),
        ..wanted("".as_ref())
    };
    attempt(world, import, ImportDestination::Space(world.space.to_string())).await
}

async fn files_left_out_of_an_import_are_reported(database: TestDatabase) {
    let world = World::new(database).await;
    let deep = vec!["d"; 65].join("/");
    let source = listed(vec![
        file("README.md", "# Home\n\n[link](link.md) [module](module/README.md)\n"),
        file("Über.md", "# Composed\n"),
        file("U\u{308}ber.md", "# Decomposed\n"),
        file("über.md", "# Small\n"),
        file(&format!("{deep}/one.md"), "# One\n"),
        file(&format!("{deep}/two.md"), "# Two\n"),
        // A name that is sorted before the ignore file above it.
        file("!a/.gitignore", "!kept.md\n"),
        file("!a/kept.md", "# Kept\n"),
        file("kept.md", "# Not kept\n"),
        file(".gitignore", "kept.md\n"),
        file("lost.md", "lost"),
        file(".github/README.md", "# Hidden\n"),
        file("a/_book/README.md", "# Output\n"),
        other("link.md", EntryKind::Symlink, "README.md"),
        other("module", EntryKind::Submodule, ""),
        other("pipe", EntryKind::Special, ""),
        other("\u{fffd}.md", EntryKind::InvalidName, ""),
        other(".hidden", EntryKind::Symlink, ""),
    ]);
    let report = import(&world, source, None).await.unwrap();
    let pages = outline(&tree(&world, world.space).await["pages"]);
    assert_eq!(pages, "Home=readme, group !a (Kept=kept), Composed=uber, Small=uber-2");
    let mut found = problems(&report);
    found.sort_unstable();
    let expected = [
        ".gitignore: Markdown files (1) that the file excludes are not imported.".to_owned(),
        "README.md: The link target `link.md` is not a file, page or directory of the import.".to_owned(),
        "README.md: The link target `module/README.md` is not a file, page or directory of the import.".to_owned(),
        "U\u{308}ber.md: Another file has a name that looks the same; this one is not imported.".to_owned(),
        format!("{deep}: The directory is nested more than 64 levels deep and is not imported."),
        "link.md: The file is a symbolic link, which is not followed.".to_owned(),
        "lost.md: The file cannot be read: it is lost.".to_owned(),
        "module: The entry is a submodule, which is not imported.".to_owned(),
        "pipe: The entry is neither a regular file nor a directory.".to_owned(),
        "\u{fffd}.md: The file name is not valid UTF-8.".to_owned(),
    ];
    assert_eq!(found, expected);
}

async fn a_part_of_a_repository_is_imported(database: TestDatabase) {
    let world = World::new(database).await;
    let files = [
        (".gitbook.yaml", "root: elsewhere\n"),
        (".gitignore", "drafts\n"),
        ("README.md", "# Code\n"),
        ("docs/.gitbook.yaml", "root: ./Handb\u{fc}cher/\n"),
        ("docs/README.md", "# Not in the root\n"),
        ("docs/Handbu\u{308}cher/README.md", "# Handbook\n\n[up](../README.md)\n"),
        ("docs/Handbu\u{308}cher/drafts/x.md", "# Draft\n"),
    ];
    let book = directory(&files);
    let list = || listed(files.iter().map(|(path, text)| file(path, text)).collect());
    let folder = || ImportSource::Path(book.path().to_owned());
    for source in [list(), folder()] {
        let report = import(&world, source, Some("./docs/")).await.unwrap();
        assert_eq!(outline(&tree(&world, world.space).await["pages"]), "Handbook=readme");
        assert_eq!(
            problems(&report),
            [
                ".gitignore: Markdown files (1) that the file excludes are not imported.",
                "README.md: The link target `../README.md` is not a file, page or directory of the import.",
            ]
        );
    }
    for outside in ["..", "docs/../..", "gone", "README.md"] {
        for source in [list(), folder()] {
            let error = import(&world, source, Some(outside)).await.unwrap_err().to_string();
            assert_eq!(error, format!("cannot open the directory {outside}"));
        }
    }
    for source in [list(), folder()] {
        let error = import(&world, source, None).await.unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot open the directory elsewhere, which is the `root` in .gitbook.yaml"
        );
    }
    let linked = listed(vec![
        other(".gitbook.yaml", EntryKind::Symlink, "x"),
        file("README.md", "# Home\n"),
    ]);
    let error = format!("{:#}", import(&world, linked, None).await.unwrap_err());
    assert_eq!(error, ".gitbook.yaml: it is not a regular file");
}

async fn the_number_of_files_is_limited(database: TestDatabase) {
    let world = World::new(database).await;
    let files = (0..=MAX_FILES).map(|at| file(&format!("{at}.txt"), "")).collect();
    let error = import(&world, listed(files), None).await.unwrap_err().to_string();
    assert!(error.contains("more than 200000 files"), "{error}");
}
