//! Steps that only make tables: each is the list of them.

/// The imports of a migration that only creates tables.
pub mod prelude {
    pub use sea_orm_migration::schema::*;

    pub(crate) use super::tables;
    pub use super::{NewTable, table};
    pub use crate::columns::{time, time_null};
}

use sea_orm_migration::prelude::*;

use crate::columns::{cascading, counter, index, one_of};

/// A table with its indexes.
pub struct NewTable {
    name: &'static str,
    table: TableCreateStatement,
    indexes: Vec<IndexCreateStatement>,
}

pub fn table(name: &'static str) -> NewTable {
    NewTable {
        name,
        table: Table::create().table(name).take(),
        indexes: Vec::new(),
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
}

/// Each after those that it refers to.
pub async fn create(tables: impl IntoIterator<Item = NewTable>, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for new in tables {
        manager.create_table(new.table).await?;
        for index in new.indexes {
            manager.create_index(index).await?;
        }
    }
    Ok(())
}

/// In the order in which they are created.
pub async fn drop<I>(tables: I, manager: &SchemaManager<'_>) -> Result<(), DbErr>
where
    I: IntoIterator<Item = NewTable, IntoIter: DoubleEndedIterator>,
{
    for table in tables.into_iter().rev() {
        manager.drop_table(Table::drop().table(table.name).take()).await?;
    }
    Ok(())
}

/// The step that makes these tables and nothing else, each told by a function, after those that it refers to.
macro_rules! tables {
    ($($table:ident),+ $(,)?) => {
        #[derive(sea_orm_migration::prelude::DeriveMigrationName)]
        pub struct Migration;

        #[sea_orm_migration::async_trait::async_trait]
        impl sea_orm_migration::MigrationTrait for Migration {
            async fn up(&self, manager: &sea_orm_migration::SchemaManager) -> Result<(), sea_orm_migration::DbErr> {
                $crate::tables::create([$($table()),+], manager).await
            }

            async fn down(&self, manager: &sea_orm_migration::SchemaManager) -> Result<(), sea_orm_migration::DbErr> {
                $crate::tables::drop([$($table()),+], manager).await
            }
        }
    };
}

pub(crate) use tables;
