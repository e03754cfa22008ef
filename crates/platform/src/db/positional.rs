//! Rows of long lists, read by position. Reading by name looks the name of each column up again in every row.

use sea_orm::{
    ConnectionTrait, DbErr, EntityTrait, PartialModelTrait, QueryResult, QuerySelect, QueryTrait, Select, TryGetable,
    sea_query::SelectStatement,
};

/// The columns of a row that were not read yet, in the order in which the query selects them.
pub struct Columns<'a> {
    row: &'a QueryResult,
    position: usize,
}

impl<'a> Columns<'a> {
    pub fn of(row: &'a QueryResult) -> Self {
        Self { row, position: 0 }
    }

    /// Reads the next column, or the next several columns of a nested struct.
    pub fn read<T: FromColumns>(&mut self) -> Result<T, DbErr> {
        T::from_columns(self)
    }
}

/// A value that is read from the next column, or a struct whose fields are read in their order.
pub trait FromColumns: Sized {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr>;
}

impl<T: TryGetable> FromColumns for T {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        let value = columns.row.try_get_by_index(columns.position)?;
        columns.position += 1;
        Ok(value)
    }
}

/// Declares a struct of some columns of an entity: the fields, the columns that a query selects and the order in which
/// they are read are one list.
#[macro_export]
macro_rules! partial_row {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $row:ident {
            $($(#[$field_attribute:meta])* $field_visibility:vis $field:ident: $type:ty,)+
        }
    ) => {
        #[derive(sea_orm::DerivePartialModel)]
        $(#[$attribute])*
        $visibility struct $row {
            $($(#[$field_attribute])* $field_visibility $field: $type,)+
        }

        impl $crate::db::positional::FromColumns for $row {
            fn from_columns(columns: &mut $crate::db::positional::Columns<'_>) -> Result<Self, sea_orm::DbErr> {
                Ok(Self { $($field: columns.read()?,)+ })
            }
        }
    };
}

/// Declares a struct of computed columns: the fields, the names of the columns, the expressions that a query selects
/// for them and the order in which they are read are one list.
#[macro_export]
macro_rules! computed_row {
    (
        $(#[$attribute:meta])*
        struct $row:ident from $expressions:ident {
            $($(#[$field_attribute:meta])* $field:ident: $type:ty,)+
        }
    ) => {
        $(#[$attribute])*
        struct $row {
            $($(#[$field_attribute])* $field: $type,)+
        }

        impl $row {
            const COLUMNS: &[&str] = &[$(stringify!($field),)+];
        }

        struct $expressions {
            $($field: sea_orm::sea_query::Expr,)+
        }

        impl $expressions {
            fn select(self) -> sea_orm::sea_query::SelectStatement {
                let mut query = sea_orm::sea_query::Query::select();
                $(query.expr_as(self.$field, stringify!($field));)+
                query
            }
        }

        impl $crate::db::positional::FromColumns for $row {
            fn from_columns(columns: &mut $crate::db::positional::Columns<'_>) -> Result<Self, sea_orm::DbErr> {
                Ok(Self { $($field: columns.read()?,)+ })
            }
        }
    };
}

/// Runs a query and reads the columns of `R` from each row.
pub async fn all<R: FromColumns + PartialModelTrait, E: EntityTrait>(
    db: &impl ConnectionTrait,
    query: Select<E>,
) -> Result<Vec<R>, DbErr> {
    let query = R::select_cols(query.select_only());
    rows(db, query.as_query()).await
}

/// Runs a query that selects the fields of `R` in their order.
pub async fn rows<R: FromColumns>(db: &impl ConnectionTrait, query: &SelectStatement) -> Result<Vec<R>, DbErr> {
    let rows = db.query_all(query).await?;
    rows.iter().map(|row| Columns::of(row).read()).collect()
}
