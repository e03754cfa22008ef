//! Errors at the start of the server: what failed, on what, and the next step.

use std::{
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
};

use migration::Migrator;
use platform::db::Backend;
use sea_orm::{ConnectionTrait, Database};
use sea_orm_migration::MigratorTrait;

use crate::support::database::{TestDatabase, on_each_database};

on_each_database![errors_at_the_start_name_the_next_step];

/// Flags that replace the usual ones, and texts that the error has.
struct Case {
    flags: Vec<String>,
    texts: Vec<String>,
}

fn case(flags: &[&str], texts: &[&str]) -> Case {
    let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Case {
        flags: owned(flags),
        texts: owned(texts),
    }
}

fn start(home: &Path, database: &TestDatabase, flags: &[String]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        command.env_remove(name);
    }
    command
        .env("BINDERY_LISTEN", "127.0.0.1:0")
        .env("BINDERY_DATABASE_URL", database.url())
        .env("BINDERY_DATA_DIR", home)
        .current_dir(home)
        .args(flags)
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(!output.status.success(), "{flags:?} started");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Marks a step as applied that this version does not know.
async fn make_newer(database: &TestDatabase) {
    drop(database.migrated().await);
    let connection = Database::connect(database.url()).await.unwrap();
    Migrator::install(&connection).await.unwrap();
    let insert = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m21261121_bookmarks', 0)";
    connection.execute_unprepared(insert).await.unwrap();
    connection.close().await.unwrap();
}

async fn errors_at_the_start_name_the_next_step(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    make_newer(&database).await;
    let mut cases = vec![case(
        &[],
        &[
            "cannot use the database",
            "made by a newer version than 0.1.0. Start that version",
        ],
    )];
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let file = home.path().join("file");
    std::fs::write(&file, "not a database, but longer than the header of one: ".repeat(20)).unwrap();
    let file = file.display().to_string();
    match database.backend() {
        Backend::Sqlite => cases.extend([
            case(
                &["--listen", &taken],
                &[
                    &format!("cannot listen on {taken}"),
                    "Another program uses this port",
                    "with --listen",
                ],
            ),
            case(
                &["--listen", "192.0.2.1:4000"],
                &["This machine has no such address", "--listen 0.0.0.0:4000"],
            ),
            case(
                &["--data-dir", &file],
                &[
                    &format!("cannot create the data directory {file}"),
                    "choose another one with --data-dir",
                ],
            ),
            // Nobody can make files there.
            case(
                &["--data-dir", "/sys"],
                &[
                    "the data directory /sys is not writable",
                    "choose another one with --data-dir",
                ],
            ),
            case(
                &["--database-url", &format!("sqlite://{file}")],
                &["cannot open the database sqlite://", "Move this file away"],
            ),
            case(
                &["--database-url", "postgres://bindery@127.0.0.1:1/bindery"],
                &[
                    "PostgreSQL does not answer yet",
                    "cannot open the database postgres://",
                    "Connection refused",
                    "Start PostgreSQL, or correct the host and the port in BINDERY_DATABASE_URL",
                ],
            ),
        ]),
        Backend::Postgres => {
            let mut url = url::Url::parse(database.url()).unwrap();
            url.set_path("nowhere");
            cases.push(case(
                &["--database-url", url.as_str()],
                &["\"nowhere\" does not exist", "Create it, such as with `createdb`"],
            ));
            url.set_username("nobody").unwrap();
            cases.push(case(
                &["--database-url", url.as_str()],
                &[
                    "\"nobody\"",
                    "Correct the user and the password in BINDERY_DATABASE_URL",
                ],
            ));
        }
    }
    for Case { flags, texts } in cases {
        let error = start(home.path(), &database, &flags);
        for text in texts {
            assert!(error.contains(&text), "{flags:?}: {text:?} is not in: {error}");
        }
    }
}
