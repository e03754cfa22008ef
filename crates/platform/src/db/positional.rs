//! Rows that are read by position. Reading by name looks the name of each column up again in every row, and only rows of
//! the driver have names: on SQLite, these reads run on the thread that needs the rows.

use entity::stored_row::{ReadColumns, StoredRow};
use sea_orm::{
    ConnectionTrait, DbErr, EntityTrait, PartialModelTrait, PrimaryKeyTrait, QueryResult, QuerySelect, QueryTrait,
    Select, Statement, TryGetable,
    sea_query::{SelectStatement, ValueType},
};
use uuid::Uuid;

use super::{sqlite_value, template::QueryTemplate};

/// A connection that reads rows by position.
pub trait ReadRows: ConnectionTrait {
    /// Runs a query and decodes each of its rows.
    fn read_rows<R: Send>(
        &self,
        query: Statement,
        decode: impl Fn(&mut Columns<'_>) -> Result<R, DbErr> + Send + Sync,
    ) -> impl Future<Output = Result<Vec<R>, DbErr>> + Send;
}

/// Runs a query on a connection whose rows have names.
pub(super) async fn read_named_rows<R>(
    db: &impl ConnectionTrait,
    query: Statement,
    decode: impl Fn(&mut Columns<'_>) -> Result<R, DbErr>,
) -> Result<Vec<R>, DbErr> {
    let rows = db.query_all_raw(query).await?;
    rows.iter().map(|row| decode(&mut Columns::of(row))).collect()
}

/// The columns of a row that were not read yet, in the order in which the query selects them.
pub struct Columns<'a> {
    row: Row<'a>,
    position: usize,
}

enum Row<'a> {
    Named(&'a QueryResult),
    Sqlite(&'a rusqlite::Row<'a>),
}

impl<'a> Columns<'a> {
    pub fn of(row: &'a QueryResult) -> Self {
        Self {
            row: Row::Named(row),
            position: 0,
        }
    }

    pub(super) fn of_sqlite(row: &'a rusqlite::Row<'a>) -> Self {
        Self {
            row: Row::Sqlite(row),
            position: 0,
        }
    }

    /// Reads the next column, or the next several columns of a nested struct.
    #[inline]
    pub fn read<T: FromColumns>(&mut self) -> Result<T, DbErr> {
        T::from_columns(self)
    }

    /// Reads the columns of a whole row of an entity.
    pub fn read_model<M: StoredRow>(&mut self) -> Result<M, DbErr> {
        M::read_from(self)
    }
}

impl ReadColumns for Columns<'_> {
    #[inline]
    fn read_column<T: TryGetable + ValueType>(&mut self) -> Result<T, DbErr> {
        let position = self.position;
        self.position += 1;
        match &self.row {
            Row::Named(row) => row.try_get_by_index(position),
            Row::Sqlite(row) => {
                let value = row.get_ref(position).map_err(|error| DbErr::Type(error.to_string()))?;
                sqlite_value::decode(value)
            }
        }
    }
}

/// A value that is read from the next column, or a struct whose fields are read in their order.
pub trait FromColumns: Sized {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr>;
}

impl<T: TryGetable + ValueType> FromColumns for T {
    #[inline]
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        columns.read_column()
    }
}

/// A tuple whose fields are read in their order.
pub trait FromTuple: Sized + Send {
    fn from_tuple(columns: &mut Columns<'_>) -> Result<Self, DbErr>;
}

macro_rules! tuple {
    ($($field:ident),+) => {
        impl<$($field: FromColumns + Send),+> FromTuple for ($($field,)+) {
            fn from_tuple(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
                Ok(($(columns.read::<$field>()?,)+))
            }
        }
    };
}

tuple!(A);
tuple!(A, B);
tuple!(A, B, C);
tuple!(A, B, C, D);

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
pub async fn all<R: FromColumns + PartialModelTrait + Send, E: EntityTrait>(
    db: &impl ReadRows,
    query: Select<E>,
) -> Result<Vec<R>, DbErr> {
    let query = R::select_cols(query.select_only());
    rows(db, query.as_query()).await
}

/// Runs a query that selects the fields of `R` in their order.
pub async fn rows<R: FromColumns + Send>(db: &impl ReadRows, query: &SelectStatement) -> Result<Vec<R>, DbErr> {
    let query = db.get_database_backend().build(query);
    db.read_rows(query, |columns| columns.read()).await
}

/// Runs a query that selects the fields of `R` in their order and finds one row at most.
pub async fn row<R: FromColumns + Send>(db: &impl ReadRows, query: Statement) -> Result<Option<R>, DbErr> {
    let rows = db.read_rows(query, |columns| columns.read()).await?;
    Ok(rows.into_iter().next())
}

/// Finds one row of an entity at most.
pub async fn model<E>(db: &impl ReadRows, query: Select<E>) -> Result<Option<E::Model>, DbErr>
where
    E: EntityTrait,
    E::Model: StoredRow,
{
    let query = db.get_database_backend().build(query.limit(1).as_query());
    let rows = db.read_rows(query, |columns| columns.read_model()).await?;
    Ok(rows.into_iter().next())
}

/// Finds the row of an entity with this id. The template is of this query alone.
pub async fn by_id<E>(db: &impl ReadRows, template: &QueryTemplate<1>, id: Uuid) -> Result<Option<E::Model>, DbErr>
where
    E: EntityTrait,
    E::Model: StoredRow,
    <E::PrimaryKey as PrimaryKeyTrait>::ValueType: From<Uuid>,
{
    let query = |[id]: [Uuid; 1]| E::find_by_id(<E::PrimaryKey as PrimaryKeyTrait>::ValueType::from(id)).into_query();
    let query = template.statement(db.get_database_backend(), [id], query);
    let rows = db.read_rows(query, |columns| columns.read_model()).await?;
    Ok(rows.into_iter().next())
}

/// Runs a query that selects the fields of a tuple in their order.
pub async fn tuples<T: FromTuple>(db: &impl ReadRows, query: &SelectStatement) -> Result<Vec<T>, DbErr> {
    let query = db.get_database_backend().build(query);
    db.read_rows(query, T::from_tuple).await
}
