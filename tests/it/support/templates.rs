//! Databases that are made once for each build of the tests, and that each test copies: a migrated one, and the one of
//! [`World`](super::world::World).
//!
//! Every test is a process of its own, so the templates lie in the target folder, and a file lock decides which process
//! makes one. Their names tell the build, so that no test copies a template of other migrations.

use std::{
    env,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use platform::db::Backend;
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use uuid::Uuid;

use super::database::{KEPT, TestDatabase, administration, server};

/// Templates of other builds are removed when they are older, together with their databases. A test that still needs one
/// makes it anew.
const KEPT_FOR: Duration = Duration::from_secs(60 * 60);

/// In the folder of a template on PostgreSQL: the name of its database.
const NAME: &str = "database";

pub struct Template {
    backend: Backend,
    folder: PathBuf,
}

impl Template {
    /// The newest schema, and no rows.
    pub async fn migrated(backend: Backend) -> Self {
        let make = async |database: TestDatabase, _: &Path| {
            let db = database.connect().await;
            db.migrate().await.unwrap();
            db.close().await.unwrap();
        };
        Self::of("migrated", backend, make).await
    }

    /// The template of that kind; `make` fills its database, closes it, and may put files into its folder.
    pub async fn of(kind: &str, backend: Backend, make: impl AsyncFnOnce(TestDatabase, &Path)) -> Self {
        let place = match backend {
            Backend::Sqlite => "sqlite".to_owned(),
            Backend::Postgres => format!("postgres-{:016x}", hash(server())),
        };
        let folder = root().join(format!("{:016x}-{kind}-{place}", build()));
        let template = Self { backend, folder };
        if !template.exists().await {
            let lock = lock(kind);
            if !template.exists().await {
                template.make(make).await;
            }
            lock.unlock().unwrap();
        }
        template
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of the database on PostgreSQL.
    pub fn database_name(&self) -> String {
        fs::read_to_string(self.folder.join(NAME)).unwrap()
    }

    /// A folder may outlive its database: that of a server that was thrown away.
    async fn exists(&self) -> bool {
        if !self.folder.exists() {
            return false;
        }
        if self.backend == Backend::Sqlite {
            return true;
        }
        let connection = administration(&server()).await;
        let found = kept_databases(&connection).await.contains(&self.database_name());
        connection.close().await.unwrap();
        found
    }

    /// A folder has its name when everything is in it.
    async fn make(&self, make: impl AsyncFnOnce(TestDatabase, &Path)) {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder).unwrap();
        }
        remove_old(self.backend).await;
        let folder = tempfile::tempdir_in(root()).unwrap();
        let database = TestDatabase::to_be_kept(self.backend, folder.path());
        if let Some(name) = database.name() {
            fs::write(folder.path().join(NAME), name).unwrap();
        }
        make(database, folder.path()).await;
        fs::rename(folder.keep(), &self.folder).unwrap();
    }
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("templates");
    fs::create_dir_all(&root).unwrap();
    root
}

/// Tells builds apart: cargo writes a new program when anything in it changes.
fn build() -> u64 {
    let program = env::current_exe().unwrap();
    let facts = fs::metadata(&program).unwrap();
    hash((program, facts.len(), facts.modified().unwrap()))
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Held until the file is closed.
fn lock(kind: &str) -> File {
    let file = File::create(root().with_file_name(format!("templates-{kind}.lock"))).unwrap();
    file.lock().unwrap();
    file
}

#[expect(
    clippy::disallowed_methods,
    reason = "the age of files follows the clock of the machine"
)]
async fn remove_old(backend: Backend) {
    let now = SystemTime::now();
    let is_old = |time: SystemTime| now.duration_since(time).is_ok_and(|age| age > KEPT_FOR);
    for entry in fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        // Another process may have renamed or removed it.
        let modified = fs::metadata(&path).and_then(|facts| facts.modified());
        if modified.is_ok_and(is_old) {
            fs::remove_dir_all(path).ok();
        }
    }
    if backend == Backend::Sqlite {
        return;
    }
    let connection = administration(&server()).await;
    for name in kept_databases(&connection).await {
        if made_at(&name).is_none_or(is_old) {
            let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            connection.execute_unprepared(&sql).await.unwrap();
        }
    }
    connection.close().await.unwrap();
}

async fn kept_databases(connection: &DatabaseConnection) -> Vec<String> {
    let sql = format!("SELECT datname::text FROM pg_database WHERE starts_with(datname::text, '{KEPT}_')");
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let rows = connection.query_all_raw(statement).await.unwrap();
    rows.iter().map(|row| row.try_get_by_index(0).unwrap()).collect()
}

/// The time in the id at the end of the name.
fn made_at(name: &str) -> Option<SystemTime> {
    let id: Uuid = name.rsplit('_').next()?.parse().ok()?;
    let (seconds, nanoseconds) = id.get_timestamp()?.to_unix();
    Some(SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds))
}
