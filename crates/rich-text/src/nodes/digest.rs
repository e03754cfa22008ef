//! Digests for comparing nodes. Keys, explicit defaults, empty members and the division of text into leaves make no
//! difference.

use openapi::models::{Document, DocumentBlock, TextLeaf};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{
    marks::MarkSet,
    node::{ChildNode, DocumentNode, children_of},
};

pub type NodeHash = [u8; 32];

/// The hash of a node and the digests of its children, where adjacent text nodes are one child.
pub struct NodeDigest {
    pub hash: NodeHash,
    children: Vec<(String, NodeDigest)>,
}

pub fn digest_document(document: &Document) -> NodeDigest {
    digest_children("document", &Value::Null, &block_children(&document.nodes))
}

pub fn digest_node(node: &dyn DocumentNode) -> NodeDigest {
    digest_children(node.name(), &node.data(), &node.children())
}

/// Returns the blocks as the children of a document.
pub fn block_children(blocks: &[DocumentBlock]) -> Vec<ChildNode<'_>> {
    children_of("nodes", blocks).collect()
}

impl NodeDigest {
    /// Returns the JSON pointer of the first difference; `None` if the digests are equal.
    pub fn first_difference(&self, other: &Self) -> Option<String> {
        if self.hash == other.hash {
            return None;
        }
        let mut pairs = self.children.iter().zip(&other.children);
        let deeper = pairs.find_map(|((pointer, mine), (_, theirs))| {
            let rest = mine.first_difference(theirs)?;
            Some(format!("/{pointer}{rest}"))
        });
        let more = || {
            self.children
                .get(other.children.len())
                .map(|(pointer, _)| format!("/{pointer}"))
        };
        Some(deeper.or_else(more).unwrap_or_default())
    }
}

fn digest_children(name: &str, data: &Value, children: &[ChildNode<'_>]) -> NodeDigest {
    let mut digests = Vec::new();
    let mut run = TextRun::default();
    for step in children {
        let pointer = format!("{}/{}", step.member, step.index);
        match step.node.text() {
            Some(text) => {
                for leaf in &text.leaves {
                    run.add(&pointer, leaf);
                }
            }
            None => {
                run.end(&mut digests);
                digests.push((pointer, digest_node(step.node)));
            }
        }
    }
    run.end(&mut digests);
    let mut hasher = NodeHasher::new(name, data);
    digests.iter().for_each(|(_, digest)| hasher.add(&digest.hash));
    NodeDigest {
        hash: hasher.finish(),
        children: digests,
    }
}

/// Hashes a node from its data and the hashes of its children, which need not be in memory at once.
pub struct NodeHasher(Sha256);

impl NodeHasher {
    pub fn new(name: &str, data: &Value) -> Self {
        let mut hash = Sha256::new();
        part(&mut hash, name.as_bytes());
        part(&mut hash, without_defaults(name, data).to_string().as_bytes());
        Self(hash)
    }

    pub fn add(&mut self, child: &NodeHash) {
        self.0.update(child);
    }

    pub fn finish(self) -> NodeHash {
        self.0.finalize().into()
    }
}

fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update(u64::try_from(bytes.len()).unwrap_or_default().to_be_bytes());
    hash.update(bytes);
}

/// Removes members that equal their default.
fn without_defaults(name: &str, data: &Value) -> Value {
    let Value::Object(members) = data else {
        return Value::Null;
    };
    let is_significant = |member: &str, value: &Value| match (name, member) {
        ("list-ordered", "start") => value != 1,
        ("paragraph" | "heading-1" | "heading-2" | "heading-3", "align") => value != "start",
        _ => match value {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Object(members) => !members.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Bool(true) | Value::Number(_) => true,
        },
    };
    let kept = members.iter().filter(|(member, value)| is_significant(member, value));
    let kept: serde_json::Map<String, Value> = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    match kept.is_empty() {
        true => Value::Null,
        false => Value::Object(kept),
    }
}

/// Marks the end of a source: no set of marks has this byte there.
const SOURCE_PART: u8 = 0xff;

/// Adjacent text nodes up to the next other child.
#[derive(Default)]
struct TextRun {
    pointer: String,
    hash: Sha256,
    /// Marks and length of the current part.
    marks: MarkSet,
    length: u64,
}

impl TextRun {
    fn add(&mut self, pointer: &str, leaf: &TextLeaf) {
        let (text, marks) = (leaf.text.as_str(), MarkSet::from_nodes(&leaf.marks));
        if text.is_empty() && leaf.source.is_none() {
            return;
        }
        if self.pointer.is_empty() {
            self.pointer = pointer.to_owned();
            self.marks = marks;
        }
        if marks != self.marks || leaf.source.is_some() {
            self.end_part();
            self.marks = marks;
        }
        self.hash.update(text);
        self.length += u64::try_from(text.len()).unwrap_or_default();
        if let Some(source) = &leaf.source {
            self.end_part();
            part(&mut self.hash, source.as_bytes());
            self.hash.update([SOURCE_PART]);
        }
    }

    fn end_part(&mut self) {
        self.hash.update(self.length.to_be_bytes());
        self.hash.update(self.marks.to_bits().to_be_bytes());
        self.length = 0;
    }

    fn end(&mut self, digests: &mut Vec<(String, NodeDigest)>) {
        if self.pointer.is_empty() {
            return;
        }
        self.end_part();
        let run = std::mem::take(self);
        let digest = NodeDigest {
            hash: run.hash.finalize().into(),
            children: Vec::new(),
        };
        digests.push((run.pointer, digest));
    }
}

/// Hashes one text node.
pub fn hash_text(node: &dyn DocumentNode) -> NodeHash {
    let mut digests = Vec::new();
    let mut run = TextRun::default();
    for leaf in node.text().into_iter().flat_map(|text| &text.leaves) {
        run.add("leaves", leaf);
    }
    run.end(&mut digests);
    digests.pop().map_or([0; 32], |(_, digest)| digest.hash)
}
