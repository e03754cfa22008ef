//! Whole rows that are read by position, on the paths where reading columns by their names takes too long.

use sea_orm::{DbErr, TryGetable, sea_query::ValueType};

/// The columns of a row that were not read yet, in the order in which a query selects them.
pub trait ReadColumns {
    fn read_column<T: TryGetable + ValueType>(&mut self) -> Result<T, DbErr>;
}

/// A whole row of an entity, whose columns are read in the order in which a query for whole rows selects them.
pub trait StoredRow: Sized {
    const COLUMNS: &'static [&'static str];

    fn read_from(columns: &mut impl ReadColumns) -> Result<Self, DbErr>;
}

/// Lists the columns of the entity of this file in their order.
#[macro_export]
macro_rules! stored_row {
    ($($column:ident,)+) => {
        impl $crate::stored_row::StoredRow for Model {
            const COLUMNS: &'static [&'static str] = &[$(stringify!($column)),+];

            fn read_from(columns: &mut impl $crate::stored_row::ReadColumns) -> Result<Self, sea_orm::DbErr> {
                Ok(Self { $($column: columns.read_column()?,)+ })
            }
        }
    };
}
