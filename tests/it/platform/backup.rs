//! `bindery backup` and `bindery restore`: what is restored is what was there, on either database.

use std::{
    collections::BTreeSet,
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use bindery::commands::backup::tables::{LEFT_OUT, tables};
use platform::db::Backend;
use reqwest::Method;
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{
    backups::{Content, Installation, names},
    client::Client,
    database::{TestDatabase, on_each_database},
    process::{first_organization, send},
};

on_each_database![
    every_table_is_in_a_backup_or_left_out,
    backups_of_the_first_format_are_restored,
];

/// Made by the search from the rows that are in a backup.
const SEARCH_INDEX: [&str; 2] = ["search_terms", "search_words"];

mod across_databases {
    use platform::db::Backend;

    #[tokio::test(flavor = "multi_thread", worker_threads = 3)]
    async fn sqlite_to_postgres() {
        super::an_installation_moves(Backend::Sqlite, Backend::Postgres).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 3)]
    async fn postgres_to_sqlite() {
        super::an_installation_moves(Backend::Postgres, Backend::Sqlite).await;
    }
}

/// Creates spaces with ascending numbers until it is told to stop.
struct Writer {
    acknowledged: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    task: tokio::task::JoinHandle<()>,
}

impl Writer {
    /// Returns after the third space.
    async fn start(client: &Client, organization: &str) -> Self {
        let (acknowledged, stop) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let (sender, mut created) = mpsc::unbounded_channel();
        let (count, stopped, client) = (Arc::clone(&acknowledged), Arc::clone(&stop), client.clone());
        let path = format!("/v1/orgs/{organization}/spaces");
        let task = tokio::spawn(async move {
            while !stopped.load(Ordering::SeqCst) {
                let title = format!("space {}", count.load(Ordering::SeqCst));
                send(&client, Method::POST, &path, Some(json!({ "title": title })))
                    .await
                    .unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let _ = sender.send(());
            }
        });
        for _ in 0..3 {
            created.recv().await.unwrap();
        }
        Self {
            acknowledged,
            stop,
            task,
        }
    }

    fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::SeqCst)
    }

    async fn stop(self) -> usize {
        self.stop.store(true, Ordering::SeqCst);
        self.task.await.unwrap();
        self.acknowledged.load(Ordering::SeqCst)
    }
}

async fn spaces(client: &Client, organization: &str) -> Vec<Value> {
    let mut list = send(
        client,
        Method::GET,
        &format!("/v1/orgs/{organization}/spaces?limit=1000"),
        None,
    )
    .await
    .unwrap();
    serde_json::from_value(list["items"].take()).unwrap()
}

async fn an_installation_moves(from: Backend, to: Backend) {
    let source = Installation::new(from).await;
    let mut server = source.serve();
    let client = server.ready().await;
    let organization = first_organization(&client).await.unwrap();
    source.run(&["demo"]);
    let demo = spaces(&client, &organization).await;
    assert!(demo.len() > 3, "{demo:#?}");
    let writer = Writer::start(&client, &organization).await;
    let before = writer.acknowledged();
    let archive = source.path("a.tar");
    let report = source.run(&["backup", archive.to_str().unwrap()]);
    assert!(report.contains(" rows in "), "{report}");
    let after = writer.stop().await;
    server.kill();
    assert!(
        !source
            .names()
            .iter()
            .any(|name| name.contains("snapshot") || name.starts_with('.'))
    );

    let target = Installation::new(to).await;
    let report = target.run(&["restore", archive.to_str().unwrap()]);
    assert!(report.contains("with the secret key"), "{report}");
    assert!(!target.path("restoring").exists());
    let key = |installation: &Installation| fs::read_to_string(installation.path("secret.key")).unwrap();
    assert_eq!(key(&source), key(&target));
    let again = target.path("b.tar");
    target.run(&["backup", again.to_str().unwrap()]);
    let ((original, trailer), (restored, _)) = (Content::of(&archive), Content::of(&again));
    assert!(trailer.blobs > 0);
    for (table, rows) in &original.rows {
        assert_eq!(Some(rows), restored.rows.get(table), "{table}");
    }
    assert_eq!(original, restored);

    for space in &demo {
        let id = space["id"].as_str().unwrap();
        let files = source.export(id);
        assert!(!files.is_empty());
        assert_eq!(files, target.export(id), "{space}");
    }
    // Tokens work, and the backup is a state that was there: all spaces up to one.
    let mut server = target.serve();
    let client = server.ready().await;
    let titles: BTreeSet<_> = spaces(&client, &organization)
        .await
        .iter()
        .filter_map(|space| space["title"].as_str()?.strip_prefix("space ")?.parse::<usize>().ok())
        .collect();
    assert_eq!(titles, (0..titles.len()).collect());
    assert!(
        (before..=after).contains(&titles.len()),
        "{before} {} {after}",
        titles.len()
    );
}

async fn every_table_is_in_a_backup_or_left_out(database: TestDatabase) {
    let db = database.migrated().await;
    let sql = match database.backend() {
        // Not the tables that the full-text index keeps its data in.
        Backend::Sqlite => {
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search\\_terms\\_%' ESCAPE '\\'"
        }
        Backend::Postgres => {
            "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        }
    };
    let rows = db
        .read()
        .query_all_raw(Statement::from_string(db.read().get_database_backend(), sql))
        .await
        .unwrap();
    let found: BTreeSet<String> = rows.iter().map(|row| row.try_get_by_index(0).unwrap()).collect();
    let left_out = LEFT_OUT.iter().map(|(name, _)| *name);
    let known = tables().unwrap().into_iter().map(|table| table.name);
    let known = known.chain(
        left_out
            .chain(SEARCH_INDEX)
            .chain(["seaql_migrations"])
            .map(str::to_owned),
    );
    assert_eq!(
        found,
        known.collect(),
        "a new table needs an entity, or an entry in LEFT_OUT with the reason"
    );
}

/// `BLESS=1` makes the archive of this version anew; see docs/operations.md for adding one at a release.
async fn backups_of_the_first_format_are_restored(database: TestDatabase) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/platform/backups");
    if std::env::var_os("BLESS").is_some() && database.backend() == Backend::Sqlite {
        let source = Installation::new(Backend::Sqlite).await;
        let mut server = source.serve();
        server.ready().await;
        server.kill();
        fs::create_dir_all(folder).unwrap();
        let file = format!("{folder}/bindery-{}.tar", env!("CARGO_PKG_VERSION"));
        source.run(&["backup", &file]);
    }
    for archive in names(folder.as_ref()) {
        let installation = Installation::new(database.backend()).await;
        installation.run(&["restore", &format!("{folder}/{archive}")]);
        let mut server = installation.serve();
        let client = server.ready().await;
        let user = send(&client, Method::GET, "/v1/user", None).await.unwrap();
        assert_eq!(user["email"], "admin@localhost", "{archive}");
    }
}
