//! Queries whose text is built once: building that of a large query takes as long as running it.

use std::array;
use std::sync::OnceLock;

use sea_orm::sea_query::{SelectStatement, Value, Values};
use sea_orm::{DbBackend, Statement};
use uuid::Uuid;

/// Stands for the first parameter while the text is built, its successors for the others. No row has such an id.
const FIRST_PARAMETER: u128 = 0x7061_7261_6d65_7465_7220_7061_7261_6d00;

/// A query that differs between executions by `N` ids only.
pub struct QueryTemplate<const N: usize> {
    sqlite: OnceLock<Template>,
    postgres: OnceLock<Template>,
}

struct Template {
    sql: String,
    values: Vec<Slot>,
}

enum Slot {
    Constant(Value),
    Parameter(usize),
}

impl<const N: usize> QueryTemplate<N> {
    pub const fn new() -> Self {
        Self {
            sqlite: OnceLock::new(),
            postgres: OnceLock::new(),
        }
    }

    /// Returns the query with these ids. `build` makes the query for other ids; it has to make the same one each time.
    pub fn statement(
        &self,
        db_backend: DbBackend,
        parameters: [Uuid; N],
        build: impl FnOnce([Uuid; N]) -> SelectStatement,
    ) -> Statement {
        let template = match db_backend {
            DbBackend::Sqlite => &self.sqlite,
            _ => &self.postgres,
        };
        let template = template.get_or_init(|| Template::new::<N>(db_backend, build));
        let values = template.values.iter().filter_map(|slot| match slot {
            Slot::Constant(value) => Some(value.clone()),
            Slot::Parameter(number) => parameters.get(*number).map(|id| Value::from(*id)),
        });
        Statement {
            sql: template.sql.clone(),
            values: Some(Values(values.collect())),
            db_backend,
        }
    }
}

impl<const N: usize> Default for QueryTemplate<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl Template {
    fn new<const N: usize>(backend: DbBackend, build: impl FnOnce([Uuid; N]) -> SelectStatement) -> Self {
        let parameters: [Uuid; N] = array::from_fn(|number| Uuid::from_u128(FIRST_PARAMETER + number as u128));
        let Statement { sql, values, .. } = backend.build(&build(parameters));
        let slot = |value| match value {
            Value::Uuid(Some(id)) => match parameters.iter().position(|parameter| *parameter == id) {
                Some(number) => Slot::Parameter(number),
                None => Slot::Constant(value),
            },
            value => Slot::Constant(value),
        };
        let values = values.map_or(Vec::new(), |values| values.0);
        Self {
            sql,
            values: values.into_iter().map(slot).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::sea_query::{Expr, ExprTrait, Query};

    use super::*;

    fn query([one, other]: [Uuid; 2]) -> SelectStatement {
        Query::select()
            .column("a")
            .from("t")
            .and_where(Expr::col("b").eq(other))
            .and_where(Expr::col("c").eq(7))
            .and_where(Expr::col("d").is_in([one, other]))
            .take()
    }

    #[test]
    fn a_template_gives_the_query_that_it_was_made_of() {
        let template = QueryTemplate::new();
        for backend in [DbBackend::Sqlite, DbBackend::Postgres] {
            for first in 1..4 {
                let ids = [Uuid::from_u128(first), Uuid::from_u128(first * 100)];
                assert_eq!(template.statement(backend, ids, query), backend.build(&query(ids)));
            }
        }
    }
}
