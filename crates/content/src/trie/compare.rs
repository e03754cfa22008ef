//! Comparison of two maps.

use std::collections::BTreeMap;

use crate::objects::node::{Branch, Node, NodeLink, Trie, TrieEntry};
use crate::objects::{Missing, Object, Objects};

/// One key with different values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub key: Vec<u8>,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

impl Trie {
    /// The differences that lead from this map to the other, in the order of their keys. Takes time in proportion to
    /// what differs.
    pub fn differences(&self, objects: &Objects, other: &Self) -> Result<Vec<Difference>, Missing> {
        let mut found = Vec::new();
        compare(objects, self.root, other.root, &mut found)?;
        Ok(found)
    }
}

fn compare(
    objects: &Objects,
    before: Option<NodeLink>,
    after: Option<NodeLink>,
    found: &mut Vec<Difference>,
) -> Result<(), Missing> {
    if before == after {
        return Ok(());
    }
    if let (Some(one), Some(other)) = (before, after) {
        let (one, other) = (objects.node(&one.hash), objects.node(&other.hash));
        let (one, other) = (one?, other?);
        if let (Object::Node(Node::Branch(one)), Object::Node(Node::Branch(other))) = (&*one, &*other) {
            return branches(objects, (one, before), (other, after), found);
        }
    }
    // A leaf is small: what stands against it is mostly different.
    let (one, other) = (entries(objects, before), entries(objects, after));
    lists(one?, other?, found);
    Ok(())
}

fn entries(objects: &Objects, link: Option<NodeLink>) -> Result<Vec<TrieEntry>, Missing> {
    Trie { root: link }.all(objects)
}

/// The value of a key before and after.
type Values = (Option<Vec<u8>>, Option<Vec<u8>>);

fn lists(before: Vec<TrieEntry>, after: Vec<TrieEntry>, found: &mut Vec<Difference>) {
    let mut both: BTreeMap<Vec<u8>, Values> = BTreeMap::new();
    for entry in before {
        both.entry(entry.key).or_default().0 = Some(entry.value);
    }
    for entry in after {
        both.entry(entry.key).or_default().1 = Some(entry.value);
    }
    for (key, (before, after)) in both {
        if before != after {
            found.push(Difference { key, before, after });
        }
    }
}

/// A branch with the link that leads to it.
type Linked<'b> = (&'b Branch, Option<NodeLink>);

fn branches(
    objects: &Objects,
    before: Linked<'_>,
    after: Linked<'_>,
    found: &mut Vec<Difference>,
) -> Result<(), Missing> {
    let (one, other) = (&before.0.prefix, &after.0.prefix);
    let shared = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let parts = |side: Linked<'_>| -> BTreeMap<u8, NodeLink> {
        if side.0.prefix.len() > shared {
            // All of it lies below one child of the other, or below none.
            let nibble = side.0.prefix.get(shared).copied().unwrap_or(0);
            side.1.map(|link| (nibble, link)).into_iter().collect()
        } else {
            side.0.children.iter().map(|child| (child.nibble, child.link)).collect()
        }
    };
    let (before, after) = (parts(before), parts(after));
    let mut outcome = Ok(());
    let mut nibbles: Vec<u8> = before.keys().chain(after.keys()).copied().collect();
    nibbles.sort_unstable();
    nibbles.dedup();
    for nibble in nibbles {
        if compare(
            objects,
            before.get(&nibble).copied(),
            after.get(&nibble).copied(),
            found,
        )
        .is_err()
        {
            outcome = Err(Missing);
        }
    }
    outcome
}
