//! Conditions of blocks in texts that clients send.

use std::any::Any;

use openapi::{
    error::ErrorRule,
    models::{BlockIf, Document},
};

use super::{
    DocumentLimits, DocumentStream, UrlResolver,
    error::DocumentError,
    nodes::node::{AsNode, DocumentNode},
};

/// Says what is wrong with a condition.
pub type ConditionProblem<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Fails where `check` fails, and at the first block whose condition has a problem.
pub fn check_with_conditions(
    markdown: &str,
    limits: &DocumentLimits,
    problem: ConditionProblem<'_>,
) -> Result<(), DocumentError> {
    let may_have_conditions = markdown.contains("{%");
    let mut found = None;
    DocumentStream::new(markdown, limits, &UrlResolver)?.for_each_part(&mut |block| {
        if may_have_conditions && found.is_none() {
            found = first_problem(block.as_node(), problem);
        }
    })?;
    match found {
        Some((_, message)) => Err(DocumentError::new("", ErrorRule::Condition, message)),
        None => Ok(()),
    }
}

/// Fails at the first block whose condition has a problem. The document is one that was rendered, and so within the limits.
pub fn check_conditions(document: &Document, problem: ConditionProblem<'_>) -> Result<(), DocumentError> {
    let blocks = document.nodes.iter().enumerate();
    let mut found = blocks.filter_map(|(index, block)| Some((index, first_problem(block.as_node(), problem)?)));
    match found.next() {
        Some((index, (rest, message))) => {
            let pointer = format!("/nodes/{index}{rest}");
            Err(DocumentError::new(pointer, ErrorRule::Condition, message))
        }
        None => Ok(()),
    }
}

/// Returns the pointer of the first condition with a problem, from the node, and the problem.
fn first_problem(node: &dyn DocumentNode, problem: ConditionProblem<'_>) -> Option<(String, String)> {
    let any: &dyn Any = node;
    if let Some(block) = any.downcast_ref::<BlockIf>()
        && let Some(message) = problem(&block.data.expression)
    {
        return Some(("/data/expression".to_owned(), message));
    }
    node.children().find_map(|child| {
        let (rest, message) = first_problem(child.node, problem)?;
        Some((format!("/{}/{}{rest}", child.member, child.index), message))
    })
}
