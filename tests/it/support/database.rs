//! A database of its own for each test, gone when the test ends.

use std::path::{Path, PathBuf};

use platform::db::{Backend, Clock, Db, DbOptions, IdSource};
use sea_orm::{ConnectionTrait, Database};
use tempfile::TempDir;
use uuid::Uuid;

/// Names a PostgreSQL server on which tests may create and drop databases. Without it, only SQLite is tested.
const SERVER: &str = "BINDERY_TEST_POSTGRES_URL";

pub struct TestDatabase {
    backend: Backend,
    url: String,
    home: Home,
}

enum Home {
    Directory(TempDir),
    Server { url: String, name: String },
}

impl TestDatabase {
    /// An empty database; none if this machine has no server for it.
    pub async fn new(backend: Backend) -> Option<Self> {
        match backend {
            Backend::Sqlite => {
                let directory = tempfile::tempdir().unwrap();
                let url = format!("sqlite://{}", file(directory.path()).display());
                Some(Self {
                    backend,
                    url,
                    home: Home::Directory(directory),
                })
            }
            Backend::Postgres => {
                let Ok(server) = std::env::var(SERVER) else {
                    eprintln!("skipped: {SERVER} is not set");
                    return None;
                };
                let name = format!(
                    "bindery_test_{}",
                    IdSource::new(Clock::system()).next::<Uuid>().simple()
                );
                administer(&server, format!("CREATE DATABASE {name}")).await;
                let mut url = url::Url::parse(&server).unwrap();
                url.set_path(&name);
                Some(Self {
                    backend,
                    url: url.to_string(),
                    home: Home::Server { url: server, name },
                })
            }
        }
    }

    pub fn backend(&self) -> Backend {
        self.backend
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// The file of a SQLite database.
    pub fn path(&self) -> PathBuf {
        match &self.home {
            Home::Directory(directory) => file(directory.path()),
            Home::Server { .. } => panic!("a PostgreSQL database has no file"),
        }
    }

    /// Connects as the server does, without a schema.
    pub async fn connect(&self) -> Db {
        Db::connect(&self.url, &DbOptions::default()).await.unwrap()
    }

    /// Connects and brings the schema up to date.
    pub async fn migrated(&self) -> Db {
        let db = self.connect().await;
        db.migrate().await.unwrap();
        db
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Home::Server { url, name } = &self.home else { return };
        let (url, sql) = (url.clone(), format!("DROP DATABASE {name} WITH (FORCE)"));
        // Dropping cannot wait for a future, a thread with a runtime of its own can.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(administer(&url, sql));
        });
        if dropped.join().is_err() {
            eprintln!("the test database {name} was left behind");
        }
    }
}

fn file(directory: &Path) -> PathBuf {
    directory.join("bindery.db")
}

async fn administer(server: &str, sql: String) {
    let connection = Database::connect(server).await.unwrap();
    connection.execute_unprepared(&sql).await.unwrap();
    connection.close().await.unwrap();
}

/// Declares each function, which takes a [`TestDatabase`], as one test for each kind of database.
macro_rules! on_each_database {
    ($($test:ident),+ $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    use crate::support::database::TestDatabase;
                    if let Some(database) = TestDatabase::new(platform::db::Backend::Sqlite).await {
                        super::$test(database).await;
                    }
                }
            )+
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    use crate::support::database::TestDatabase;
                    if let Some(database) = TestDatabase::new(platform::db::Backend::Postgres).await {
                        super::$test(database).await;
                    }
                }
            )+
        }
    };
}
pub(crate) use on_each_database;
