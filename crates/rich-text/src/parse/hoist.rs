//! Hoisting: a block that its container does not accept becomes a sibling of the container.

use openapi::models::DocumentBlock;

/// Splits a container at the blocks that it does not accept.
pub fn split_container<T: TryFrom<DocumentBlock, Error = Box<DocumentBlock>>>(
    blocks: Vec<DocumentBlock>,
    container: impl Fn(Vec<T>) -> DocumentBlock,
) -> Vec<DocumentBlock> {
    let mut split = Vec::new();
    let mut inside = Vec::new();
    let nothing = blocks.is_empty();
    for block in blocks {
        match T::try_from(block) {
            Ok(block) => inside.push(block),
            Err(other) => {
                if !inside.is_empty() {
                    split.push(container(std::mem::take(&mut inside)));
                }
                split.push(*other);
            }
        }
    }
    inside.shrink_to_fit();
    if !inside.is_empty() || nothing {
        split.push(container(inside));
    }
    split
}

/// Splits at the first block that the container does not accept, for containers that cannot be repeated.
pub fn split_at_first<T: TryFrom<DocumentBlock, Error = Box<DocumentBlock>>>(
    blocks: Vec<DocumentBlock>,
) -> (Vec<T>, Vec<DocumentBlock>) {
    let mut inside = Vec::new();
    let mut blocks = blocks.into_iter();
    while let Some(block) = blocks.next() {
        match T::try_from(block) {
            Ok(block) => inside.push(block),
            Err(other) => return (inside, std::iter::once(*other).chain(blocks).collect()),
        }
    }
    inside.shrink_to_fit();
    (inside, Vec::new())
}
