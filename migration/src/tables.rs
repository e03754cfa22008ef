//! Steps that make tables: each is the list of them.

/// The imports of a migration that creates tables.
pub mod prelude {
    pub use sea_orm_migration::schema::*;

    pub(crate) use super::tables;
    pub use super::{NewTable, table};
    pub use crate::columns::{time, time_null};
}

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DbBackend},
};

use crate::columns::{cascading, counter, index, one_of};

/// A table with its indexes.
pub struct NewTable {
    name: &'static str,
    table: TableCreateStatement,
    indexes: Vec<IndexCreateStatement>,
    referring: Vec<(&'static str, &'static str)>,
    statements: Vec<(Option<DbBackend>, &'static str)>,
}

pub fn table(name: &'static str) -> NewTable {
    NewTable {
        name,
        table: Table::create().table(name).take(),
        indexes: Vec::new(),
        referring: Vec::new(),
        statements: Vec::new(),
    }
}

impl NewTable {
    pub fn col(mut self, column: impl IntoColumnDef) -> Self {
        self.table.col(column);
        self
    }

    /// A column that holds one of `values`, or null if it allows that.
    pub fn one_of(self, column: ColumnDef, values: &[&'static str]) -> Self {
        let column = one_of(column, self.name, values);
        self.col(column)
    }

    /// A number of rows kept beside them.
    pub fn counter(self, name: &'static str) -> Self {
        let column = counter(name, self.name);
        self.col(column)
    }

    pub fn primary_key(mut self, columns: &[&'static str]) -> Self {
        let mut key = Index::create();
        for column in columns {
            key.col(*column);
        }
        self.table.primary_key(&mut key);
        self
    }

    pub fn foreign_key(mut self, key: &mut ForeignKeyCreateStatement) -> Self {
        self.table.foreign_key(key);
        self
    }

    /// A reference that deletes this row along with the one it refers to.
    pub fn cascading(self, columns: &[&'static str], to: &'static str, referenced: &[&'static str]) -> Self {
        let mut key = cascading(self.name, columns, to, referenced);
        self.foreign_key(&mut key)
    }

    /// A reference that keeps the row it refers to from being deleted.
    pub fn restricting(self, column: &'static str, to: &'static str, referenced: &'static str) -> Self {
        let mut key = ForeignKey::create();
        // A table may refer to another one by several columns.
        key.name(format!("fk_{}_{column}", self.name))
            .from(self.name, column)
            .to(to, referenced);
        self.foreign_key(&mut key)
    }

    /// Adds an indexed column to a table of an earlier step: the nullable id of a row of this table, which is deleted along with it.
    pub fn referred_by(mut self, table: &'static str, column: &'static str) -> Self {
        self.referring.push((table, column));
        self
    }

    /// Made with the table, for references from the table itself.
    pub fn unique_key(mut self, columns: &[&'static str]) -> Self {
        let mut key = index(self.name, columns).unique().take();
        self.table.index(&mut key);
        self
    }

    pub fn unique_index(mut self, columns: &[&'static str]) -> Self {
        self.indexes.push(index(self.name, columns).unique().take());
        self
    }

    pub fn index(mut self, columns: &[&'static str]) -> Self {
        self.indexes.push(index(self.name, columns));
        self
    }

    /// An index of the rows for which a condition holds.
    pub fn partial_index(mut self, name: &'static str, columns: &[&'static str], condition: &'static str) -> Self {
        let mut index = index(self.name, columns);
        index.name(name).and_where(Expr::cust(condition));
        self.indexes.push(index);
        self
    }

    /// A statement after the table is made, for what the builder cannot say.
    pub fn sql(mut self, statement: &'static str) -> Self {
        self.statements.push((None, statement));
        self
    }

    /// Statements after the table is made, on one of the databases.
    pub fn sql_on(mut self, backend: DbBackend, statements: &[&'static str]) -> Self {
        let statements = statements.iter().map(|statement| (Some(backend), *statement));
        self.statements.extend(statements);
        self
    }

    async fn create(self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        manager.create_table(self.table).await?;
        for (table, column) in self.referring {
            // The builder has no form of such a column that both databases accept.
            let kind = match backend {
                DbBackend::Sqlite => "uuid_text",
                _ => "uuid",
            };
            let add = format!(
                "ALTER TABLE {table} ADD COLUMN {column} {kind} REFERENCES {} (id) ON DELETE CASCADE",
                self.name
            );
            db.execute_unprepared(&add).await?;
            manager.create_index(index(table, &[column])).await?;
        }
        for index in self.indexes {
            manager.create_index(index).await?;
        }
        for (only, statement) in self.statements {
            if only.is_none_or(|only| only == backend) {
                db.execute_unprepared(statement).await?;
            }
        }
        Ok(())
    }
}

/// Each after those that it refers to.
pub async fn create(tables: impl IntoIterator<Item = NewTable>, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for table in tables {
        table.create(manager).await?;
    }
    Ok(())
}

/// The step that makes these tables, each declared by a function and after those that it refers to. The step is named after its file.
macro_rules! tables {
    ($($table:ident),+ $(,)?) => {
        #[derive(sea_orm_migration::prelude::DeriveMigrationName)]
        pub struct Migration;

        #[sea_orm_migration::async_trait::async_trait]
        impl sea_orm_migration::MigrationTrait for Migration {
            async fn up(&self, manager: &sea_orm_migration::SchemaManager) -> Result<(), sea_orm_migration::DbErr> {
                $crate::tables::create([$($table()),+], manager).await
            }
        }
    };
}

pub(crate) use tables;
