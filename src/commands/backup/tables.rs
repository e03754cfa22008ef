//! Tables in an archive, and their values: one form for both databases.

use anyhow::{Context, bail};
use backup::{Column, Kind, Table};
use base64::{Engine, engine::general_purpose::STANDARD};
use sea_orm::{
    ColumnType, DbErr, QueryResult, TryGetable,
    sea_query::{Alias, Order, Query, SelectStatement, Value},
};
use serde_json::Value as Json;
use uuid::Uuid;

/// The table of blobs, whose rows are in the order of their hashes, as the blobs themselves are.
pub const BLOBS: &str = "blobs";

/// Tables that a restored installation begins without.
pub const LEFT_OUT: [(&str, &str); 4] = [
    ("backups", "backups of the installation that the archive was made of"),
    (
        "dropped_blobs",
        "files that are still to be deleted from the old file store",
    ),
    ("pdf_exports", "PDFs, which are made again when somebody asks for them"),
    ("saml_requests", "sign-ins in progress"),
];

/// The tables of an archive, in an order in which each comes after those it refers to.
pub fn tables() -> anyhow::Result<Vec<Table>> {
    let kept = entity::tables().into_iter();
    let kept = kept.filter(|table| LEFT_OUT.iter().all(|(name, _)| *name != table.name));
    let table = |table: entity::Table| {
        let columns = table.columns.into_iter().map(|(name, of)| {
            Ok(Column {
                name: name.to_owned(),
                kind: kind(&of).with_context(|| format!("{}.{name} has a type that no backup holds", table.name))?,
            })
        });
        Ok(Table {
            name: table.name.to_owned(),
            columns: columns.collect::<anyhow::Result<_>>()?,
        })
    };
    kept.map(table).collect()
}

fn kind(column: &ColumnType) -> Option<Kind> {
    Some(match column {
        ColumnType::Uuid => Kind::Uuid,
        ColumnType::Char(_) | ColumnType::String(_) | ColumnType::Text => Kind::Text,
        ColumnType::Binary(_) | ColumnType::VarBinary(_) | ColumnType::Blob => Kind::Bytes,
        ColumnType::SmallInteger => Kind::Int16,
        ColumnType::Integer => Kind::Int32,
        ColumnType::BigInteger => Kind::Int64,
        ColumnType::Boolean => Kind::Boolean,
        ColumnType::Json | ColumnType::JsonBinary => Kind::Json,
        _ => return None,
    })
}

/// The query for all rows of a table.
pub fn select(table: &Table) -> SelectStatement {
    let mut query = Query::select();
    query
        .columns(table.columns.iter().map(|column| Alias::new(&column.name)))
        .from(Alias::new(&table.name));
    if table.name == BLOBS {
        query.order_by("hash", Order::Asc);
    }
    query
}

/// The values of a row as an archive holds them.
pub fn to_json(table: &Table, row: &QueryResult) -> Result<Vec<Json>, DbErr> {
    let values = table.columns.iter().enumerate();
    values.map(|(index, column)| cell(row, index, column.kind)).collect()
}

fn cell(row: &QueryResult, index: usize, kind: Kind) -> Result<Json, DbErr> {
    fn get<T: TryGetable>(row: &QueryResult, index: usize, json: impl FnOnce(T) -> Json) -> Result<Json, DbErr> {
        let value: Option<T> = row.try_get_by_index(index)?;
        Ok(value.map_or(Json::Null, json))
    }
    match kind {
        Kind::Uuid => get(row, index, |id: Uuid| id.to_string().into()),
        Kind::Text => get(row, index, Json::String),
        Kind::Bytes => get(row, index, |bytes: Vec<u8>| STANDARD.encode(bytes).into()),
        Kind::Int16 => get(row, index, |number: i16| number.into()),
        Kind::Int32 => get(row, index, |number: i32| number.into()),
        Kind::Int64 => get(row, index, |number: i64| number.into()),
        Kind::Boolean => get(row, index, Json::Bool),
        // Null is no value of a column of JSON: text would be.
        Kind::Json => get(row, index, |json: Json| Json::String(json.to_string())),
    }
}

/// The value of a column for the database.
pub fn to_value(kind: Kind, json: Json) -> anyhow::Result<Value> {
    let text = match json {
        Json::Null => return Ok(null(kind)),
        Json::Bool(value) if kind == Kind::Boolean => return Ok(value.into()),
        Json::Number(number) => return integer(kind, number.as_i64().context("a number is not an integer")?),
        Json::String(text) => text,
        _ => bail!("a value is of another type than its column"),
    };
    Ok(match kind {
        Kind::Uuid => text.parse::<Uuid>()?.into(),
        Kind::Text => text.into(),
        Kind::Bytes => STANDARD.decode(text)?.into(),
        Kind::Json => serde_json::from_str::<Json>(&text)?.into(),
        Kind::Int16 | Kind::Int32 | Kind::Int64 | Kind::Boolean => bail!("a value is of another type than its column"),
    })
}

fn integer(kind: Kind, number: i64) -> anyhow::Result<Value> {
    Ok(match kind {
        Kind::Int16 => i16::try_from(number)?.into(),
        Kind::Int32 => i32::try_from(number)?.into(),
        Kind::Int64 => number.into(),
        _ => bail!("a value is of another type than its column"),
    })
}

fn null(kind: Kind) -> Value {
    match kind {
        Kind::Uuid => Value::Uuid(None),
        Kind::Text => Value::String(None),
        Kind::Bytes => Value::Bytes(None),
        Kind::Int16 => Value::SmallInt(None),
        Kind::Int32 => Value::Int(None),
        Kind::Int64 => Value::BigInt(None),
        Kind::Boolean => Value::Bool(None),
        Kind::Json => Value::Json(None),
    }
}
