//! Filling an empty database with the rows of a backup: all of them, or nothing.

use anyhow::{Context, bail, ensure};
use migration::Migrator;
use sea_orm::{
    ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbErr, Statement, TransactionTrait,
    sea_query::InsertStatement,
};
use sea_orm_migration::MigratorTrait;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use super::connect::{self, Backend};
use super::migrate;

/// The references of PostgreSQL: their tables, names and definitions.
const REFERENCES: &str = "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid)
    FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace";

/// Continues the numbers of PostgreSQL after those of the rows.
const CONTINUE_NUMBERS: &str = "DO $$ DECLARE numbered record; BEGIN
    FOR numbered IN SELECT quote_ident(table_name) AS t, quote_ident(column_name) AS c FROM information_schema.columns
        WHERE table_schema = current_schema() AND (column_default LIKE 'nextval(%' OR is_identity = 'YES') LOOP
        EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L), coalesce(max(%s), 0) + 1, false) FROM %s',
            numbered.t, numbered.c, numbered.c, numbered.t);
    END LOOP; END $$";

/// A database that is filled in one transaction.
///
/// References are checked at the end: rows may come before those that they refer to.
pub struct Load {
    connection: DatabaseConnection,
    transaction: DatabaseTransaction,
    backend: Backend,
    references: Vec<[String; 3]>,
}

/// Fails unless this version knows all of the migrations, in their order.
pub fn check_migrations(applied: &[String]) -> anyhow::Result<()> {
    let known = Migrator::migrations();
    ensure!(!applied.is_empty(), "the backup has no tables");
    for (position, name) in applied.iter().enumerate() {
        if known.get(position).is_none_or(|step| step.name() != name) {
            bail!(
                "the backup was made by another version than {}, with the migration {}: restore it with that version or a later one",
                env!("CARGO_PKG_VERSION"),
                name.escape_debug()
            );
        }
    }
    Ok(())
}

/// The names of all migrations that this version applies.
pub fn migrations() -> Vec<String> {
    let known = Migrator::migrations();
    known.iter().map(|step| step.name().to_owned()).collect()
}

impl Load {
    /// Opens an empty database, and makes the schema after these migrations in it. A SQLite file is one that nobody else uses: until
    /// the commit, a failure leaves it unusable.
    pub async fn begin(url: &str, applied: &[String]) -> anyhow::Result<Self> {
        check_migrations(applied)?;
        let backend = Backend::of(url)?;
        let mut options = connect::pool(url, 1);
        options.map_sqlx_sqlite_opts(|options: SqliteConnectOptions| {
            options
                .create_if_missing(true)
                .foreign_keys(false)
                .journal_mode(SqliteJournalMode::Off)
                .synchronous(SqliteSynchronous::Off)
        });
        let connection = Database::connect(options).await?;
        let transaction = connection.begin().await?;
        if backend == Backend::Postgres {
            transaction.execute_unprepared(connect::WITHOUT_TIMEOUTS).await?;
            migrate::lock(&transaction).await?;
        }
        ensure!(migrate::is_new(&transaction).await?, "the database is not empty");
        Migrator::up(&transaction, Some(u32::try_from(applied.len())?)).await?;
        let mut load = Self {
            connection,
            transaction,
            backend,
            references: Vec::new(),
        };
        load.drop_references().await?;
        Ok(load)
    }

    pub async fn insert(&self, rows: &InsertStatement) -> Result<(), DbErr> {
        self.transaction.execute(rows).await.map(drop)
    }

    pub async fn execute(&self, sql: &str) -> Result<(), DbErr> {
        self.transaction.execute_unprepared(sql).await.map(drop)
    }

    /// Checks the references of the rows, and applies the later migrations.
    pub async fn complete(&self) -> anyhow::Result<()> {
        let context = "the backup has rows that refer to missing rows";
        match self.backend {
            Backend::Sqlite => {
                let broken = Statement::from_string(self.backend_name(), "PRAGMA foreign_key_check");
                ensure!(self.transaction.query_one_raw(broken).await?.is_none(), context);
            }
            Backend::Postgres => {
                for [table, name, definition] in &self.references {
                    let add = format!("ALTER TABLE {table} ADD CONSTRAINT {name} {definition}");
                    self.execute(&add).await.context(context)?;
                }
                self.execute(CONTINUE_NUMBERS).await?;
            }
        }
        Migrator::up(&self.transaction, None).await?;
        Ok(())
    }

    pub async fn commit(self) -> Result<(), DbErr> {
        self.transaction.commit().await?;
        self.connection.close().await
    }

    async fn drop_references(&mut self) -> Result<(), DbErr> {
        if self.backend == Backend::Sqlite {
            return Ok(());
        }
        let query = Statement::from_string(self.backend_name(), REFERENCES);
        for row in self.transaction.query_all_raw(query).await? {
            let (table, name, definition): (String, String, String) = row.try_get_many_by_index()?;
            self.execute(&format!("ALTER TABLE {table} DROP CONSTRAINT {name}"))
                .await?;
            self.references.push([table, name, definition]);
        }
        Ok(())
    }

    fn backend_name(&self) -> sea_orm::DbBackend {
        self.transaction.get_database_backend()
    }
}
