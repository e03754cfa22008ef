//! Node keys: derived from the content, so that equal Markdown gives equal keys, and inherited by nodes that an edit
//! leaves alone.

use std::collections::{HashMap, HashSet};

use data_encoding::BASE32_NOPAD;
use openapi::models::Document;
use sha2::{Digest as _, Sha256};

use super::{
    digest::{self, Hash},
    node::{AsNode, Child, Node},
};
use crate::{error::DocumentError, limits::Limits};

/// Sets the key of every node without one. A node with too many children is an error.
pub fn assign(document: &mut Document, kept: &HashSet<String>, limits: &Limits) -> Result<(), DocumentError> {
    let mut keys = Keys {
        kept,
        seen: HashMap::new(),
        limits,
    };
    let mut blocks: Vec<&mut dyn Node> = Vec::new();
    blocks.extend(document.nodes.iter_mut().map(AsNode::as_node_mut));
    keys.all(&mut blocks)?;
    Ok(())
}

struct Keys<'a> {
    kept: &'a HashSet<String>,
    /// Number of nodes with the same content so far.
    seen: HashMap<Hash, u32>,
    limits: &'a Limits,
}

impl Keys<'_> {
    fn all(&mut self, nodes: &mut [&mut dyn Node]) -> Result<Vec<Hash>, DocumentError> {
        let limit = self.limits.children;
        let leaves = |node: &dyn Node| node.text().map_or(0, |text| text.leaves.len());
        // The contract allows ten times as many children in code blocks: their lines.
        let lines = nodes.first().is_some_and(|node| node.name() == "code-line");
        if nodes.len() > if lines { limit.saturating_mul(10) } else { limit }
            || nodes.iter().any(|node| leaves(&**node) > limit)
        {
            let message = format!("A node has more than {limit} children.");
            return Err(DocumentError::new("", "too-many-nodes", message));
        }
        nodes.iter_mut().map(|node| self.one(&mut **node)).collect()
    }

    fn one(&mut self, node: &mut dyn Node) -> Result<Hash, DocumentError> {
        let children = self.all(&mut node.children_mut())?;
        let hash = match node.text() {
            Some(_) => digest::of_text(node),
            None => digest::hash(node.name(), &node.facts(), children.iter()),
        };
        if node.key().is_none() {
            let key = self.fresh(&hash);
            *node.key_mut() = Some(key);
        }
        Ok(hash)
    }

    /// Returns the next unused key for this content.
    fn fresh(&mut self, hash: &Hash) -> String {
        let seen = self.seen.entry(*hash).or_default();
        loop {
            let mut key = Sha256::new();
            key.update(hash);
            key.update(seen.to_be_bytes());
            *seen += 1;
            let key: Hash = key.finalize().into();
            let key = BASE32_NOPAD.encode(key.get(..LENGTH).unwrap_or(&key)).to_lowercase();
            if !self.kept.contains(&key) {
                return key;
            }
        }
    }
}

/// Key length in bytes: 80 bits are enough for the nodes of one document.
const LENGTH: usize = 10;

/// Copies the keys of matching nodes from the previous document. Returns the copied keys.
pub fn keep(document: &mut Document, previous: &Document) -> HashSet<String> {
    let mut kept = Kept::default();
    let mut blocks: Vec<&mut dyn Node> = Vec::new();
    blocks.extend(document.nodes.iter_mut().map(AsNode::as_node_mut));
    kept.lists(&digest::blocks(&previous.nodes), blocks);
    kept.taken
}

#[derive(Default)]
struct Kept {
    taken: HashSet<String>,
}

impl Kept {
    /// Copies keys between two lists of siblings. Equal nodes keep the keys of their whole subtree, wherever they
    /// moved. Nodes of the same type between the same equal neighbours count as one edited node: the node keeps its
    /// key, and its children are matched the same way.
    fn lists(&mut self, old: &[Child<'_>], new: Vec<&mut dyn Node>) {
        let old_hashes: Vec<Hash> = old.iter().map(|step| digest::of_node(step.node).hash).collect();
        let new_hashes: Vec<Hash> = new.iter().map(|node| digest::of_node(&**node).hash).collect();
        let partners = partners(&old_hashes, &new_hashes);
        let mut gap = old.iter().enumerate().peekable();
        let equal: HashSet<usize> = partners.iter().flatten().copied().collect();
        for (node, partner) in new.into_iter().zip(&partners) {
            match partner {
                Some(at) => {
                    if let Some(step) = old.get(*at) {
                        self.copy(step.node, node);
                    }
                    while gap.peek().is_some_and(|(index, _)| index <= at) {
                        gap.next();
                    }
                }
                None => {
                    let same =
                        |(index, step): &(usize, &Child<'_>)| !equal.contains(index) && step.node.name() == node.name();
                    if let Some((_, step)) = gap.next_if(same) {
                        self.take(step.node, node);
                        if step.node.name() != "table" {
                            self.lists(&step.node.children(), node.children_mut());
                        }
                    }
                }
            }
        }
    }

    fn copy(&mut self, old: &dyn Node, new: &mut dyn Node) {
        self.take(old, new);
        for (step, child) in old.children().iter().zip(new.children_mut()) {
            if step.node.name() == child.name() {
                self.copy(step.node, child);
            }
        }
    }

    fn take(&mut self, old: &dyn Node, new: &mut dyn Node) {
        if let Some(key) = old.key()
            && self.taken.insert(key.clone())
        {
            *new.key_mut() = Some(key.clone());
        }
    }
}

/// Returns the index of the equal old hash for each new one: common prefix and suffix first, then each remaining hash
/// with the first unmatched equal one.
fn partners(old: &[Hash], new: &[Hash]) -> Vec<Option<usize>> {
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
    let mut left: HashMap<&Hash, Vec<usize>> = HashMap::new();
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
