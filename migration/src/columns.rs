//! Kinds of columns and constraints that many tables share.

use sea_orm_migration::{prelude::*, schema::*};

/// A point in time: Unix milliseconds.
pub fn time(name: &'static str) -> ColumnDef {
    big_integer(name)
}

pub fn time_null(name: &'static str) -> ColumnDef {
    big_integer_null(name)
}

/// A column that holds one of `values`, or null if `column` allows it.
pub fn one_of(mut column: ColumnDef, table: &str, values: &[&'static str]) -> ColumnDef {
    let name = column.get_column_name().to_owned();
    let condition = Expr::col(Alias::new(&name)).is_in(values.iter().copied());
    column.check(named(table, &name, "known", condition)).take()
}

/// A number of rows kept beside them.
pub fn counter(name: &'static str, table: &str) -> ColumnDef {
    integer(name)
        .check(named(table, name, "not_negative", Expr::col(name).gte(0)))
        .take()
}

/// A check whose name says table, column and rule: it is what a violation reports.
pub fn named(table: &str, column: &str, rule: &str, condition: Expr) -> Check {
    Check::named(Alias::new(format!("{table}_{column}_{rule}")), condition)
}

/// A reference that deletes this row along with the one it refers to.
pub fn cascading(
    from: &'static str,
    columns: &[&'static str],
    to: &'static str,
    referenced: &[&'static str],
) -> ForeignKeyCreateStatement {
    let mut key = ForeignKey::create();
    key.name(format!("fk_{from}_{to}")).on_delete(ForeignKeyAction::Cascade);
    for column in columns {
        key.from(from, *column);
    }
    for column in referenced {
        key.to(to, *column);
    }
    key
}

/// An index named after its table and columns.
pub fn index(table: &'static str, columns: &[&'static str]) -> IndexCreateStatement {
    let mut index = Index::create();
    index.name(format!("{table}_by_{}", columns.join("_"))).table(table);
    for column in columns {
        index.col(*column);
    }
    index
}
