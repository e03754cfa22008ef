//! Maps with few members.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use validator::{Validate, ValidateLength, ValidationErrors};

use crate::values::Texts;

/// A map by name as a sorted list. A tree has room for eleven members from the first one on.
#[derive(Clone, Debug, PartialEq)]
pub struct SmallMap<T>(Vec<(String, T)>);

impl<T> Default for SmallMap<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> SmallMap<T> {
    pub fn get(&self, name: &str) -> Option<&T> {
        let found = self.0.binary_search_by(|(member, _)| member.as_str().cmp(name)).ok()?;
        self.0.get(found).map(|(_, value)| value)
    }

    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|(name, _)| name)
    }

    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Of members with the same name the last one counts.
impl<T> FromIterator<(String, T)> for SmallMap<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(members: I) -> Self {
        let mut members: Vec<(String, T)> = members.into_iter().collect();
        if !members.is_sorted_by(|(one, _), (other, _)| one < other) {
            // A stable sort, from the last member to the first: the last one of a name comes first.
            members.reverse();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            members.dedup_by(|(one, _), (other, _)| one == other);
        }
        members.shrink_to_fit();
        Self(members)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SmallMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(BTreeMap::<String, T>::deserialize(deserializer)?.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for SmallMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<T> ValidateLength<u64> for SmallMap<T> {
    fn length(&self) -> Option<u64> {
        u64::try_from(self.0.len()).ok()
    }
}

impl<T: Validate> Validate for SmallMap<T> {
    fn validate(&self) -> Result<(), ValidationErrors> {
        let values: Vec<&T> = self.values().collect();
        values.validate()
    }
}

impl<T: Texts> Texts for SmallMap<T> {
    fn all(&self, rule: &dyn Fn(&str) -> bool) -> bool {
        self.values().all(|value| value.all(rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_sorted_and_the_last_of_a_name_counts() {
        let members = [("b", 1), ("a", 2), ("b", 3), ("c", 4)];
        let map: SmallMap<u32> = members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        assert_eq!(map.get("b"), Some(&3));
        assert_eq!((map.get("a"), map.get("d")), (Some(&2), None));
        let json = serde_json::to_string(&map).unwrap();
        assert_eq!(json, r#"{"a":2,"b":3,"c":4}"#);
        assert_eq!(serde_json::from_str::<SmallMap<u32>>(&json).unwrap(), map);
        assert_eq!(map.length(), Some(3));
        assert!(SmallMap::<u32>::default().is_empty());
    }
}
