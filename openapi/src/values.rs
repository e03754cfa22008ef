//! Values that the contract knows and Rust has no type for: three states, constants, instants.

use std::{collections::BTreeMap, fmt};

use chrono::{DateTime, SecondsFormat, Utc};
use ids::Id;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use validator::{AsRegex, Validate, ValidateLength, ValidateRange, ValidateRegex, ValidationErrors};

/// A member that may be left out, be `null`, or have a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Maybe<T> {
    #[default]
    Absent,
    Null,
    Value(T),
}

/// A member that is always there and may be `null`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nullable<T>(pub Option<T>);

/// The contents of a wrapper, for the rules that apply only to a value.
pub trait Inner {
    type Value;
    fn inner(&self) -> Option<&Self::Value>;
}

impl<T> Maybe<T> {
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// `None` to keep what is, `Some(None)` to remove it, `Some(Some(…))` to set it.
    pub fn into_change(self) -> Option<Option<T>> {
        match self {
            Self::Absent => None,
            Self::Null => Some(None),
            Self::Value(value) => Some(Some(value)),
        }
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        Self(value)
    }
}

impl<T> From<Option<T>> for Maybe<T> {
    /// A present member, `null` for `None`.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T> Inner for Maybe<T> {
    type Value = T;
    fn inner(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

impl<T> Inner for Nullable<T> {
    type Value = T;
    fn inner(&self) -> Option<&T> {
        self.0.as_ref()
    }
}

macro_rules! wrapper {
    ($wrapper:ident) => {
        impl<T: ValidateLength<u64>> ValidateLength<u64> for $wrapper<T> {
            fn length(&self) -> Option<u64> {
                self.inner()?.length()
            }
        }

        impl<T: ValidateRegex> ValidateRegex for $wrapper<T> {
            fn validate_regex(&self, regex: impl AsRegex) -> bool {
                self.inner().is_none_or(|value| value.validate_regex(regex))
            }
        }

        impl<N, T: ValidateRange<N>> ValidateRange<N> for $wrapper<T> {
            fn greater_than(&self, max: N) -> Option<bool> {
                self.inner()?.greater_than(max)
            }

            fn less_than(&self, min: N) -> Option<bool> {
                self.inner()?.less_than(min)
            }
        }

        impl<T: Validate> Validate for $wrapper<T> {
            fn validate(&self) -> Result<(), ValidationErrors> {
                self.inner().map_or(Ok(()), Validate::validate)
            }
        }

        impl<'de, T: Deserialize<'de>> Deserialize<'de> for $wrapper<T> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Option::deserialize(deserializer).map(Self::from)
            }
        }

        impl<T: Serialize> Serialize for $wrapper<T> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.inner().serialize(serializer)
            }
        }
    };
}

wrapper!(Maybe);
wrapper!(Nullable);

/// An instant, written in UTC with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(pub DateTime<Utc>);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(instant: DateTime<Utc>) -> Self {
        Self(instant)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parsed = DateTime::parse_from_rfc3339(&text).map_err(de::Error::custom)?;
        Ok(Self(parsed.with_timezone(&Utc)))
    }
}

macro_rules! constant {
    ($name:ident, $value:literal) => {
        #[doc = concat!("The only allowed value is `", stringify!($value), "`.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bool($value)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match bool::deserialize(deserializer)? {
                    $value => Ok(Self),
                    _ => Err(de::Error::custom(concat!("expected ", stringify!($value)))),
                }
            }
        }
    };
}

constant!(True, true);
constant!(False, false);

/// JSON knows one kind of number: `5.0` is an integer there.
pub(crate) fn integer<'de, D: Deserializer<'de>, T: TryFrom<i64>>(deserializer: D) -> Result<T, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    let whole = |float: f64| (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64);
    let integer = number.as_i64().or_else(|| number.as_f64().and_then(whole));
    integer
        .and_then(|value| T::try_from(value).ok())
        .ok_or_else(|| de::Error::custom("not an integer in range"))
}

/// The texts within a value: where a rule for the items of a list or the values of a map applies.
pub trait Texts {
    fn all(&self, rule: &dyn Fn(&str) -> bool) -> bool;
}

impl Texts for str {
    fn all(&self, rule: &dyn Fn(&str) -> bool) -> bool {
        rule(self)
    }
}

impl<T: Texts> Texts for [T] {
    fn all(&self, rule: &dyn Fn(&str) -> bool) -> bool {
        self.iter().all(|item| item.all(rule))
    }
}

impl Texts for String {
    fn all(&self, rule: &dyn Fn(&str) -> bool) -> bool {
        rule(self)
    }
}

impl<T: Texts> Texts for Vec<T> {
    fn all(&self, rule: &dyn Fn(&str) -> bool) -> bool {
        self.as_slice().all(rule)
    }
}

impl<T: Texts> Texts for BTreeMap<String, T> {
    fn all(&self, rule: &dyn Fn(&str) -> bool) -> bool {
        self.values().all(|value| value.all(rule))
    }
}

impl<T: Texts> Texts for Maybe<T> {
    fn all(&self, rule: &dyn Fn(&str) -> bool) -> bool {
        self.inner().is_none_or(|value| value.all(rule))
    }
}

impl<T: Texts> Texts for Nullable<T> {
    fn all(&self, rule: &dyn Fn(&str) -> bool) -> bool {
        self.inner().is_none_or(|value| value.all(rule))
    }
}

/// Ids in the shape of the texts `T` that name them.
pub trait FromTexts<T> {
    fn from_texts(texts: T) -> Self;
}

impl<I: Id> FromTexts<String> for I {
    fn from_texts(text: String) -> Self {
        Self::parse_or_nil(&text)
    }
}

impl<T, I: FromTexts<T>> FromTexts<Vec<T>> for Vec<I> {
    fn from_texts(texts: Vec<T>) -> Self {
        texts.into_iter().map(I::from_texts).collect()
    }
}

impl<T, I: FromTexts<T>> FromTexts<Maybe<T>> for Maybe<I> {
    fn from_texts(texts: Maybe<T>) -> Self {
        match texts {
            Maybe::Absent => Self::Absent,
            Maybe::Null => Self::Null,
            Maybe::Value(text) => Self::Value(I::from_texts(text)),
        }
    }
}

impl<T, I: FromTexts<T>> FromTexts<Nullable<T>> for Nullable<I> {
    fn from_texts(texts: Nullable<T>) -> Self {
        Self(texts.0.map(I::from_texts))
    }
}
