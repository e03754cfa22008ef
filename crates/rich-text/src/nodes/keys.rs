//! Keys of nodes: made from what a node says, so that the same text gives the same keys, and kept where a block stays.

use std::collections::{HashMap, HashSet};

use data_encoding::BASE32_NOPAD;
use openapi::models::Document;
use sha2::{Digest as _, Sha256};

use super::{
    digest::{self, Hash},
    node::{AsNode, Child, Node},
};
use crate::{limits::Limits, refusal::Refusal};

/// Gives a key to every node that has none, and refuses a node with too many children.
pub fn assign(document: &mut Document, kept: &HashSet<String>, limits: &Limits) -> Result<(), Refusal> {
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
    /// How many nodes said the same so far.
    seen: HashMap<Hash, u32>,
    limits: &'a Limits,
}

impl Keys<'_> {
    fn all(&mut self, nodes: &mut [&mut dyn Node]) -> Result<Vec<Hash>, Refusal> {
        let most = self.limits.children;
        let leaves = |node: &dyn Node| node.text().map_or(0, |text| text.leaves.len());
        // Lines of code are many: the contract allows ten times as many of them.
        let lines = nodes.first().is_some_and(|node| node.name() == "code-line");
        if nodes.len() > if lines { most.saturating_mul(10) } else { most }
            || nodes.iter().any(|node| leaves(&**node) > most)
        {
            let message = format!("A node has more than {most} children.");
            return Err(Refusal::new("", "too-many-nodes", message));
        }
        nodes.iter_mut().map(|node| self.one(&mut **node)).collect()
    }

    fn one(&mut self, node: &mut dyn Node) -> Result<Hash, Refusal> {
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

    /// The next key for this content that is not taken.
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

/// 80 bits: enough for the nodes of one document.
const LENGTH: usize = 10;

/// Takes the keys of what stays over from an earlier state. Gives all that were taken.
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
    /// Equal nodes keep all their keys, wherever they went. Of the others, those of one type that stand between the same
    /// equal ones are taken for the same node, changed: it keeps its own key, and its children are compared likewise.
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

/// For each new hash the place of the same old one: first the common beginning and end, then each of the rest with the
/// first that is left.
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
