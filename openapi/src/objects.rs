//! Reading of objects, member by member. An array is no object, although what serde derives for a struct would take one.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Visitor},
    ser::SerializeSeq,
};

use crate::{
    rules::Text,
    values::{self, FromTexts, Texts},
};

/// An object that requests contain.
pub trait ReadObject: Sized {
    const NAME: &'static str;

    /// Reads the members; each function below is for one kind of member.
    fn read<'de, A: MapAccess<'de>>(members: A) -> Result<Self, A::Error>;
}

pub fn read<'de, T: ReadObject, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(ObjectVisitor(PhantomData))
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: ReadObject> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object ({})", T::NAME)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
        T::read(members)
    }
}

/// The name of a member, borrowed from the input if it stands there as it is.
pub struct Name<'de>(Cow<'de, str>);

impl Name<'_> {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0.into_owned()
    }
}

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor).map(Self)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }

    fn visit_string<E: Error>(self, name: String) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(name))
    }
}

pub fn next<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Option<Name<'de>>, A::Error> {
    members.next_key()
}

/// Reads a member into its place, once.
pub fn member<'de, A, T>(members: &mut A, name: &'static str, place: &mut Option<T>) -> Result<(), A::Error>
where
    A: MapAccess<'de>,
    T: Deserialize<'de>,
{
    if place.is_some() {
        return Err(A::Error::duplicate_field(name));
    }
    *place = Some(members.next_value()?);
    Ok(())
}

/// An integer, in any way in which JSON can write one.
pub fn integer<'de, A, T>(members: &mut A, name: &'static str, place: &mut Option<T>) -> Result<(), A::Error>
where
    A: MapAccess<'de>,
    T: TryFrom<i64>,
{
    let mut read: Option<Integer<T>> = None;
    if place.is_some() {
        return Err(A::Error::duplicate_field(name));
    }
    member(members, name, &mut read)?;
    *place = read.map(|integer| integer.0);
    Ok(())
}

/// Ids, of which every text keeps the rules. Ids that cannot be parsed match nothing.
pub fn ids<'de, A, T, I>(
    members: &mut A,
    name: &'static str,
    rules: &Text,
    place: &mut Option<I>,
) -> Result<(), A::Error>
where
    A: MapAccess<'de>,
    T: Deserialize<'de> + Texts,
    I: FromTexts<T>,
{
    let mut read: Option<T> = None;
    if place.is_some() {
        return Err(A::Error::duplicate_field(name));
    }
    member(members, name, &mut read)?;
    if read.iter().any(|texts| !texts.all(&|text| rules.accepts(text))) {
        return Err(A::Error::custom(format_args!("`{name}` breaks the rules of its texts")));
    }
    *place = read.map(I::from_texts);
    Ok(())
}

struct Integer<T>(T);

impl<'de, T: TryFrom<i64>> Deserialize<'de> for Integer<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        values::integer(deserializer).map(Self)
    }
}

/// Leaves a member out that the contract does not name.
pub fn skip<'de, A: MapAccess<'de>>(members: &mut A) -> Result<(), A::Error> {
    members.next_value::<serde::de::IgnoredAny>().map(drop)
}

pub fn required<T, E: Error>(read: Option<T>, name: &'static str) -> Result<T, E> {
    read.ok_or_else(|| E::missing_field(name))
}

pub fn unknown<E: Error>(name: &Name<'_>) -> E {
    E::custom(format_args!("unknown member `{}`", name.as_str()))
}

/// Writes a list that every answer has.
pub fn or_empty<T: Serialize, S: Serializer>(list: &Option<Vec<T>>, serializer: S) -> Result<S::Ok, S::Error> {
    match list {
        Some(list) => list.serialize(serializer),
        None => serializer.serialize_seq(Some(0))?.end(),
    }
}

/// A member of another form of the object.
pub fn excluded<E: Error>(name: &'static str) -> E {
    E::custom(format_args!("`{name}` belongs to another form of the object"))
}

/// Refuses more than one of the members that exclude each other.
pub fn at_most_one<E: Error>(present: &[bool]) -> Result<(), E> {
    if present.iter().filter(|present| **present).count() > 1 {
        return Err(E::custom("the object has members that exclude each other"));
    }
    Ok(())
}

/// Deserialisation of an object that requests contain.
macro_rules! object {
    ($name:ident) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::objects::read(deserializer)
            }
        }
    };
}
pub(crate) use object;
