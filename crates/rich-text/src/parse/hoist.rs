//! Blocks that may not stand where they were written.

use openapi::models::DocumentBlock;

use crate::nodes::unions::Family;

/// Containers around the blocks that they may hold, and the others between these.
pub fn around<T: Family>(
    blocks: Vec<DocumentBlock>,
    container: impl Fn(Vec<T>) -> DocumentBlock,
) -> Vec<DocumentBlock> {
    let mut made = Vec::new();
    let mut inside = Vec::new();
    let nothing = blocks.is_empty();
    for block in blocks {
        match T::narrow(block) {
            Ok(block) => inside.push(block),
            Err(other) => {
                if !inside.is_empty() {
                    made.push(container(std::mem::take(&mut inside)));
                }
                made.push(*other);
            }
        }
    }
    if !inside.is_empty() || nothing {
        made.push(container(inside));
    }
    made
}

/// The first blocks, which may stay, and all from the first that may not: for parts with a title, which there can be
/// only once.
pub fn split<T: Family>(blocks: Vec<DocumentBlock>) -> (Vec<T>, Vec<DocumentBlock>) {
    let mut inside = Vec::new();
    let mut blocks = blocks.into_iter();
    while let Some(block) = blocks.next() {
        match T::narrow(block) {
            Ok(block) => inside.push(block),
            Err(other) => return (inside, std::iter::once(*other).chain(blocks).collect()),
        }
    }
    (inside, Vec::new())
}
