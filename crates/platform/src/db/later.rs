//! Statements of a transaction on SQLite that run with the next one: handing a statement over to the thread of the
//! connection costs more than a small one itself, so statements without a result are handed over together.

use std::sync::{Mutex, MutexGuard, PoisonError};

use sea_orm::sea_query::Values;
use sea_orm::{DbBackend, Statement};

#[derive(Default)]
pub(super) struct Later(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    /// Begins the savepoint that the statements run in.
    savepoint: Option<&'static str>,
    statements: Vec<Statement>,
}

impl Later {
    /// Begins a savepoint before the next statement. If nothing has run since the last one was to begin, that one is used.
    pub(super) fn savepoint(&self, sql: &'static str) {
        self.queue().savepoint.get_or_insert(sql);
    }

    /// Queues a statement whose parameters are numbered by their order.
    pub(super) fn push(&self, statement: Statement) {
        self.queue().statements.push(statement);
    }

    /// Forgets the queued statements. Returns whether anything has run since the savepoint was to begin.
    pub(super) fn discard(&self) -> bool {
        let mut queue = self.queue();
        queue.statements.clear();
        queue.savepoint.is_none()
    }

    /// Takes the queued statements as one.
    pub(super) fn take(&self) -> Option<Statement> {
        let Queue { savepoint, statements } = std::mem::take(&mut *self.queue());
        let savepoint = savepoint.map(|sql| Statement::from_string(DbBackend::Sqlite, sql));
        savepoint.into_iter().chain(statements).reduce(joined)
    }

    /// Takes the queued statements if there are any besides the beginning of the savepoint.
    pub(super) fn take_statements(&self) -> Option<Statement> {
        let is_empty = self.queue().statements.is_empty();
        if is_empty { None } else { self.take() }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a statement may follow others in one text. A text that numbers its parameters may not, because its numbers
/// would count from the first statement; a text with the sign in a literal runs by itself, too.
pub(super) fn can_follow(statement: &Statement) -> bool {
    !statement.sql.contains('$')
}

pub(super) fn joined(first: Statement, second: Statement) -> Statement {
    let values = |statement: Option<Values>| statement.map_or(Vec::new(), |values| values.0);
    let mut all = values(first.values);
    all.extend(values(second.values));
    Statement {
        sql: format!("{}; {}", first.sql, second.sql),
        values: Some(Values(all)),
        db_backend: first.db_backend,
    }
}
