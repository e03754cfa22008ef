//! Strings with allowed values.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserializer,
    de::{Error, Visitor},
};

/// A string with allowed values.
pub trait Enumeration: Copy + 'static {
    const NAME: &'static str;

    /// Every value, in the order of the contract.
    const ALL: &'static [Self];

    fn as_str(self) -> &'static str;

    /// The value of a text; `None` if it is not allowed.
    fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.as_str() == text)
    }
}

pub fn read<'de, T: Enumeration, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_str(ValueVisitor(PhantomData))
}

struct ValueVisitor<T>(PhantomData<T>);

impl<T: Enumeration> Visitor<'_> for ValueVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of {}", T::NAME)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::from_text(text).ok_or_else(|| E::custom(format_args!("`{text}` is not a value of {}", T::NAME)))
    }
}

/// The values of an enumeration, and how they are written.
macro_rules! enumeration {
    ($name:ident: $($variant:ident = $text:literal),+) => {
        impl $crate::enums::Enumeration for $name {
            const NAME: &'static str = stringify!($name);

            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::enums::Enumeration::as_str(*self))
            }
        }
    };
}
pub(crate) use enumeration;

/// An enumeration with one value.
macro_rules! constant {
    ($(#[$doc:meta])* $name:ident: $variant:ident = $text:literal $(, $reading:ident)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub enum $name {
            #[default]
            $variant,
        }

        enumeration!($name: $variant = $text);
        $($reading!($name);)?
    };
}
pub(crate) use constant;

/// Deserialisation of an enumeration that requests contain.
macro_rules! enumeration_in_requests {
    ($name:ident) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::enums::read(deserializer)
            }
        }
    };
}
pub(crate) use enumeration_in_requests;
