//! Conditions of blocks in texts that clients send.

use std::{any::Any, collections::HashSet};

use openapi::models::{BlockIf, Document};

use super::{
    DocumentLimits, DocumentStream, UrlResolver,
    error::DocumentError,
    nodes::node::{AsNode, DocumentNode},
};

/// A condition of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockCondition {
    /// JSON pointer; empty in Markdown.
    pub pointer: String,
    pub expression: String,
}

/// Fails where `check` fails, and returns the different conditions of blocks that are invalid.
pub fn check_with_conditions(
    markdown: &str,
    limits: &DocumentLimits,
    is_valid: &dyn Fn(&str) -> bool,
) -> Result<Vec<BlockCondition>, DocumentError> {
    let may_have_conditions = markdown.contains("{%");
    let mut invalid = InvalidConditions::new(is_valid);
    DocumentStream::new(markdown, limits, &UrlResolver)?.for_each(&mut |block| {
        if may_have_conditions {
            invalid.add(block.as_node(), &mut String::new());
        }
    })?;
    let without_pointer = |expression| BlockCondition {
        pointer: String::new(),
        expression,
    };
    Ok(invalid
        .found
        .into_iter()
        .map(|it| without_pointer(it.expression))
        .collect())
}

/// Returns the different conditions of blocks that are invalid. The document is one that was rendered, and so within the limits.
pub fn invalid_conditions(document: &Document, is_valid: &dyn Fn(&str) -> bool) -> Vec<BlockCondition> {
    let mut invalid = InvalidConditions::new(is_valid);
    for (index, block) in document.nodes.iter().enumerate() {
        invalid.add(block.as_node(), &mut format!("/nodes/{index}"));
    }
    invalid.found
}

struct InvalidConditions<'v> {
    is_valid: &'v dyn Fn(&str) -> bool,
    seen: HashSet<String>,
    found: Vec<BlockCondition>,
}

impl<'v> InvalidConditions<'v> {
    fn new(is_valid: &'v dyn Fn(&str) -> bool) -> Self {
        Self {
            is_valid,
            seen: HashSet::new(),
            found: Vec::new(),
        }
    }

    /// Adds those of a node at a pointer, which is the same afterwards.
    fn add(&mut self, node: &dyn DocumentNode, pointer: &mut String) {
        let any: &dyn Any = node;
        if let Some(BlockIf { data, .. }) = any.downcast_ref::<BlockIf>()
            && self.seen.insert(data.expression.clone())
            && !(self.is_valid)(&data.expression)
        {
            self.found.push(BlockCondition {
                pointer: format!("{pointer}/data/expression"),
                expression: data.expression.clone(),
            });
        }
        let length = pointer.len();
        for child in node.children() {
            pointer.push_str(&format!("/{}/{}", child.member, child.index));
            self.add(child.node, pointer);
            pointer.truncate(length);
        }
    }
}
