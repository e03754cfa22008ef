//! Changing a map.

use std::collections::BTreeMap;

use super::build::{build, prefix, put};
use crate::objects::{
    Missing, Object, Objects,
    node::{
        Branch, Child, MAX_LEAF_ENTRIES, Node, NodeLink, Trie, TrieEntry, common_prefix_length, has_prefix, nibble,
    },
};

/// New values by key; `None` removes the key.
pub type Changes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

type Change<'c> = (&'c Vec<u8>, &'c Option<Vec<u8>>);

impl Trie {
    /// The map after these changes.
    pub fn changed(&self, objects: &Objects, changes: &Changes) -> Result<Self, Missing> {
        let changes: Vec<Change<'_>> = changes.iter().collect();
        let root = update(objects, self.root, &changes)?;
        Ok(Self { root })
    }
}

fn update(objects: &Objects, link: Option<NodeLink>, changes: &[Change<'_>]) -> Result<Option<NodeLink>, Missing> {
    let Some(link) = link else {
        return Ok(build(objects, inserted(changes)));
    };
    if changes.is_empty() {
        return Ok(Some(link));
    }
    match &*objects.node(&link.hash)? {
        Object::Node(Node::Leaf(entries)) => Ok(build(objects, merged(entries, changes))),
        Object::Node(Node::Branch(branch)) => in_branch(objects, branch, changes),
        Object::Text(_) => Ok(Some(link)),
    }
}

fn inserted(changes: &[Change<'_>]) -> Vec<TrieEntry> {
    let entries = changes.iter().filter_map(|(key, value)| {
        let value = (*value).clone()?;
        Some(TrieEntry {
            key: (*key).clone(),
            value,
        })
    });
    entries.collect()
}

/// The entries of a leaf after changes, in order.
fn merged(entries: &[TrieEntry], changes: &[Change<'_>]) -> Vec<TrieEntry> {
    let mut all: BTreeMap<&Vec<u8>, &Vec<u8>> = entries.iter().map(|entry| (&entry.key, &entry.value)).collect();
    for (key, value) in changes {
        match value {
            Some(value) => all.insert(key, value),
            None => all.remove(key),
        };
    }
    let all = all.into_iter().map(|(key, value)| TrieEntry {
        key: key.clone(),
        value: value.clone(),
    });
    all.collect()
}

fn in_branch(objects: &Objects, branch: &Branch, changes: &[Change<'_>]) -> Result<Option<NodeLink>, Missing> {
    let (inside, outside): (Vec<Change<'_>>, Vec<Change<'_>>) =
        changes.iter().partition(|(key, _)| has_prefix(key, &branch.prefix));
    let outside = inserted(&outside);
    let at = branch.prefix.len();
    let mut children: BTreeMap<u8, NodeLink> = branch.children.iter().map(|child| (child.nibble, child.link)).collect();
    let mut outcome = Ok(());
    for group in inside.chunk_by(|(one, _), (other, _)| nibble(one, at) == nibble(other, at)) {
        let Some((key, _)) = group.first() else { continue };
        let nibble = nibble(key, at);
        match update(objects, children.get(&nibble).copied(), group) {
            Ok(Some(link)) => drop(children.insert(nibble, link)),
            Ok(None) => drop(children.remove(&nibble)),
            Err(Missing) => outcome = Err(Missing),
        }
    }
    outcome?;
    let children: Vec<Child> = children
        .into_iter()
        .map(|(nibble, link)| Child { nibble, link })
        .collect();
    let link = closed(objects, branch.prefix.clone(), children)?;
    joined(objects, link, outside)
}

/// The one form of what is left of a branch.
fn closed(objects: &Objects, prefix: Vec<u8>, children: Vec<Child>) -> Result<Option<NodeLink>, Missing> {
    let branch = Branch { prefix, children };
    if branch.count() as usize <= MAX_LEAF_ENTRIES {
        let mut entries = Vec::new();
        let mut outcome = Ok(());
        for child in &branch.children {
            match (Trie { root: Some(child.link) }).all(objects) {
                Ok(all) => entries.extend(all),
                Err(Missing) => outcome = Err(Missing),
            }
        }
        outcome?;
        return Ok(build(objects, entries));
    }
    match branch.children.as_slice() {
        [only] => Ok(Some(only.link)),
        _ => Ok(put(objects, Node::Branch(branch))),
    }
}

/// A part of a map together with entries that are not below its prefix.
fn joined(objects: &Objects, link: Option<NodeLink>, entries: Vec<TrieEntry>) -> Result<Option<NodeLink>, Missing> {
    let Some(link) = link else {
        return Ok(build(objects, entries));
    };
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
        return Ok(Some(link));
    };
    let part = match &*objects.node(&link.hash)? {
        Object::Node(Node::Branch(branch)) => branch.prefix.clone(),
        Object::Node(Node::Leaf(_)) | Object::Text(_) => {
            let changes = entries
                .into_iter()
                .map(|entry| (entry.key, Some(entry.value)))
                .collect();
            return Ok(Trie { root: Some(link) }.changed(objects, &changes)?.root);
        }
    };
    let with_part = |key: &[u8]| {
        part.iter()
            .enumerate()
            .take_while(|(at, is)| nibble(key, *at) == **is)
            .count()
    };
    let length = common_prefix_length(&first.key, &last.key)
        .min(with_part(&first.key))
        .min(with_part(&last.key));
    let own = part.get(length).copied().unwrap_or(0);
    let shared = prefix(&first.key, length);
    let mut children = Vec::new();
    let mut own_group = Vec::new();
    let mut groups: BTreeMap<u8, Vec<TrieEntry>> = BTreeMap::new();
    for entry in entries {
        let nibble = nibble(&entry.key, length);
        if nibble == own {
            own_group.push(entry);
        } else {
            groups.entry(nibble).or_default().push(entry);
        }
    }
    if let Some(link) = joined(objects, Some(link), own_group)? {
        children.push(Child { nibble: own, link });
    }
    for (nibble, group) in groups {
        if let Some(link) = build(objects, group) {
            children.push(Child { nibble, link });
        }
    }
    children.sort_by_key(|child| child.nibble);
    closed(objects, shared, children)
}
