//! Values of columns of SQLite, decoded to the types of entities. Rows are decoded in the crates that read them: inlined there, of
//! all types only the wanted one is left.

use rusqlite::types::ValueRef;
use sea_orm::DbErr;
use sea_orm::sea_query::{ArrayType, Value, ValueType};
use uuid::Uuid;

/// Decodes a value of a column. SQLite has few types of values; `T` tells which one is meant.
#[inline]
pub(super) fn decode<T: ValueType>(value: ValueRef<'_>) -> Result<T, DbErr> {
    let typed = typed(&T::array_type(), value);
    typed.and_then(|value| T::try_from(value).ok()).ok_or_else(|| {
        let (found, wanted) = (value.data_type(), T::type_name());
        DbErr::Type(format!("a column holds {found}, which is no {wanted}"))
    })
}

/// Returns the value in the variant that `T` is converted from. `None`: it is of another type.
#[inline]
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
#[inline]
fn converted<T: TryFrom<i64>>(number: Option<i64>) -> Option<Option<T>> {
    number.map(T::try_from).transpose().ok()
}

#[inline]
fn integer(value: ValueRef<'_>) -> Option<Option<i64>> {
    match value {
        ValueRef::Integer(number) => Some(Some(number)),
        ValueRef::Null => Some(None),
        _ => None,
    }
}

#[inline]
fn real(value: ValueRef<'_>) -> Option<Option<f64>> {
    match value {
        ValueRef::Real(number) => Some(Some(number)),
        ValueRef::Null => Some(None),
        _ => None,
    }
}

#[inline]
fn text(value: ValueRef<'_>) -> Option<Option<&str>> {
    value.as_str_or_null().ok()
}

#[inline]
fn bytes(value: ValueRef<'_>) -> Option<Option<&[u8]>> {
    value.as_blob_or_null().ok()
}

#[cfg(test)]
mod tests {
    use entity::ids::UserId;
    use entity::library::nodes::DefaultLevel;
    use entity::timestamp::Timestamp;
    use sea_orm::prelude::Json;
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_decoded_to_the_types_of_columns() {
        let id = Uuid::from_u128(7);
        assert_eq!(decode(ValueRef::Blob(id.as_bytes())), Ok(UserId::from(id)));
        assert_eq!(decode(ValueRef::Integer(-5)), Ok(Timestamp::from_millis(-5)));
        assert_eq!(decode(ValueRef::Integer(1)), Ok(true));
        assert_eq!(decode(ValueRef::Integer(0)), Ok(Some(false)));
        assert_eq!(decode(ValueRef::Integer(70_000)), Ok(70_000_i32));
        assert_eq!(decode(ValueRef::Real(0.5)), Ok(0.5));
        assert_eq!(decode(ValueRef::Text("é".as_bytes())), Ok("é".to_owned()));
        assert_eq!(decode(ValueRef::Text(b"inherit")), Ok(DefaultLevel::Inherit));
        assert_eq!(decode(ValueRef::Blob(&[0, 255])), Ok(vec![0_u8, 255]));
        assert_eq!(decode::<Json>(ValueRef::Text(br#"{"a":[1]}"#)), Ok(json!({ "a": [1] })));
    }

    #[test]
    fn null_is_no_value_of_columns_that_have_one() {
        assert_eq!(decode(ValueRef::Null), Ok(None::<UserId>));
        assert_eq!(decode(ValueRef::Null), Ok(None::<DefaultLevel>));
        assert_eq!(decode(ValueRef::Null), Ok(None::<Json>));
        assert!(decode::<UserId>(ValueRef::Null).is_err());
        assert!(decode::<String>(ValueRef::Null).is_err());
    }

    #[test]
    fn damaged_values_are_errors() {
        assert!(decode::<UserId>(ValueRef::Blob(&[1])).is_err());
        assert!(decode::<i32>(ValueRef::Integer(i64::MAX)).is_err());
        assert!(decode::<i64>(ValueRef::Text(b"1")).is_err());
        assert!(decode::<String>(ValueRef::Text(&[255])).is_err());
        assert!(decode::<DefaultLevel>(ValueRef::Text(b"owner")).is_err());
        assert!(decode::<Option<Json>>(ValueRef::Text(b"{")).is_err());
    }
}
