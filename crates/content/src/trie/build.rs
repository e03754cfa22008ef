//! Making nodes from entries.

use crate::objects::node::{Branch, Child, MAX_LEAF_ENTRIES, Node, NodeLink, TrieEntry, common_prefix_length, nibble};
use crate::objects::{Object, Objects};

pub(super) fn put(objects: &Objects, node: Node) -> Option<NodeLink> {
    let count = match &node {
        Node::Leaf(entries) => u32::try_from(entries.len()).unwrap_or(u32::MAX),
        Node::Branch(branch) => branch.count(),
    };
    let hash = objects.put(Object::Node(node));
    (count > 0).then_some(NodeLink { hash, count })
}

/// The one form of these entries, which are in order.
pub(super) fn build(objects: &Objects, entries: Vec<TrieEntry>) -> Option<NodeLink> {
    if entries.len() <= MAX_LEAF_ENTRIES {
        return put(objects, Node::Leaf(entries));
    }
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
        return None;
    };
    // In a sorted list the first and the last differ first.
    let length = common_prefix_length(&first.key, &last.key);
    let prefix = prefix(&first.key, length);
    let mut groups: Vec<(u8, Vec<TrieEntry>)> = Vec::new();
    for entry in entries {
        let nibble = nibble(&entry.key, length);
        match groups.last_mut().filter(|(of, _)| *of == nibble) {
            Some((_, group)) => group.push(entry),
            None => groups.push((nibble, vec![entry])),
        }
    }
    let children = groups.into_iter();
    let children = children.filter_map(|(nibble, group)| {
        let link = build(objects, group)?;
        Some(Child { nibble, link })
    });
    let children = children.collect();
    put(objects, Node::Branch(Branch { prefix, children }))
}

/// The first half-bytes of a key.
pub(super) fn prefix(key: &[u8], length: usize) -> Vec<u8> {
    (0..length).map(|at| nibble(key, at)).collect()
}
