//! How the databases plan to run a query.

use platform::db::{Backend, Db};
use sea_orm::{ConnectionTrait, EntityTrait, QueryResult, QueryTrait, Select, Statement};

/// The statement that explains a query, and the column with the lines of the plan.
pub fn explained<E: EntityTrait>(db: &Db, query: &Select<E>) -> (Statement, &'static str) {
    let statement = query.build(db.read().get_database_backend());
    let (explain, column) = match db.backend() {
        Backend::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
        Backend::Postgres => ("EXPLAIN", "QUERY PLAN"),
    };
    let sql = format!("{explain} {}", statement.sql);
    (Statement { sql, ..statement }, column)
}

pub fn lines(plan: &[QueryResult], column: &str) -> String {
    let lines = plan.iter().map(|row| row.try_get::<String>("", column).unwrap() + "\n");
    lines.collect()
}
