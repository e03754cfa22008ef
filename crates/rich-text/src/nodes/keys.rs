//! DocumentNode keys: derived from the content, so that equal Markdown gives equal keys, and inherited by nodes that an edit
//! leaves alone.

use openapi::error::ErrorRule;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use data_encoding::BASE32_NOPAD;
use openapi::models::{Document, DocumentBlock};
use sha2::{Digest as _, Sha256};

use super::{
    digest::{self, NodeHash, NodeHasher},
    node::{AsNode, ChildNode, DocumentNode, NodesMut, children_of},
};
use crate::{error::DocumentError, limits::DocumentLimits};

/// Sets the key of every node without one, block by block. A node with too many children is an error.
pub struct KeyAssigner {
    inherited: HashSet<String>,
    seen: SeenContents,
    limits: DocumentLimits,
    blocks: usize,
}

impl KeyAssigner {
    pub fn new(inherited: HashSet<String>, limits: DocumentLimits) -> Self {
        Self {
            inherited,
            seen: SeenContents::default(),
            limits,
            blocks: 0,
        }
    }

    /// Sets the keys of the next block of the document.
    pub fn assign(&mut self, block: &mut DocumentBlock) -> Result<(), DocumentError> {
        self.blocks += 1;
        if self.blocks > self.limits.children {
            return Err(self.too_many_children());
        }
        self.assign_siblings(Box::new(std::iter::once(block.as_node_mut())), &mut |_| {})
    }

    fn too_many_children(&self) -> DocumentError {
        let message = format!("A node has more than {} children.", self.limits.children);
        DocumentError::new("", ErrorRule::TooManyNodes, message)
    }

    /// Sets the keys of these nodes and gives their hashes to `sink`.
    fn assign_siblings(&mut self, nodes: NodesMut<'_>, sink: &mut dyn FnMut(&NodeHash)) -> Result<(), DocumentError> {
        let children = self.limits.children;
        for (at, node) in nodes.enumerate() {
            let limit = match node.name() {
                "code-line" => self.limits.max_code_lines(),
                _ => children,
            };
            if at >= limit || node.text().is_some_and(|text| text.leaves.len() > children) {
                return Err(self.too_many_children());
            }
            sink(&self.assign_node(node)?);
        }
        Ok(())
    }

    fn assign_node(&mut self, node: &mut dyn DocumentNode) -> Result<NodeHash, DocumentError> {
        let hash = match node.text() {
            Some(_) => digest::hash_text(node),
            None => {
                let mut hasher = NodeHasher::of(node);
                self.assign_siblings(node.children_mut(), &mut |child| hasher.add(child))?;
                hasher.finish()
            }
        };
        if node.key().is_none() {
            let key = self.unused_key(&hash);
            *node.key_mut() = Some(key);
        }
        Ok(hash)
    }

    /// Returns the next unused key for this content.
    fn unused_key(&mut self, hash: &NodeHash) -> String {
        let prefix = hash.first_chunk().map_or(0, |prefix| u64::from_be_bytes(*prefix));
        loop {
            let mut key = Sha256::new();
            key.update(hash);
            key.update(self.seen.count(prefix).to_be_bytes());
            let key: NodeHash = key.finalize().into();
            let key = BASE32_NOPAD
                .encode(key.get(..KEY_LENGTH).unwrap_or(&key))
                .to_lowercase();
            if !self.inherited.contains(&key) {
                return key;
            }
        }
    }
}

/// The contents of the nodes so far, by the beginnings of their hashes. Trees, because a table that grows takes three times the
/// memory for a moment. Most contents are there once.
#[derive(Default)]
struct SeenContents {
    all: BTreeSet<u64>,
    /// Number of nodes with the same content.
    repeated: BTreeMap<u64, u32>,
}

impl SeenContents {
    /// Counts a node, and returns the number of those with the same content before it.
    fn count(&mut self, content: u64) -> u32 {
        if self.all.insert(content) {
            return 0;
        }
        let count = self.repeated.entry(content).or_insert(1);
        *count += 1;
        *count - 1
    }
}

/// Key length in bytes: 80 bits are enough for the nodes of one document.
const KEY_LENGTH: usize = 10;

/// Copies the keys of matching nodes from the previous document. Returns the copied keys.
pub fn inherit_keys(document: &mut Document, previous: &Document) -> HashSet<String> {
    let mut inheritance = Inheritance::default();
    let mut blocks: Vec<&mut dyn DocumentNode> = Vec::new();
    blocks.extend(document.nodes.iter_mut().map(AsNode::as_node_mut));
    let previous: Vec<ChildNode<'_>> = children_of("nodes", &previous.nodes).collect();
    inheritance.match_siblings(&previous, blocks);
    inheritance.copied
}

#[derive(Default)]
struct Inheritance {
    copied: HashSet<String>,
}

impl Inheritance {
    /// Copies keys between two lists of siblings. Equal nodes keep the keys of their whole subtree, wherever they
    /// moved. Nodes of the same type between the same equal neighbours count as one edited node: the node keeps its
    /// key, and its children are matched the same way.
    fn match_siblings(&mut self, old: &[ChildNode<'_>], new: Vec<&mut dyn DocumentNode>) {
        let old_hashes: Vec<NodeHash> = old.iter().map(|child| digest::hash_node(child.node)).collect();
        let new_hashes: Vec<NodeHash> = new.iter().map(|node| digest::hash_node(&**node)).collect();
        let matches = match_equal(&old_hashes, &new_hashes);
        let mut gap = old.iter().enumerate().peekable();
        let equal: HashSet<usize> = matches.iter().flatten().copied().collect();
        for (node, matching) in new.into_iter().zip(&matches) {
            match matching {
                Some(at) => {
                    if let Some(child) = old.get(*at) {
                        self.copy_keys(child.node, node);
                    }
                    while gap.peek().is_some_and(|(index, _)| index <= at) {
                        gap.next();
                    }
                }
                None => {
                    let same = |(index, child): &(usize, &ChildNode<'_>)| {
                        !equal.contains(index) && child.node.name() == node.name()
                    };
                    if let Some((_, child)) = gap.next_if(same) {
                        self.copy_key(child.node, node);
                        if child.node.name() != "table" {
                            let old: Vec<ChildNode<'_>> = child.node.children().collect();
                            self.match_siblings(&old, node.children_mut().collect());
                        }
                    }
                }
            }
        }
    }

    fn copy_keys(&mut self, old: &dyn DocumentNode, new: &mut dyn DocumentNode) {
        self.copy_key(old, new);
        for (child, new_child) in old.children().zip(new.children_mut()) {
            if child.node.name() == new_child.name() {
                self.copy_keys(child.node, new_child);
            }
        }
    }

    fn copy_key(&mut self, old: &dyn DocumentNode, new: &mut dyn DocumentNode) {
        if let Some(key) = old.key()
            && self.copied.insert(key.clone())
        {
            *new.key_mut() = Some(key.clone());
        }
    }
}

/// Returns the index of the equal old hash for each new one: common prefix and suffix first, then each remaining hash
/// with the first unmatched equal one.
fn match_equal(old: &[NodeHash], new: &[NodeHash]) -> Vec<Option<usize>> {
    let begin = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (
        old.get(begin..).unwrap_or_default(),
        new.get(begin..).unwrap_or_default(),
    );
    let end = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let middle = old_rest.len() - end;
    let mut left: HashMap<&NodeHash, Vec<usize>> = HashMap::new();
    for (at, hash) in old_rest.iter().enumerate().take(middle).rev() {
        left.entry(hash).or_default().push(begin + at);
    }
    let changed = new_rest.len() - end;
    new.iter()
        .enumerate()
        .map(|(at, hash)| match at.checked_sub(begin) {
            None => Some(at),
            Some(rest) if rest < changed => left.get_mut(hash).and_then(Vec::pop),
            Some(rest) => Some(begin + middle + (rest - changed)),
        })
        .collect()
}
