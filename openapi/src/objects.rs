//! Structs are read from JSON objects only.

use serde::{Deserializer, de::Visitor, forward_to_deserialize_any};

/// What serde derives for a struct reads it from an array too, member after member. The contract knows no such form.
pub struct OnlyObjects<D>(pub D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for OnlyObjects<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct enum identifier ignored_any
    }
}

/// For a struct that derives its reading and writing with `remote = "Self"`.
macro_rules! only_from_objects {
    ($name:ident) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $name::deserialize($crate::objects::OnlyObjects(deserializer))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $name::serialize(self, serializer)
            }
        }
    };
}
pub(crate) use only_from_objects;
