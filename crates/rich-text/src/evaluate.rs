//! Expressions of texts: finding them, and putting their values in their places.

use std::{
    any::Any,
    collections::{BTreeSet, HashMap},
};

use openapi::models::{
    BlockCodeLine, BlockHeading1, BlockHeading2, BlockHeading3, BlockIf, BlockParagraph, CodeLineInline, CodeLineNode,
    DocumentBlock, Inline, InlineExpression, InlineNode, Text,
};

use super::{
    DocumentStream, IdPathResolver, document_of,
    error::DocumentError,
    limits::DocumentLimits,
    nodes::{
        builders,
        node::{AsNode, DocumentNode},
    },
    render,
};

/// The most different conditions and expressions of one text that are evaluated.
const MAX_SOURCES: usize = 1000;

/// The characters that values may add to one text.
const MAX_ADDED: usize = 1_000_000;

/// Returns whether a text can have expressions or conditions.
pub fn may_have_expressions(markdown: &str) -> bool {
    const ELEMENT: &[u8] = b"<code";
    let has_element = |bytes: &[u8]| bytes.windows(ELEMENT.len()).any(|it| it.eq_ignore_ascii_case(ELEMENT));
    markdown.contains("{%") || has_element(markdown.as_bytes())
}

/// The different conditions and expressions of a text.
#[derive(Debug, Default)]
pub struct ExpressionSources {
    pub conditions: BTreeSet<String>,
    pub expressions: BTreeSet<String>,
}

impl ExpressionSources {
    /// Collects the conditions and expressions of Markdown, up to a limit.
    pub fn of(markdown: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let mut found = Self::default();
        if may_have_expressions(markdown) {
            let mut stream = DocumentStream::new(markdown, limits, &IdPathResolver)?;
            stream.for_each(&mut |block| found.add(block.as_node()))?;
        }
        Ok(found)
    }

    fn add(&mut self, node: &dyn DocumentNode) {
        if self.conditions.len() + self.expressions.len() < MAX_SOURCES {
            let node: &dyn Any = node;
            if let Some(block) = node.downcast_ref::<BlockIf>() {
                self.conditions.insert(block.data.expression.clone());
            } else if let Some(inline) = node.downcast_ref::<InlineExpression>() {
                self.expressions.insert(inline.data.expression.clone());
            }
        }
        for child in node.children() {
            self.add(child.node);
        }
    }
}

/// The value of an expression in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionValue {
    Text(String),
    /// The expression stays in the text.
    Unevaluated,
    /// Readers see the expression in double braces.
    Failed,
}

/// The values of the expressions and conditions of one text.
#[derive(Clone, Debug, Default)]
pub struct ExpressionValues {
    /// The conditions that hold. Blocks below others are not shown.
    holding: BTreeSet<String>,
    /// `None`: all expressions stay in the text.
    values: Option<HashMap<String, ExpressionValue>>,
    added: usize,
}

impl ExpressionValues {
    pub fn new(holding: BTreeSet<String>, values: HashMap<String, ExpressionValue>) -> Self {
        Self {
            holding,
            values: Some(values),
            added: 0,
        }
    }

    /// Only conditions are evaluated.
    pub fn of_conditions(holding: BTreeSet<String>) -> Self {
        Self {
            holding,
            values: None,
            added: 0,
        }
    }

    /// Further conditions hold.
    pub fn hold(&mut self, conditions: BTreeSet<String>) {
        self.holding.extend(conditions);
    }

    /// The text in the place of an expression. `None`: the expression stays.
    fn text(&mut self, inline: &InlineExpression) -> Option<Text> {
        let expression = &inline.data.expression;
        let value = match self.values.as_ref()?.get(expression) {
            Some(ExpressionValue::Unevaluated) => return None,
            Some(ExpressionValue::Text(value)) if self.added.saturating_add(value.len()) <= MAX_ADDED => {
                self.added += value.len();
                // A line of text has no line breaks.
                value.replace(char::is_control, " ")
            }
            Some(ExpressionValue::Text(_) | ExpressionValue::Failed) | None => format!("{{{{{expression}}}}}"),
        };
        Some(Text {
            key: inline.key.clone(),
            ..builders::plain_text(&value)
        })
    }

    fn replace_in(&mut self, node: &mut dyn DocumentNode) {
        let any: &mut dyn Any = node;
        if let Some(block) = any.downcast_mut::<BlockParagraph>() {
            self.replace_inlines(block.nodes.as_mut());
        } else if let Some(block) = any.downcast_mut::<BlockHeading1>() {
            self.replace_inlines(block.nodes.as_mut());
        } else if let Some(block) = any.downcast_mut::<BlockHeading2>() {
            self.replace_inlines(block.nodes.as_mut());
        } else if let Some(block) = any.downcast_mut::<BlockHeading3>() {
            self.replace_inlines(block.nodes.as_mut());
        } else if let Some(line) = any.downcast_mut::<BlockCodeLine>() {
            for node in line.nodes.iter_mut().flatten() {
                if let CodeLineNode::CodeLineInline(CodeLineInline::InlineExpression(inline)) = node
                    && let Some(text) = self.text(inline)
                {
                    *node = CodeLineNode::Text(text);
                }
            }
        }
        for child in node.children_mut() {
            self.replace_in(child);
        }
    }

    fn replace_inlines(&mut self, nodes: Option<&mut Vec<InlineNode>>) {
        for node in nodes.into_iter().flatten() {
            if let InlineNode::Inline(Inline::InlineExpression(inline)) = node
                && let Some(text) = self.text(inline)
            {
                *node = InlineNode::Text(text);
            }
        }
    }
}

/// Gives `sink` what readers see of a block: the blocks below a condition that holds, with texts in the places of
/// expressions.
pub fn evaluate_block(mut block: DocumentBlock, values: &mut ExpressionValues, sink: &mut dyn FnMut(DocumentBlock)) {
    if let DocumentBlock::BlockIf(condition) = block {
        if values.holding.contains(&condition.data.expression) {
            for child in condition.nodes.into_iter().flatten() {
                evaluate_block(child, values, sink);
            }
        }
        return;
    }
    if values.values.is_some() {
        values.replace_in(block.as_node_mut());
    }
    sink(block);
}

/// Returns Markdown as readers see it. Unlike `render`, this gives what is closest if Markdown cannot express a value.
pub fn evaluate_markdown(
    markdown: &str,
    values: &mut ExpressionValues,
    limits: &DocumentLimits,
) -> Result<String, DocumentError> {
    if !may_have_expressions(markdown) {
        return Ok(markdown.to_owned());
    }
    let mut blocks = Vec::new();
    let mut stream = DocumentStream::new(markdown, limits, &IdPathResolver)?;
    stream.for_each(&mut |block| evaluate_block(block, values, &mut |block| blocks.push(block)))?;
    render::document(&document_of(blocks), limits, &IdPathResolver, false)
}
