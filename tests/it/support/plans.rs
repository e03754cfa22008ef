//! How the databases plan to run a query.

use platform::db::{Backend, Db};
use sea_orm::{ConnectionTrait, DbBackend, EntityTrait, QueryResult, QueryTrait, Select, Statement};

/// The statement that explains a query, and the column with the lines of the plan.
pub fn explained<E: EntityTrait>(db: &Db, query: &Select<E>) -> (Statement, &'static str) {
    explaining(db, query.build(db.read().get_database_backend()))
}

fn explaining(db: &Db, statement: Statement) -> (Statement, &'static str) {
    let (explain, column) = match db.backend() {
        Backend::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
        Backend::Postgres => ("EXPLAIN", "QUERY PLAN"),
    };
    let sql = format!("{explain} {}", statement.sql);
    (Statement { sql, ..statement }, column)
}

/// The plan of a query by a planner that has the choice of all indexes, however tiny the tables are.
pub async fn planned<E: EntityTrait>(db: &Db, query: &Select<E>) -> String {
    plan_of(db, query.build(db.read().get_database_backend())).await
}

/// The same of a statement.
pub async fn plan_of(db: &Db, statement: Statement) -> String {
    let (explain, column) = explaining(db, statement);
    let rows = db
        .write(move |tx| async move {
            if tx.get_database_backend() == DbBackend::Postgres {
                tx.execute_unprepared("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
                    .await?;
            }
            tx.query_all_raw(explain).await
        })
        .await
        .unwrap();
    lines(&rows, column)
}

pub fn lines(plan: &[QueryResult], column: &str) -> String {
    let lines = plan.iter().map(|row| row.try_get::<String>("", column).unwrap() + "\n");
    lines.collect()
}
