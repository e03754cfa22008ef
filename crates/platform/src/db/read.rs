//! The connection for queries outside a transaction.

use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement, StreamTrait};

use super::local_reads::LocalReads;
use super::page_bytes::PageBytes;
use super::positional::{Columns, ReadRows, read_named_rows};
use super::postgres::Postgres;
use super::sqlite::Readers;

/// Runs any query; on SQLite it refuses to write.
pub struct Reads(pub(super) ReadPool);

pub(super) enum ReadPool {
    Sqlite {
        local: Box<LocalReads>,
        /// For rows whose columns are read by name.
        readers: Box<Readers>,
    },
    Postgres(Postgres),
}

impl Reads {
    pub(super) async fn ping(&self) -> Result<(), DbErr> {
        match &self.0 {
            ReadPool::Sqlite { readers, .. } => readers.ping().await,
            ReadPool::Postgres(postgres) => postgres.outage.retry(|| postgres.pool.ping()).await,
        }
    }

    pub(super) async fn close(&self) -> Result<(), DbErr> {
        match &self.0 {
            ReadPool::Sqlite { local, readers } => {
                local.close();
                readers.close().await
            }
            ReadPool::Postgres(postgres) => postgres.pool.close_by_ref().await,
        }
    }
}

impl ReadRows for Reads {
    async fn read_rows<R: Send>(
        &self,
        query: Statement,
        decode: impl Fn(&mut Columns<'_>) -> Result<R, DbErr> + Send + Sync,
    ) -> Result<Vec<R>, DbErr> {
        match &self.0 {
            ReadPool::Sqlite { local, .. } => local.rows(&query, |row| decode(&mut Columns::of_sqlite(row))),
            ReadPool::Postgres(_) => read_named_rows(self, query, decode).await,
        }
    }
}

#[async_trait]
impl ConnectionTrait for Reads {
    fn get_database_backend(&self) -> DbBackend {
        match &self.0 {
            ReadPool::Sqlite { readers, .. } => readers.get_database_backend(),
            ReadPool::Postgres(postgres) => postgres.pool.get_database_backend(),
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match &self.0 {
            ReadPool::Sqlite { readers, .. } => readers.execute_raw(statement).await,
            ReadPool::Postgres(postgres) => {
                let outage = &postgres.outage;
                outage.retry(|| postgres.pool.execute_raw(statement.clone())).await
            }
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match &self.0 {
            ReadPool::Sqlite { readers, .. } => readers.execute_unprepared(sql).await,
            ReadPool::Postgres(postgres) => postgres.outage.retry(|| postgres.pool.execute_unprepared(sql)).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match &self.0 {
            ReadPool::Sqlite { readers, .. } => readers.query_one_raw(statement).await,
            ReadPool::Postgres(postgres) => {
                let outage = &postgres.outage;
                outage.retry(|| postgres.pool.query_one_raw(statement.clone())).await
            }
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match &self.0 {
            ReadPool::Sqlite { readers, .. } => readers.query_all_raw(statement).await,
            ReadPool::Postgres(Postgres { pool, outage, .. }) => match PageBytes::begin() {
                None => outage.retry(|| pool.query_all_raw(statement.clone())).await,
                Some(page) => {
                    let read = async || page.read(pool.stream_raw(statement.clone()).await?).await;
                    let (rows, _) = outage.retry(read).await?;
                    Ok(rows)
                }
            },
        }
    }
}
