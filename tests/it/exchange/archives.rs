//! Zip archives that become spaces.

use std::{fs, path::PathBuf};

use bindery::areas::exchange::import::{Import, ImportDestination, ImportSource};
use futures_util::StreamExt;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{
    database::{TestDatabase, on_one_database},
    import::{attempt, directory, imported, markdown, outline, problems, put, tree, wanted},
    world::World,
};

on_one_database![
    an_archive_has_the_content_of_its_directory,
    pages_keep_their_ids_in_another_archive,
    a_hostile_archive_changes_nothing,
    a_dry_run_reads_an_archive,
];

const SUMMARY: &str = "# Contents\n\n* [Grip](README.md)\n* [Care](care/README.md)\n  * [Fingers](care/fingers.md)\n";

fn book() -> TempDir {
    let book = directory(&[
        (".gitbook.yaml", "structure:\n  summary: SUMMARY.md\n"),
        (".gitignore", "drafts\n"),
        ("SUMMARY.md", SUMMARY),
        (
            "README.md",
            "# Grip\n\n[fingers](care/fingers.md) ![arm](.gitbook/assets/arm.png)\n",
        ),
        ("care/README.md", "# Care\n\n{% include \"../shared/note.md\" %}\n"),
        ("care/fingers.md", "# Fingers\n\n[gone](gone.md)\n"),
        ("care/drafts/later.md", "# Later\n"),
        ("shared/note.md", "# Note\n\nWear gloves.\n"),
        (".git/config", "not read"),
        ("node_modules/x/README.md", "# Not read\n"),
    ]);
    put(&book, ".gitbook/assets/arm.png", b"\x89PNG\r\n\x1a\n and more");
    book
}

/// An archive of these files.
async fn archive(files: Vec<(String, Vec<u8>)>) -> (TempDir, PathBuf) {
    let (mut sink, mut stream) = ::archive::stream();
    let writing = tokio::spawn(async move {
        for (path, bytes) in files {
            sink.file(path, bytes).await.unwrap();
        }
        sink.finish().await.unwrap();
    });
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next().await {
        bytes.extend(chunk.unwrap());
    }
    writing.await.unwrap();
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("book.zip");
    fs::write(&path, bytes).unwrap();
    (place, path)
}

/// An archive of a directory, in a folder as forges make it.
async fn archived(directory: &TempDir) -> (TempDir, PathBuf) {
    let (mut files, mut next) = (Vec::new(), vec![directory.path().to_owned()]);
    while let Some(folder) = next.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                next.push(path);
                continue;
            }
            let name = path.strip_prefix(directory.path()).unwrap().to_str().unwrap();
            files.push((format!("book-main/{name}"), fs::read(&path).unwrap()));
        }
    }
    archive(files).await
}

async fn files(world: &World, space: impl ToString) -> Vec<(Value, Value)> {
    let files = world.admin.client.call("listFiles").space(space).expect(200).await;
    let each = files["items"].as_array().unwrap().iter();
    each.map(|file| (file["name"].clone(), file["size"].clone())).collect()
}

async fn an_archive_has_the_content_of_its_directory(database: TestDatabase) {
    let world = World::new(database).await;
    let book = book();
    let (_place, path) = archived(&book).await;
    let (space, report) = imported(&world, &path).await;
    let (same, of_directory) = imported(&world, book.path()).await;
    assert_eq!(report.counts, of_directory.counts);
    assert_eq!(problems(&report), problems(&of_directory));
    assert_eq!(
        outline(&tree(&world, space).await["pages"]),
        "Grip=readme, Care=care (Fingers=fingers)"
    );
    assert_eq!(
        outline(&tree(&world, space).await["pages"]),
        outline(&tree(&world, same).await["pages"])
    );
    assert_eq!(
        markdown(&world, space, "care/fingers").await,
        markdown(&world, same, "care/fingers").await
    );
    assert_eq!(files(&world, space).await, files(&world, same).await);
    assert_eq!(files(&world, space).await.len(), 1);
}

async fn pages_keep_their_ids_in_another_archive(database: TestDatabase) {
    let world = World::new(database).await;
    let place = || ImportDestination::Space(world.space.to_string());
    let book = book();
    let (_first, path) = archived(&book).await;
    let first = attempt(&world, wanted(&path), place()).await.unwrap();
    let again = attempt(&world, wanted(&path), place()).await.unwrap();
    assert_eq!(again.written, first.written, "nothing has changed");
    let from_directory = attempt(&world, wanted(book.path()), place()).await.unwrap();
    assert_eq!(from_directory.written, first.written, "nothing has changed");

    let before = tree(&world, world.space).await;
    put(&book, "care/fingers.md", b"# Fingers\n\nClean them.\n");
    let (_second, path) = archived(&book).await;
    let changed = attempt(&world, wanted(&path), place()).await.unwrap();
    assert_ne!(changed.written, first.written);
    let after = tree(&world, world.space).await;
    for same in ["/pages/0", "/pages/1/id", "/pages/1/pages/0/id"] {
        assert_eq!(after.pointer(same), before.pointer(same), "{same}");
        assert!(after.pointer(same).is_some(), "{same}");
    }
    assert_eq!(markdown(&world, world.space, "care/fingers").await, "Clean them.");
}

async fn a_hostile_archive_changes_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let place = || ImportDestination::Space(world.space.to_string());
    let before = tree(&world, world.space).await;
    let home = || ("README.md".to_owned(), b"# Other\n".to_vec());
    let blanks = vec![b' '; 4 * 1024 * 1024];
    let hostile = [
        ("../../x.md", b"# X\n".to_vec(), "leads out of the archive"),
        ("/etc/x.md", b"# X\n".to_vec(), "leads out of the archive"),
        ("C:\\x.md", b"# X\n".to_vec(), "leads out of the archive"),
        (
            ".//README.md",
            b"# X\n".to_vec(),
            "several files have the name `README.md`",
        ),
        ("bomb.md", blanks, "is compressed to less than"),
    ];
    for (name, bytes, words) in hostile {
        let (_place, path) = archive(vec![home(), (name.to_owned(), bytes)]).await;
        let error = attempt(&world, wanted(&path), place()).await.unwrap_err();
        let message = format!("{error:#}");
        assert!(message.starts_with("cannot read the archive "), "{message}");
        assert!(message.contains(words), "{message}");
    }
    let (folder, path) = archive(vec![home()]).await;
    let whole = fs::read(&path).unwrap();
    let cut_off = whole[..whole.len() - 10].to_vec();
    for bytes in [cut_off, b"# Markdown\n".to_vec(), Vec::new()] {
        put(&folder, "other.zip", &bytes);
        let error = attempt(&world, wanted(&folder.path().join("other.zip")), place())
            .await
            .unwrap_err();
        let message = format!("{error:#}");
        assert!(
            message.contains("it is not a zip archive, or a part of it is missing"),
            "{message}"
        );
    }
    assert_eq!(tree(&world, world.space).await, before);
}

async fn a_dry_run_reads_an_archive(database: TestDatabase) {
    let world = World::new(database).await;
    let book = book();
    let (_place, path) = archived(&book).await;
    let import = Import {
        source: ImportSource::Path(path.clone()),
        dry_run: true,
        ..wanted(&path)
    };
    let report = attempt(&world, import, ImportDestination::Space(world.space.to_string()))
        .await
        .unwrap();
    assert_eq!((report.written, report.counts.pages, report.counts.files), (None, 3, 1));
    assert_eq!(report.counts.unresolved, 1);
}
