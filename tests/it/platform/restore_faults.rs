//! Archives that cannot be restored, backups that fail, and restores that are interrupted.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Command, Stdio},
};

use platform::db::Backend;
use reqwest::StatusCode;

use crate::support::{
    backups::{Installation, names, refused, succeed},
    database::{TestDatabase, on_each_database, on_one_database},
    process::Server,
};

on_each_database![
    interrupted_restores_are_run_again,
    databases_in_use_are_not_overwritten,
    periodic_backups_are_kept_for_a_while,
];

on_one_database![
    damaged_archives_are_refused_before_anything_is_written,
    the_secret_key_is_not_forgotten,
    failed_backups_leave_the_last_one,
];

/// An installation after its first start, and an archive of it.
async fn backed_up(backend: Backend) -> (Installation, PathBuf) {
    let installation = Installation::new(backend).await;
    let mut server = installation.serve();
    server.ready().await;
    server.kill();
    let archive = installation.path("a.tar");
    installation.run(&["backup", archive.to_str().unwrap()]);
    (installation, archive)
}

async fn damaged_archives_are_refused_before_anything_is_written(_: TestDatabase) {
    let (_source, archive) = backed_up(Backend::Sqlite).await;
    let bytes = fs::read(&archive).unwrap();
    let target = Installation::new(Backend::Sqlite).await;
    let rows = bytes.windows(5).position(|word| word == b"rows/").unwrap();
    let flipped = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        bytes
    };
    let newer = String::from_utf8_lossy(&bytes[..2048]).find("\"format\":1").unwrap();
    let mut newer_bytes = bytes.clone();
    newer_bytes[newer + 9] = b'7';
    for (damaged, reason) in [
        (bytes[..bytes.len() / 2].to_vec(), "the archive is cut off"),
        (flipped(rows + 600), "the archive is damaged"),
        (flipped(rows + 3), "the archive is damaged"),
        (b"PK\x03\x04 something else".to_vec(), "this is not a backup of Bindery"),
        (Vec::new(), "this is not a backup of Bindery"),
        (newer_bytes, "in format 7"),
    ] {
        let file = target.path("damaged.tar");
        fs::write(&file, damaged).unwrap();
        let refused = target.refused(&["restore", file.to_str().unwrap()]);
        assert!(refused.contains(reason), "{refused}");
        assert_eq!(target.names(), ["damaged.tar"], "{reason}");
    }
    let refused = target.refused(&["restore", "nothing.tar"]);
    assert!(refused.contains("nothing.tar"), "{refused}");
    let report = target.run(&["restore", archive.to_str().unwrap(), "--dry-run"]);
    assert!(
        report.contains("is complete and undamaged; nothing was changed"),
        "{report}"
    );
    assert_eq!(target.names(), ["damaged.tar"]);
}

async fn the_secret_key_is_not_forgotten(_: TestDatabase) {
    let (source, archive) = backed_up(Backend::Sqlite).await;
    let archive = archive.to_str().unwrap();
    let without = |mut command: Command| {
        command.env_remove("BINDERY_BACKUP_PASSPHRASE");
        command
    };
    let reason = refused(without(source.command(&["backup", "b.tar"])));
    assert!(reason.contains("BINDERY_BACKUP_PASSPHRASE"), "{reason}");
    let bare = source.path("bare.tar");
    let bare = bare.to_str().unwrap();
    succeed(without(source.command(&["backup", bare, "--without-key"])));
    assert!(!source.path("b.tar").exists());

    let target = Installation::new(Backend::Sqlite).await;
    let reason = refused(without(target.command(&["restore", archive])));
    assert!(
        reason.contains("is sealed") && reason.contains("share links"),
        "{reason}"
    );
    let mut wrong = target.command(&["restore", archive]);
    wrong.env("BINDERY_BACKUP_PASSPHRASE", "another passphrase");
    let reason = refused(wrong);
    assert!(reason.contains("the passphrase is not the one"), "{reason}");
    let mut other = target.command(&["restore", archive]);
    other.env("BINDERY_SECRET_KEY", "5a".repeat(32));
    let reason = refused(other);
    assert!(reason.contains("is another key"), "{reason}");
    let reason = target.refused(&["restore", bare]);
    assert!(
        reason.contains("stop working") && reason.contains("--without-key"),
        "{reason}"
    );
    assert_eq!(target.names(), Vec::<String>::new());

    let report = target.run(&["restore", bare, "--without-key"]);
    assert!(report.contains("stop working"), "{report}");
    let reason = target.refused(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(reason.contains("its secret key is missing"), "{reason}");
    fs::copy(source.path("secret.key"), target.path("secret.key")).unwrap();
    target.works().await;
}

async fn failed_backups_leave_the_last_one(_: TestDatabase) {
    let source = Installation::with_a_large_file(Backend::Sqlite).await;
    let archive = source.path("a.tar");
    let arguments = ["backup", archive.to_str().unwrap()];
    source.run(&arguments);
    let before = fs::read(&archive).unwrap();
    let is_unchanged = || {
        assert_eq!(fs::read(&archive).unwrap(), before);
        let names = source.names();
        assert!(
            !names
                .iter()
                .any(|name| name.starts_with('.') || name.contains("snapshot")),
            "{names:?}"
        );
    };
    // A limit on the size of files is as good as a full disk: 1 MiB are too few for the copy of the database, 3 MiB for the archive.
    for (blocks, step) in [(2048, "cannot copy the database"), (6144, "cannot back up the blob")] {
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let reason = refused(source.program(&["sh", "-c", &limited], &arguments));
        assert!(reason.contains(step), "{reason}");
        is_unchanged();
    }
    let mut to_full = source.command(&["backup", "-"]);
    to_full.stdout(File::options().write(true).open("/dev/full").unwrap());
    let reason = refused(to_full);
    assert!(reason.contains("No space left on device"), "{reason}");
    is_unchanged();

    let reason = source.refused(&["backup", "missing/a.tar"]);
    assert!(reason.contains("cannot write to missing"), "{reason}");

    // After the rows are written, a file turns out to be gone.
    let (blobs, aside) = (source.path("blobs"), source.path("blobs.aside"));
    fs::rename(&blobs, &aside).unwrap();
    let reason = source.refused(&arguments);
    assert!(reason.contains("cannot back up the blob"), "{reason}");
    is_unchanged();
    fs::remove_dir_all(&blobs).unwrap();
    fs::rename(&aside, &blobs).unwrap();

    // None of them keeps the next one waiting.
    source.run(&arguments);
    assert_ne!(fs::read(&archive).unwrap(), before);
}

async fn databases_in_use_are_not_overwritten(database: TestDatabase) {
    let backend = database.backend();
    let (source, archive) = backed_up(backend).await;
    let archive = archive.to_str().unwrap();
    let reason = source.refused(&["restore", archive]);
    if backend == Backend::Postgres {
        assert!(
            reason.contains("is not empty") && reason.contains("createdb"),
            "{reason}"
        );
        let reason = source.refused(&["restore", archive, "--replace"]);
        assert!(reason.contains("is not empty"), "{reason}");
        source.works().await;
        return;
    }
    assert!(reason.contains("--replace moves it aside"), "{reason}");
    let mut server = source.serve();
    server.ready().await;
    let reason = source.refused(&["restore", archive, "--replace"]);
    assert!(reason.contains("stop the server first"), "{reason}");
    server.kill();
    assert!(!source.path("restoring").exists());

    fs::write(source.path("secret.key"), "5a".repeat(32)).unwrap();
    let report = source.run(&["restore", archive, "--replace"]);
    assert!(report.contains("moved "), "{report}");
    let aside = |name: &str| {
        source
            .names()
            .iter()
            .any(|other| other.starts_with(&format!("{name}.replaced-")))
    };
    assert!(
        aside("bindery.db") && aside("secret.key") && aside("blobs"),
        "{:?}",
        source.names()
    );
    source.works().await;
}

async fn interrupted_restores_are_run_again(database: TestDatabase) {
    let (_source, archive) = backed_up(database.backend()).await;
    let target = Installation::new(database.backend()).await;
    let bytes = fs::read(&archive).unwrap();
    let pipe = target.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // The program verifies the archive, and gets only a part of it when it reads it again.
    let mut command = target.command(&["restore", pipe.to_str().unwrap()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let opened = tokio::task::block_in_place(|| {
        File::options()
            .write(true)
            .open(&pipe)
            .unwrap()
            .write_all(&bytes)
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(line.contains("backup of "), "{line}");
        let mut part = OpenOptions::new().write(true).open(&pipe).unwrap();
        part.write_all(&bytes[..bytes.len() / 2]).unwrap();
        part
    });
    child.kill().unwrap();
    child.wait().unwrap();
    drop(opened);
    fs::remove_file(&pipe).unwrap();
    assert!(target.path("restoring").exists());
    assert!(!target.path("bindery.db").exists());
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"]] {
        let reason = target.refused(arguments);
        assert!(reason.contains("Run `bindery restore` again"), "{reason}");
    }
    target.run(&["restore", archive.to_str().unwrap()]);
    assert!(!target.path("restoring").exists() && !target.path("bindery.db.restoring").exists());
    target.works().await;
}

async fn periodic_backups_are_kept_for_a_while(database: TestDatabase) {
    let installation = Installation::new(database.backend()).await;
    let place = installation.path("backups");
    fs::create_dir(&place).unwrap();
    for old in [
        "bindery-20200101T000000Z.tar",
        "bindery-20200102T000000Z.tar",
        "notes.txt",
    ] {
        fs::write(place.join(old), "").unwrap();
    }
    let settings = |command: &mut Command| {
        command
            .env("BINDERY_BACKUP_TO", &place)
            .env("BINDERY_BACKUP_PASSPHRASE", crate::support::backups::PASSPHRASE)
            .env("BINDERY_BACKUP_KEEP", "2");
    };
    let mut server = Server::spawn_with(installation.home.path(), &installation.database, settings);
    let client = server.ready().await;
    server
        .line("a backup", |line| {
            line["fields"]["message"] == "made a backup" || line["message"] == "made a backup"
        })
        .await;
    // The job ends after its line.
    let doctor = || {
        let mut command = installation.command(&["doctor"]);
        settings(&mut command);
        command
    };
    let report = succeed(doctor());
    assert!(report.contains("the last backup is of "), "{report}");
    let metrics = client.get("/metrics").await;
    assert_eq!(metrics.status(), StatusCode::OK);
    let metrics = metrics.text().await.unwrap();
    let line = metrics
        .lines()
        .find(|line| line.starts_with("bindery_last_backup_timestamp_seconds "));
    assert!(line.is_some_and(|line| !line.ends_with(" 0")), "{metrics}");
    server.kill();
    let kept = names(&place);
    assert_eq!(kept.len(), 3, "{kept:?}");
    assert!(kept.contains(&"bindery-20200102T000000Z.tar".to_owned()) && kept.contains(&"notes.txt".to_owned()));
    let target = Installation::new(database.backend()).await;
    let newest = place.join(&kept[1]);
    target.run(&["restore", newest.to_str().unwrap()]);
    target.works().await;

    // On a database without a backup, the setting is not kept.
    let late = {
        let mut command = target.command(&["doctor"]);
        settings(&mut command);
        refused_report(command)
    };
    assert!(late.contains("no backup has been made"), "{late}");
}

/// What a command prints that fails without a reason of its own.
fn refused_report(mut command: Command) -> String {
    let output = tokio::task::block_in_place(|| command.output().unwrap());
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}
