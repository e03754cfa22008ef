//! Builder of inline nodes.

use openapi::models::{Inline, InlineNode, LinkNode, Text};

use crate::nodes::{
    builders::{self, LeafParts},
    marks::{MarkColors, MarkSet, MarkStyle},
};

/// Inline nodes, and the leaves of the current text node.
#[derive(Default)]
pub struct InlineBuilder {
    nodes: Vec<InlineNode>,
    leaves: Vec<LeafParts>,
    open: ActiveMarks,
}

/// The open marks.
#[derive(Default)]
struct ActiveMarks {
    styles: [usize; MarkStyle::ALL.len()],
    colors: Vec<MarkColors>,
}

impl InlineBuilder {
    pub fn open(&mut self, style: MarkStyle) {
        if let Some(count) = self.open.styles.get_mut(style as usize) {
            *count += 1;
        }
    }

    pub fn close(&mut self, style: MarkStyle) {
        if let Some(count) = self.open.styles.get_mut(style as usize) {
            *count = count.saturating_sub(1);
        }
    }

    pub fn open_colors(&mut self, colors: MarkColors) {
        self.open.colors.push(colors);
    }

    pub fn close_colors(&mut self) {
        self.open.colors.pop();
    }

    fn marks(&self) -> MarkSet {
        let mut marks = MarkSet::default();
        for style in MarkStyle::ALL {
            marks.set(
                style,
                self.open.styles.get(style as usize).is_some_and(|count| *count > 0),
            );
        }
        marks.colors = self.open.colors.last().copied();
        marks
    }

    pub fn text(&mut self, text: &str) {
        let marks = self.marks();
        self.marked(text, marks);
    }

    pub fn code(&mut self, text: &str) {
        let mut marks = self.marks();
        marks.set(MarkStyle::Code, true);
        self.marked(text, marks);
    }

    fn marked(&mut self, text: &str, marks: MarkSet) {
        if text.is_empty() {
            return;
        }
        match self.leaves.last_mut() {
            Some(last) if last.marks == marks && last.source.is_none() => last.text.push_str(text),
            _ => self.leaves.push(LeafParts {
                text: text.to_owned(),
                marks,
                source: None,
            }),
        }
    }

    /// Adds unknown syntax, and what readers see of it.
    pub fn source(&mut self, source: &str, visible: &str) {
        let marks = self.marks();
        self.leaves.push(LeafParts {
            text: visible.to_owned(),
            marks,
            source: Some(source.to_owned()),
        });
    }

    pub fn inline(&mut self, inline: Inline) {
        self.end_text();
        self.nodes.push(InlineNode::Inline(inline));
    }

    fn end_text(&mut self) {
        if !self.leaves.is_empty() {
            let mut text = builders::text(std::mem::take(&mut self.leaves));
            match self.nodes.last_mut() {
                Some(InlineNode::Text(last)) => builders::append_leaves(last, &mut text),
                _ => self.nodes.push(InlineNode::Text(text)),
            }
        }
    }

    /// Begins a nested list of nodes; the marks stay open. Returns the nodes so far.
    pub fn enter(&mut self) -> Vec<InlineNode> {
        self.end_text();
        std::mem::take(&mut self.nodes)
    }

    /// Ends the nested list: returns its nodes and continues after `before`.
    pub fn leave(&mut self, before: Vec<InlineNode>) -> Vec<InlineNode> {
        self.end_text();
        std::mem::replace(&mut self.nodes, before)
    }

    pub fn finish(mut self) -> Vec<InlineNode> {
        self.end_text();
        self.nodes.shrink_to_fit();
        self.nodes
    }
}

/// Keeps the nodes that a link accepts.
pub fn link_nodes(nodes: Vec<InlineNode>) -> Vec<LinkNode> {
    let fitting = nodes.into_iter().filter_map(|node| match node {
        InlineNode::Text(text) => Some(LinkNode::Text(text)),
        InlineNode::Inline(Inline::InlineImage(image)) => Some(LinkNode::InlineImage(image)),
        InlineNode::Inline(_) => None,
    });
    let mut fitting: Vec<_> = fitting.collect();
    // Most nodes have one child, and a list that grows has room for four.
    fitting.shrink_to_fit();
    fitting
}

pub fn texts(nodes: Vec<InlineNode>) -> Vec<Text> {
    let fitting = nodes.into_iter().filter_map(|node| match node {
        InlineNode::Text(text) => Some(text),
        InlineNode::Inline(_) => None,
    });
    let mut fitting: Vec<_> = fitting.collect();
    // Most nodes have one child, and a list that grows has room for four.
    fitting.shrink_to_fit();
    fitting
}
