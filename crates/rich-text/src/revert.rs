//! Reverting single blocks to an earlier version.

use openapi::error::ErrorRule;
use std::collections::HashSet;

use openapi::models::{Document, DocumentBlock};

use super::{
    DocumentLimits, IdPathResolver, error::DocumentError, nodes::node::AsNode as _, parse_keeping_with, parse_with,
    render_with,
};

/// The most bytes of both versions: three documents are in memory with all their nodes.
const MAX_REVERTED_BYTES: usize = DocumentLimits::MAX_BYTES;

/// Reverts the blocks with these keys to their earlier version: a changed block is changed back, an added block is
/// removed, and a removed block, whose key exists only in the earlier version, returns after the block that it
/// followed. Keys of nested blocks are unknown here.
pub fn revert_blocks(markdown: &str, earlier: &str, keys: &[String]) -> Result<String, DocumentError> {
    if markdown.len() + earlier.len() > MAX_REVERTED_BYTES {
        let message = "The page is too long to revert single blocks. Revert the whole page.";
        return Err(DocumentError::new("", ErrorRule::TooComplex, message));
    }
    let limits = DocumentLimits::default();
    let earlier = parse_with(earlier, &limits, &IdPathResolver)?;
    let current = parse_with(markdown, &limits, &IdPathResolver)?;
    let kept = parse_keeping_with(markdown, &earlier, &limits, &IdPathResolver)?;
    let requested: HashSet<&str> = keys.iter().map(String::as_str).collect();
    let mut known: HashSet<&str> = HashSet::new();
    let mut blocks = Vec::new();
    for (current, kept) in current.nodes.iter().zip(&kept.nodes) {
        match key(current).filter(|key| requested.contains(key)) {
            None => blocks.push((key(kept), current.clone())),
            Some(own) => {
                known.insert(own);
                if let Some(before) = with_key(&earlier, key(kept)) {
                    blocks.push((key(kept), before.clone()));
                }
            }
        }
    }
    let present: HashSet<&str> = kept.nodes.iter().filter_map(key).collect();
    let mut place = 0;
    for before in &earlier.nodes {
        let Some(own) = key(before) else { continue };
        if let Some(at) = blocks.iter().position(|(key, _)| *key == Some(own)) {
            place = at + 1;
        } else if !present.contains(own) && requested.contains(own) {
            known.insert(own);
            blocks.insert(place, (Some(own), before.clone()));
            place += 1;
        }
    }
    if let Some(index) = keys.iter().position(|key| !known.contains(key.as_str())) {
        return Err(DocumentError::new(
            format!("/{index}"),
            ErrorRule::Unknown,
            "No block has this key in the current or the earlier version.",
        ));
    }
    let nodes = blocks.into_iter().map(|(_, block)| block).collect();
    let document = Document {
        nodes,
        ..current.clone()
    };
    Ok(render_with(&document, &limits, &IdPathResolver)?
        .trim_end_matches('\n')
        .to_owned())
}

fn key(block: &DocumentBlock) -> Option<&str> {
    block.as_node().key().as_deref()
}

fn with_key<'d>(document: &'d Document, requested: Option<&str>) -> Option<&'d DocumentBlock> {
    let requested = requested?;
    document.nodes.iter().find(|block| key(block) == Some(requested))
}
