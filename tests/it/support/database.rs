//! A database of its own for each test, gone when the test ends.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use platform::db::{Backend, Clock, Db, DbOptions, IdSource};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::templates::Template;

/// Names a PostgreSQL server on which tests may create and drop databases.
const SERVER: &str = "BINDERY_TEST_POSTGRES_URL";

pub struct TestDatabase {
    backend: Backend,
    url: String,
    home: Home,
    created: OnceCell<()>,
}

enum Home {
    /// The folder of a SQLite file, removed with the test.
    Temporary(TempDir),
    /// The folder of a SQLite file that stays.
    Kept(PathBuf),
    Server {
        url: String,
        name: String,
        kept: bool,
    },
}

impl TestDatabase {
    /// The first use decides what it begins with: [`Self::connect`] creates it empty, [`Self::migrated`] with the schema.
    pub fn new(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                Self::of(backend, sqlite_url(folder.path()), Home::Temporary(folder))
            }
            Backend::Postgres => Self::on_server(&new_name("bindery_test"), false),
        }
    }

    /// A database to copy, which outlives the test that creates it. SQLite puts it into the folder.
    pub fn to_be_kept(backend: Backend, folder: &Path) -> Self {
        match backend {
            Backend::Sqlite => Self::of(backend, sqlite_url(folder), Home::Kept(folder.to_owned())),
            Backend::Postgres => Self::on_server(&new_name(KEPT), true),
        }
    }

    fn on_server(name: &str, kept: bool) -> Self {
        let server = server();
        let mut url = url::Url::parse(&server).unwrap();
        url.set_path(name);
        let home = Home::Server {
            url: server,
            name: name.to_owned(),
            kept,
        };
        Self::of(Backend::Postgres, url.to_string(), home)
    }

    fn of(backend: Backend, url: String, home: Home) -> Self {
        Self {
            backend,
            url,
            home,
            created: OnceCell::new(),
        }
    }

    /// The same PostgreSQL database, reached by another address.
    pub fn through(mut self, address: SocketAddr) -> Self {
        let mut url = url::Url::parse(&self.url).unwrap();
        url.set_ip_host(address.ip()).unwrap();
        url.set_port(Some(address.port())).unwrap();
        self.url = url.to_string();
        self
    }

    /// The same PostgreSQL database for another node, which leaves it in place.
    pub fn shared(&self) -> Self {
        assert_eq!(
            self.backend,
            Backend::Postgres,
            "one process at a time serves a SQLite database"
        );
        self.reopened()
    }

    /// The same database for the process after this one, which leaves it in place.
    pub fn reopened(&self) -> Self {
        let home = match &self.home {
            Home::Temporary(folder) => Home::Kept(folder.path().to_owned()),
            Home::Kept(folder) => Home::Kept(folder.clone()),
            Home::Server { url, name, .. } => Home::Server {
                url: url.clone(),
                name: name.clone(),
                kept: true,
            },
        };
        let mut reopened = Self::of(self.backend, self.url.clone(), home);
        reopened.created = OnceCell::new_with(Some(()));
        reopened
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
            Home::Temporary(folder) => file(folder.path()),
            Home::Kept(folder) => file(folder),
            Home::Server { .. } => panic!("a PostgreSQL database has no file"),
        }
    }

    /// The name of a PostgreSQL database.
    pub fn name(&self) -> Option<&str> {
        match &self.home {
            Home::Server { name, .. } => Some(name),
            Home::Temporary(_) | Home::Kept(_) => None,
        }
    }

    /// Creates the database, empty, unless it exists. SQLite creates it when it is opened.
    pub async fn create(&self) {
        let create = async {
            if let Home::Server { url, name, .. } = &self.home {
                administer(url, &format!("CREATE DATABASE {name}")).await;
            }
        };
        self.created.get_or_init(|| create).await;
    }

    /// Creates the database as a copy of a template, unless it exists.
    pub async fn copy(&self, template: &Template) {
        let copy = async {
            match &self.home {
                Home::Server { url, name, .. } => {
                    let original = template.database_name();
                    // Copying files takes the server half the work of logging each of their blocks.
                    let copy = format!("CREATE DATABASE {name} TEMPLATE {original} STRATEGY FILE_COPY");
                    administer(url, &copy).await;
                }
                Home::Temporary(_) | Home::Kept(_) => {
                    std::fs::copy(file(template.folder()), self.path()).unwrap();
                }
            }
        };
        self.created.get_or_init(|| copy).await;
    }

    /// Connects as the server does.
    pub async fn connect(&self) -> Db {
        self.create().await;
        Db::connect(&self.url, &DbOptions::default()).await.unwrap()
    }

    /// Connects to a database with the newest schema.
    pub async fn migrated(&self) -> Db {
        self.migrated_with(&DbOptions::default()).await
    }

    pub async fn migrated_with(&self, options: &DbOptions) -> Db {
        if !self.created.initialized() {
            self.copy(&Template::migrated(self.backend).await).await;
        }
        let db = Db::connect(&self.url, options).await.unwrap();
        db.migrate().await.unwrap();
        db
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Home::Server { url, name, kept: false } = &self.home else {
            return;
        };
        if !self.created.initialized() {
            return;
        }
        let (url, sql) = (url.clone(), format!("DROP DATABASE {name} WITH (FORCE)"));
        // Dropping cannot wait for a future, a thread with a runtime of its own can.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(administer(&url, &sql));
        });
        if dropped.join().is_err() {
            eprintln!("the test database {name} was left behind");
        }
    }
}

/// The names of databases to copy begin with this.
pub const KEPT: &str = "bindery_template";

/// Ends with an id, which tells when the name was made.
fn new_name(beginning: &str) -> String {
    let id: Uuid = IdSource::new(Clock::system()).next();
    format!("{beginning}_{}", id.simple())
}

/// The server that tests use.
pub fn server() -> String {
    std::env::var(SERVER).unwrap_or_else(|_| {
        panic!(
            "{SERVER} is not set. Set it to the URL of a PostgreSQL server on which tests may create databases, run \
             scripts/test, which starts one, or leave these tests out with `cargo nextest run --profile sqlite`."
        )
    })
}

fn file(folder: &Path) -> PathBuf {
    folder.join("bindery.db")
}

fn sqlite_url(folder: &Path) -> String {
    format!("sqlite://{}", file(folder).display())
}

/// Runs a statement outside of any test's database.
pub async fn administer(server: &str, sql: &str) {
    let connection = administration(server).await;
    connection.execute_unprepared(sql).await.unwrap();
    connection.close().await.unwrap();
}

/// A connection to the server itself.
pub async fn administration(server: &str) -> DatabaseConnection {
    Database::connect(server).await.unwrap()
}

/// Declares each function, which takes a [`TestDatabase`], as one test for each kind of database.
macro_rules! on_each_database {
    ($($test:ident),+ $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    use crate::support::database::TestDatabase;
                    super::$test(TestDatabase::new(platform::db::Backend::Sqlite)).await;
                }
            )+
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    use crate::support::database::TestDatabase;
                    super::$test(TestDatabase::new(platform::db::Backend::Postgres)).await;
                }
            )+
        }
    };
}
pub(crate) use on_each_database;

/// Declares each function as one test, on SQLite: for tests of what happens before or after the database is asked.
macro_rules! on_one_database {
    ($($test:ident),+ $(,)?) => {
        mod any_database {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    use crate::support::database::TestDatabase;
                    super::$test(TestDatabase::new(platform::db::Backend::Sqlite)).await;
                }
            )+
        }
    };
}
pub(crate) use on_one_database;
