//! Kinds of columns and constraints that many tables share.

use sea_orm_migration::{
    prelude::*,
    schema::*,
    sea_orm::{ConnectionTrait, DbBackend},
};

/// A point in time: Unix milliseconds.
pub fn time(name: &'static str) -> ColumnDef {
    big_integer(name)
}

pub fn time_null(name: &'static str) -> ColumnDef {
    big_integer_null(name)
}

const ORGANIZATION: &str = "organization_id";

/// Adds a column with the organization of the space of each row.
pub async fn add_organization_of_space(manager: &SchemaManager<'_>, table: &'static str) -> Result<(), DbErr> {
    // Neither database adds a column without a default to rows.
    let mut column = uuid(ORGANIZATION)
        .default("00000000-0000-0000-0000-000000000000")
        .take();
    let altered = Table::alter().table(table).add_column(&mut column).take();
    manager.alter_table(altered).await?;
    let fill = format!(
        "UPDATE {table} SET {ORGANIZATION} =
            (SELECT nodes.{ORGANIZATION} FROM nodes WHERE nodes.id = {table}.space_id)"
    );
    manager.get_connection().execute_unprepared(&fill).await?;
    Ok(())
}

pub async fn drop_organization_of_space(manager: &SchemaManager<'_>, table: &'static str) -> Result<(), DbErr> {
    let altered = Table::alter().table(table).drop_column(ORGANIZATION).take();
    manager.alter_table(altered).await
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

/// Adds a nullable column with the id of another row, which `to` names with what becomes of the reference: `users (id) ON DELETE
/// CASCADE`. The builder has no form of such a column that both databases accept.
pub async fn add_reference(manager: &SchemaManager<'_>, table: &str, column: &str, to: &str) -> Result<(), DbErr> {
    let kind = match manager.get_database_backend() {
        DbBackend::Sqlite => "uuid_text",
        _ => "uuid",
    };
    let statement = format!("ALTER TABLE {table} ADD COLUMN {column} {kind} REFERENCES {to}");
    manager.get_connection().execute_unprepared(&statement).await?;
    Ok(())
}

/// An index named after its table and columns.
pub fn index(table: &'static str, columns: &[&'static str]) -> IndexCreateStatement {
    let mut index = Index::create();
    index.name(index_name(table, columns)).table(table);
    for column in columns {
        index.col(*column);
    }
    index
}

/// An index of the rows for which a condition holds.
pub fn partial_index(
    name: &'static str,
    table: &'static str,
    columns: &[&'static str],
    condition: Expr,
) -> IndexCreateStatement {
    index(table, columns).name(name).and_where(condition).take()
}

pub fn drop_index(table: &'static str, columns: &[&'static str]) -> IndexDropStatement {
    Index::drop().name(index_name(table, columns)).table(table).to_owned()
}

fn index_name(table: &str, columns: &[&str]) -> String {
    format!("{table}_by_{}", columns.join("_"))
}
