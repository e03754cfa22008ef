//! `bindery doctor`: what operators get wrong, each with the text that they see.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown},
    path::Path,
    process::Command,
};

use bindery::commands::doctor::{Finding, machine};
use platform::db::Backend;
use rustix::{
    fs::{StatVfs, StatVfsMountFlags},
    process::geteuid,
};
use serde_json::Value;

use crate::support::{
    database::{TestDatabase, administer, server},
    dns::NameServer,
    process::command,
    smtp::MailServer,
};

/// What the command finds, with these flags and variables.
async fn examine(home: &Path, flags: &[&str], variables: &[(&str, String)]) -> (bool, Vec<Value>) {
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_bindery"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        doctor.env_remove(name);
    }
    doctor
        .args(["doctor", "--json", "--data-dir"])
        .arg(home)
        .args(flags)
        .envs(variables.iter().cloned())
        .current_dir(home);
    // Not on this thread: what is examined answers on it.
    let output = tokio::task::spawn_blocking(move || doctor.output().unwrap());
    let output = output.await.unwrap();
    let checks = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    (output.status.success(), checks)
}

/// `ok`, `warning` or `failed`, and the text of a check.
fn found(checks: &[Value], name: &str) -> (&'static str, String) {
    let check = checks.iter().find(|check| check["check"] == name).unwrap();
    let state = match (check["ok"] == true, check["warning"] == true) {
        (false, _) => "failed",
        (true, true) => "warning",
        (true, false) => "ok",
    };
    (state, check["found"].as_str().unwrap().to_owned())
}

/// Runs the command, and compares one check.
async fn assert_found(name: &str, state: &str, text: &str, flags: &[&str], variables: &[(&str, String)]) {
    let home = tempfile::tempdir().unwrap();
    let (success, checks) = examine(home.path(), flags, variables).await;
    let (found_state, found_text) = found(&checks, name);
    assert_eq!(found_state, state, "{flags:?}: {found_text}");
    assert!(found_text.contains(text), "{flags:?}: {found_text}");
    assert_eq!(success, checks.iter().all(|check| check["ok"] == true), "{checks:?}");
}

#[tokio::test]
async fn nothing_fails_before_the_first_start() {
    let home = tempfile::tempdir().unwrap();
    let (success, checks) = examine(home.path(), &[], &[]).await;
    assert!(success, "{checks:?}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    for name in [
        "contract",
        "clock",
        "settings",
        "addresses",
        "files",
        "blobs",
        "dns",
        "database",
        "hostnames",
    ] {
        assert_eq!(found(&checks, name).0, "ok", "{checks:?}");
    }
}

#[tokio::test]
async fn addresses_that_contradict_each_other_are_found() {
    let none: &[(&str, String)] = &[];
    for (flags, text) in [
        (
            &["--public-url", "https://127.0.0.1"][..],
            "BINDERY_TRUSTED_PROXIES is not set",
        ),
        (
            &["--trusted-proxies", "127.0.0.1"],
            "BINDERY_PUBLIC_URL is an http address",
        ),
        (
            &["--trusted-proxies", "0.0.0.0/0"],
            "every client can claim any address",
        ),
        (&["--listen", "0.0.0.0:4000"], "BINDERY_PUBLIC_URL leads to their own"),
    ] {
        assert_found("addresses", "warning", text, flags, none).await;
    }
    let flags = ["--public-url", "https://127.0.0.1", "--trusted-proxies", "127.0.0.1"];
    assert_found("addresses", "ok", "fit together", &flags, none).await;
}

#[tokio::test]
async fn memory_that_the_machine_lacks_is_found() {
    assert_found(
        "memory",
        "failed",
        "lower BINDERY_MEMORY",
        &["--memory", "90000GiB"],
        &[],
    )
    .await;
    assert_found(
        "memory",
        "warning",
        "BINDERY_PDF_MEMORY",
        &["--pdf-memory", "90000GiB"],
        &[],
    )
    .await;
    let text = "the server may take 512 MiB of";
    assert_found(
        "memory",
        "ok",
        text,
        &["--memory", "512MiB", "--pdf-memory", "1MiB"],
        &[],
    )
    .await;
}

#[test]
fn few_open_files_are_found() {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args([
            "-c",
            "ulimit -n 512 && exec \"$0\" doctor --data-dir .",
            env!("CARGO_BIN_EXE_bindery"),
        ])
        .current_dir(home.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.contains("limits")).unwrap();
    assert!(line.starts_with("warning") && line.contains("512 files"), "{text}");
}

#[test]
fn full_disks_are_found() {
    let room = |free: u64, inodes: u64| {
        let statistics = StatVfs {
            f_bsize: 4096,
            f_frsize: 4096,
            f_blocks: 1 << 40,
            f_bfree: free / 4096,
            f_bavail: free / 4096,
            f_files: 1 << 20,
            f_ffree: inodes,
            f_favail: inodes,
            f_fsid: 0,
            f_flag: StatVfsMountFlags::empty(),
            f_namemax: 255,
        };
        machine::room(Path::new("/data"), &statistics)
    };
    let gib = 1 << 30;
    assert_eq!(
        room(9 * gib, 5000).unwrap(),
        Finding::Fine("9216 MiB are free in /data".to_owned())
    );
    assert_eq!(
        room(gib, 5000).unwrap(),
        Finding::Warning("1024 MiB are free in /data".to_owned())
    );
    assert!(room(9 * gib, 5).unwrap_err().to_string().contains("only 5 inodes"));
    assert!(
        room(1 << 20, 5000)
            .unwrap_err()
            .to_string()
            .contains("writes fail soon")
    );
}

#[tokio::test]
async fn files_of_others_are_found() {
    let home = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}/bindery.db", home.path().display());
    let migrated = command(home.path(), &database, &["migrate"]);
    assert!(migrated.status.success(), "{migrated:?}");
    let file = home.path().join("bindery.db");

    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let key = [("BINDERY_SECRET_KEY", "5a".repeat(32))];
    let (_, checks) = examine(home.path(), &[], &key).await;
    let (state, text) = found(&checks, "files");
    assert!(state == "failed" && text.contains("chmod 600"), "{text}");

    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let (_, checks) = examine(home.path(), &[], &key).await;
    assert_eq!(found(&checks, "files").0, "ok", "{checks:?}");

    // Only root can give files away.
    if geteuid().is_root() {
        chown(&file, Some(4321), None).unwrap();
        let (_, checks) = examine(home.path(), &[], &key).await;
        let (state, text) = found(&checks, "files");
        assert!(state == "failed" && text.contains("belongs to the user 4321"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_servers_are_tried() {
    let settings = |url: String| {
        [
            ("BINDERY_SMTP_URL", url),
            ("BINDERY_MAIL_FROM", "docs@tidewater.example".to_owned()),
        ]
    };
    assert_found("mail", "warning", "there is no mail server", &[], &[]).await;
    let server = MailServer::start().await;
    assert_found(
        "mail",
        "ok",
        "takes mails from",
        &[],
        &settings(server.url("docs:secret@")),
    )
    .await;
    assert!(server.received().is_empty());
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("smtp://docs:secret@{}", nobody.local_addr().unwrap());
    drop(nobody);
    assert_found("mail", "failed", "cannot use the mail server", &[], &settings(url)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_without_addresses_are_found() {
    let names = NameServer::start().await;
    let asked = names.address.to_string();
    let flags = |url: &'static str| {
        [
            "--dns-server",
            asked.as_str(),
            "--public-url",
            url,
            "--sites-url",
            SITES,
        ]
    };
    const SITES: &str = "https://{site}.sites.example";
    assert_found(
        "dns",
        "failed",
        "docs.tidewater.example has no address",
        &flags("https://docs.tidewater.example"),
        &[],
    )
    .await;
    names.set_address("docs.tidewater.example", [192, 0, 2, 7]);
    let text = "bindery-doctor.sites.example has no address";
    assert_found("dns", "failed", text, &flags("https://docs.tidewater.example"), &[]).await;
    names.set_address("bindery-doctor.sites.example", [192, 0, 2, 8]);
    let text = "docs.tidewater.example is at 192.0.2.7";
    assert_found("dns", "ok", text, &flags("https://docs.tidewater.example"), &[]).await;
}

#[tokio::test]
async fn a_machine_without_git_is_found() {
    let nowhere = [("PATH", "/nowhere".to_owned())];
    assert_found(
        "git",
        "warning",
        "spaces cannot be synchronized with Git",
        &[],
        &nowhere,
    )
    .await;
    assert_found("git", "ok", "git 2.", &[], &[]).await;
}

mod postgres {
    #[tokio::test]
    async fn settings_that_lose_writes_are_found() {
        super::settings_that_lose_writes_are_found().await;
    }

    #[tokio::test]
    async fn other_encodings_are_found() {
        super::other_encodings_are_found().await;
    }

    #[tokio::test]
    async fn few_connections_are_found() {
        super::few_connections_are_found().await;
    }

    #[tokio::test]
    async fn clocks_and_versions_are_compared() {
        super::clocks_and_versions_are_compared().await;
    }
}

async fn other_encodings_are_found() {
    let database = TestDatabase::new(Backend::Postgres);
    database.create().await;
    let name = database.name().unwrap();
    administer(&server(), &format!("DROP DATABASE {name}")).await;
    let ascii = format!("CREATE DATABASE {name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0");
    administer(&server(), &ascii).await;
    let text = "the database has the encoding SQL_ASCII; create it with ENCODING 'UTF8'";
    let variables = [("BINDERY_DATABASE_URL", database.url().to_owned())];
    assert_found("database", "failed", text, &[], &variables).await;
}

async fn few_connections_are_found() {
    let database = TestDatabase::new(Backend::Postgres);
    drop(database.migrated().await);
    let name = database.name().unwrap();
    administer(&server(), &format!("ALTER DATABASE {name} CONNECTION LIMIT 7")).await;
    let variables = [("BINDERY_DATABASE_URL", database.url().to_owned())];
    assert_found("database", "warning", "PostgreSQL takes 7 connections", &[], &variables).await;

    administer(&server(), &format!("ALTER DATABASE {name} CONNECTION LIMIT -1")).await;
    let role = format!("CREATE ROLE {name} SUPERUSER LOGIN PASSWORD 'password' CONNECTION LIMIT 6");
    administer(&server(), &role).await;
    let mut url = url::Url::parse(database.url()).unwrap();
    url.set_username(name).unwrap();
    url.set_password(Some("password")).unwrap();
    let home = tempfile::tempdir().unwrap();
    let variables = [("BINDERY_DATABASE_URL", url.to_string())];
    let (_, checks) = examine(home.path(), &[], &variables).await;
    administer(&server(), &format!("DROP ROLE {name}")).await;
    let (state, text) = found(&checks, "database");
    assert!(
        state == "warning" && text.contains("PostgreSQL takes 6 connections"),
        "{text}"
    );
}

/// Functions of this database stand in for those by which PostgreSQL tells its version and time.
async fn clocks_and_versions_are_compared() {
    const OLD: &str = "CREATE FUNCTION told.current_setting(name text) RETURNS text LANGUAGE sql AS \
        $$ SELECT CASE name WHEN 'server_version_num' THEN '140011' ELSE pg_catalog.current_setting(name) END $$";
    const LATE: &str = "CREATE FUNCTION told.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS \
        $$ SELECT pg_catalog.clock_timestamp() - interval '5 minutes' $$";
    let database = TestDatabase::new(Backend::Postgres);
    drop(database.migrated().await);
    let name = database.name().unwrap();
    administer(database.url(), "CREATE SCHEMA told").await;
    let path = format!("ALTER DATABASE {name} SET search_path = public, told, pg_catalog");
    administer(&server(), &path).await;
    let variables = [("BINDERY_DATABASE_URL", database.url().to_owned())];
    administer(database.url(), OLD).await;
    let text = "PostgreSQL 14 is older than 15";
    assert_found("database", "warning", text, &[], &variables).await;

    administer(database.url(), LATE).await;
    let text = "the clocks of this machine and of the database differ by";
    assert_found("database", "failed", text, &[], &variables).await;
}

async fn settings_that_lose_writes_are_found() {
    let database = TestDatabase::new(Backend::Postgres);
    let (url, name) = (database.url().to_owned(), database.name().unwrap().to_owned());
    drop(database.migrated().await);
    let variables = [("BINDERY_DATABASE_URL", url)];
    let home = tempfile::tempdir().unwrap();
    let (_, checks) = examine(home.path(), &[], &variables).await;
    let (_, text) = found(&checks, "database");
    assert!(!text.contains("synchronous_commit"), "{text}");
    let off = format!("ALTER DATABASE \"{name}\" SET synchronous_commit = off");
    administer(&server(), &off).await;
    let (_, checks) = examine(home.path(), &[], &variables).await;
    let (state, text) = found(&checks, "database");
    assert!(
        state == "warning" && text.contains("can lose acknowledged writes, because of"),
        "{text}"
    );
    assert!(text.contains("synchronous_commit = off"), "{text}");
}
