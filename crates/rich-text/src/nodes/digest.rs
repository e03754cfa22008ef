//! Digests for comparing nodes. Keys, explicit defaults, empty members and the division of text into leaves make no
//! difference.

use std::io;

use openapi::models::{BlockTable, TextLeaf};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{
    marks::MarkSet,
    node::{ChildNode, ChildNodes, DocumentNode},
    table_layout::DigestData,
};

pub type NodeHash = [u8; 32];

pub fn hash_node(node: &dyn DocumentNode) -> NodeHash {
    let mut hasher = NodeHasher::of(node);
    hash_children(node.children(), &mut |child| hasher.add(&child.hash));
    hasher.finish()
}

/// Returns the JSON pointer, within the first node, of the first difference between two nodes; `None` if they are equal.
pub fn first_difference(mine: &dyn DocumentNode, theirs: &dyn DocumentNode) -> Option<String> {
    if hash_node(mine) == hash_node(theirs) {
        return None;
    }
    let (mut my_children, mut their_children) = (Vec::new(), Vec::new());
    hash_children(mine.children(), &mut |child| my_children.push(child));
    hash_children(theirs.children(), &mut |child| their_children.push(child));
    let mut pairs = my_children.iter().zip(&their_children);
    let different = pairs.find(|(mine, theirs)| mine.hash != theirs.hash);
    let deeper = different.map(|(mine, theirs)| {
        let nodes = mine.node.zip(theirs.node);
        let rest = nodes.and_then(|(mine, theirs)| first_difference(mine, theirs));
        mine.pointer() + &rest.unwrap_or_default()
    });
    let more = || my_children.get(their_children.len()).map(ChildDigest::pointer);
    Some(deeper.or_else(more).unwrap_or_default())
}

/// A child with its hash. Adjacent text nodes are one child.
struct ChildDigest<'a> {
    member: &'static str,
    index: usize,
    hash: NodeHash,
    /// `None`: text.
    node: Option<&'a dyn DocumentNode>,
}

impl ChildDigest<'_> {
    fn pointer(&self) -> String {
        format!("/{}/{}", self.member, self.index)
    }
}

fn hash_children<'a>(children: ChildNodes<'a>, sink: &mut dyn FnMut(ChildDigest<'a>)) {
    let mut run = TextRun::default();
    for ChildNode { member, index, node } in children {
        match node.text() {
            Some(text) => {
                for leaf in &text.leaves {
                    run.add((member, index), leaf);
                }
            }
            None => {
                run.end(sink);
                let hash = hash_node(node);
                let node = Some(node);
                sink(ChildDigest {
                    member,
                    index,
                    hash,
                    node,
                });
            }
        }
    }
    run.end(sink);
}

/// Hashes a node from its data and the hashes of its children, which need not be in memory at once.
pub struct NodeHasher(Sha256);

impl NodeHasher {
    /// Begins with the name and the data of a node.
    pub fn of(node: &dyn DocumentNode) -> Self {
        let mut hash = Sha256::new();
        part(&mut hash, node.name().as_bytes());
        match node.table() {
            Some(table) => table_part(&mut hash, table),
            None => part(
                &mut hash,
                without_defaults(node.name(), node.data()).to_string().as_bytes(),
            ),
        }
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

/// Hashes the data of a table like [`part`], without its JSON in memory: once for its length, and once more for its bytes.
fn table_part(hash: &mut Sha256, table: &BlockTable) {
    let data = DigestData::of(table);
    let mut length = 0_u64;
    write_json(&data, |bytes| length += u64::try_from(bytes.len()).unwrap_or_default());
    hash.update(length.to_be_bytes());
    write_json(&data, |bytes| hash.update(bytes));
}

/// Gives the JSON of a value to `sink`, which cannot fail.
fn write_json(value: &impl Serialize, sink: impl FnMut(&[u8])) {
    struct Bytes<F>(F);

    impl<F: FnMut(&[u8])> io::Write for Bytes<F> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            (self.0)(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    drop(serde_json::to_writer(Bytes(sink), value));
}

/// Removes members that equal their default.
fn without_defaults(name: &str, data: Value) -> Value {
    let Value::Object(mut members) = data else {
        return Value::Null;
    };
    members.retain(|member, value| match (name, member.as_str()) {
        ("list-ordered", "start") => *value != 1,
        ("paragraph" | "heading-1" | "heading-2" | "heading-3", "align") => *value != "start",
        _ => match value {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Object(members) => !members.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Bool(true) | Value::Number(_) => true,
        },
    });
    match members.is_empty() {
        true => Value::Null,
        false => Value::Object(members),
    }
}

/// Marks the end of a source: no set of marks has this byte there.
const SOURCE_PART: u8 = 0xff;

/// Adjacent text nodes up to the next other child.
#[derive(Default)]
struct TextRun {
    /// Member and index of the first text. `None`: there is no text.
    place: Option<(&'static str, usize)>,
    hash: Sha256,
    /// Marks and length of the current part.
    marks: MarkSet,
    length: u64,
}

impl TextRun {
    fn add(&mut self, place: (&'static str, usize), leaf: &TextLeaf) {
        let (text, marks) = (leaf.text.as_str(), MarkSet::from_nodes(&leaf.marks));
        if text.is_empty() && leaf.source.is_none() {
            return;
        }
        if self.place.is_none() {
            self.place = Some(place);
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

    fn end<'a>(&mut self, sink: &mut dyn FnMut(ChildDigest<'a>)) {
        if let Some((place, hash)) = self.take() {
            let (member, index) = place;
            let node = None;
            sink(ChildDigest {
                member,
                index,
                hash,
                node,
            });
        }
    }

    /// Returns the place and the hash of the text so far, if there is any.
    fn take(&mut self) -> Option<((&'static str, usize), NodeHash)> {
        let place = self.place?;
        self.end_part();
        Some((place, std::mem::take(self).hash.finalize().into()))
    }
}

/// Hashes one text node.
pub fn hash_text(node: &dyn DocumentNode) -> NodeHash {
    let mut run = TextRun::default();
    for leaf in node.text().into_iter().flat_map(|text| &text.leaves) {
        run.add(("leaves", 0), leaf);
    }
    run.take().map_or([0; 32], |(_, hash)| hash)
}
