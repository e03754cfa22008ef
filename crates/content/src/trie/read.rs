//! Looking into a map.

use std::ops::ControlFlow;

use crate::objects::node::{Node, NodeLink, Trie, TrieEntry, has_prefix, nibble};
use crate::objects::{Hash, Missing, Object, Objects};

impl Trie {
    /// The object that the whole map hangs on.
    pub fn root(&self) -> Option<Hash> {
        self.root.map(|link| link.hash)
    }

    /// How many entries there are.
    pub fn len(&self) -> u32 {
        self.root.map_or(0, |link| link.count)
    }

    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    pub fn get(&self, objects: &Objects, key: &[u8]) -> Result<Option<Vec<u8>>, Missing> {
        let mut next = self.root;
        while let Some(link) = next {
            let object = objects.node(&link.hash)?;
            next = match &*object {
                Object::Node(Node::Branch(branch)) => {
                    let wanted = nibble(key, branch.prefix.len());
                    let child = branch.children.iter().find(|child| child.nibble == wanted);
                    child.map(|child| child.link)
                }
                Object::Node(Node::Leaf(entries)) => {
                    let found = entries.binary_search_by(|entry| entry.key.as_slice().cmp(key));
                    let found = found.ok().and_then(|at| entries.get(at));
                    return Ok(found.map(|entry| entry.value.clone()));
                }
                Object::Text(_) => None,
            };
        }
        Ok(None)
    }

    /// The entries whose keys begin with these bytes, in order.
    pub fn with_prefix(&self, objects: &Objects, prefix: &[u8]) -> Result<Vec<TrieEntry>, Missing> {
        let mut found = Vec::new();
        let wanted: Vec<u8> = (0..prefix.len() * 2).map(|at| nibble(prefix, at)).collect();
        let mut visit = |entry: &TrieEntry| {
            if has_prefix(&entry.key, &wanted) {
                found.push(entry.clone());
            }
            ControlFlow::Continue(())
        };
        walk(objects, self.root, &Reach::Prefix(&wanted), &mut visit).map(|_| found)
    }

    /// At most `limit` entries behind a key, in order.
    pub fn after(&self, objects: &Objects, key: Option<&[u8]>, limit: usize) -> Result<Vec<TrieEntry>, Missing> {
        let mut found = Vec::new();
        if limit == 0 {
            return Ok(found);
        }
        let mut visit = |entry: &TrieEntry| {
            if key.is_none_or(|key| entry.key.as_slice() > key) {
                found.push(entry.clone());
            }
            if found.len() < limit {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        walk(objects, self.root, &Reach::Behind(key), &mut visit).map(|_| found)
    }

    pub fn all(&self, objects: &Objects) -> Result<Vec<TrieEntry>, Missing> {
        self.with_prefix(objects, &[])
    }
}

impl Trie {
    /// Everything that the map is made of.
    pub fn nodes(&self, objects: &Objects) -> Result<Vec<Hash>, Missing> {
        let mut found = Vec::new();
        let mut next: Vec<Hash> = self.root().into_iter().collect();
        let mut outcome = Ok(());
        while let Some(hash) = next.pop() {
            match objects.node(&hash).as_deref() {
                Ok(Object::Node(node)) => next.extend(node.children()),
                Ok(Object::Text(_)) => {}
                Err(Missing) => outcome = Err(Missing),
            }
            found.push(hash);
        }
        outcome.map(|()| found)
    }
}

/// Which parts of a map are of interest.
pub(super) enum Reach<'k> {
    Prefix(&'k [u8]),
    Behind(Option<&'k [u8]>),
}

impl Reach<'_> {
    fn touches(&self, prefix: &[u8], next: u8) -> bool {
        match self {
            Self::Prefix(wanted) => {
                let below = prefix.iter().chain([&next]);
                wanted.iter().zip(below).all(|(wanted, is)| wanted == is)
            }
            Self::Behind(None) => true,
            Self::Behind(Some(key)) => {
                let below = prefix.iter().copied().chain([next]);
                let limit = (0..=prefix.len()).map(|at| nibble(key, at));
                below.ge(limit)
            }
        }
    }
}

/// Visits entries in order. What is missing on one side does not keep it from finding out what else is: all that a level
/// needs is loaded at once.
fn walk(
    objects: &Objects,
    link: Option<NodeLink>,
    reach: &Reach<'_>,
    visit: &mut impl FnMut(&TrieEntry) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Missing> {
    let Some(link) = link else {
        return Ok(ControlFlow::Continue(()));
    };
    match &*objects.node(&link.hash)? {
        Object::Node(Node::Leaf(entries)) => {
            for entry in entries {
                if visit(entry).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Object::Node(Node::Branch(branch)) => {
            let mut outcome = Ok(ControlFlow::Continue(()));
            for child in &branch.children {
                if !reach.touches(&branch.prefix, child.nibble) {
                    continue;
                }
                match walk(objects, Some(child.link), reach, visit) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => return outcome.map(|_: ControlFlow<()>| ControlFlow::Break(())),
                    Err(Missing) => outcome = Err(Missing),
                }
            }
            return outcome;
        }
        Object::Text(_) => {}
    }
    Ok(ControlFlow::Continue(()))
}
