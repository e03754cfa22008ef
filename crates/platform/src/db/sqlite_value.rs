//! Values of columns of SQLite, decoded to the types of entities.

use rusqlite::types::ValueRef;
use sea_orm::DbErr;
use sea_orm::sea_query::{ArrayType, Value, ValueType};
use uuid::Uuid;

/// Decodes a value of a column. SQLite has few types of values; `T` tells which one is meant.
pub(super) fn decode<T: ValueType>(value: ValueRef<'_>) -> Result<T, DbErr> {
    let typed = typed(&T::array_type(), value);
    typed.and_then(|value| T::try_from(value).ok()).ok_or_else(|| {
        let (found, wanted) = (value.data_type(), T::type_name());
        DbErr::Type(format!("a column holds {found}, which is no {wanted}"))
    })
}

/// Returns the value in the variant that `T` is converted from. `None`: it is of another type.
fn typed(wanted: &ArrayType, value: ValueRef<'_>) -> Option<Value> {
    Some(match wanted {
        ArrayType::Bool => Value::Bool(integer(value)?.map(|number| number != 0)),
        ArrayType::SmallInt => Value::SmallInt(converted(integer(value)?)?),
        ArrayType::Int => Value::Int(converted(integer(value)?)?),
        ArrayType::BigInt => Value::BigInt(integer(value)?),
        ArrayType::Float => Value::Float(real(value)?.map(|number| number as f32)),
        ArrayType::Double => Value::Double(real(value)?),
        ArrayType::String => Value::String(text(value)?.map(str::to_owned)),
        ArrayType::Bytes => Value::Bytes(bytes(value)?.map(<[u8]>::to_vec)),
        ArrayType::Uuid => Value::Uuid(match bytes(value)? {
            Some(bytes) => Some(Uuid::from_slice(bytes).ok()?),
            None => None,
        }),
        ArrayType::Json => Value::Json(match text(value)? {
            Some(text) => Some(serde_json::from_str(text).ok()?),
            None => None,
        }),
        _ => return None,
    })
}

/// `None`: the value does not fit.
fn converted<T: TryFrom<i64>>(number: Option<i64>) -> Option<Option<T>> {
    number.map(T::try_from).transpose().ok()
}

fn integer(value: ValueRef<'_>) -> Option<Option<i64>> {
    match value {
        ValueRef::Integer(number) => Some(Some(number)),
        ValueRef::Null => Some(None),
        _ => None,
    }
}

fn real(value: ValueRef<'_>) -> Option<Option<f64>> {
    match value {
        ValueRef::Real(number) => Some(Some(number)),
        ValueRef::Null => Some(None),
        _ => None,
    }
}

fn text(value: ValueRef<'_>) -> Option<Option<&str>> {
    value.as_str_or_null().ok()
}

fn bytes(value: ValueRef<'_>) -> Option<Option<&[u8]>> {
    value.as_blob_or_null().ok()
}
