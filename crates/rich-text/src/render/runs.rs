//! Inline runs: text with equal marks, and the inlines between.

use openapi::models::{Inline, InlineImage, InlineLink, InlineNode, LinkNode, Text};

use crate::nodes::marks::{MarkSet, MarkStyle};

pub struct InlineRun<'d> {
    pub marks: MarkSet,
    pub content: RunContent<'d>,
}

pub enum RunContent<'d> {
    Text(String),
    /// Unknown syntax.
    Source(&'d str),
    /// An inline and its index in the parent.
    Inline(&'d Inline, usize),
    /// An image within a link.
    Image(&'d InlineImage, usize),
}

impl InlineRun<'_> {
    /// Returns the first character; inlines other than text begin and end with punctuation.
    pub fn first(&self) -> char {
        match &self.content {
            RunContent::Text(text) => text.chars().next().unwrap_or(' '),
            RunContent::Source(_) | RunContent::Inline(..) | RunContent::Image(..) => '.',
        }
    }

    pub fn last(&self) -> char {
        match &self.content {
            RunContent::Text(text) => text.chars().next_back().unwrap_or(' '),
            RunContent::Source(_) | RunContent::Inline(..) | RunContent::Image(..) => '.',
        }
    }
}

pub fn from_inlines(nodes: &[InlineNode]) -> Vec<InlineRun<'_>> {
    let mut runs = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        match node {
            InlineNode::Text(text) => add_text(text, &mut runs),
            InlineNode::Inline(inline) => runs.push(InlineRun {
                marks: match inline {
                    Inline::InlineLink(link) => link_marks(link),
                    _ => MarkSet::default(),
                },
                content: RunContent::Inline(inline, index),
            }),
        }
    }
    bridge_marks(&mut runs);
    runs
}

pub fn from_link(link: &InlineLink) -> Vec<InlineRun<'_>> {
    let mut runs = Vec::new();
    for (index, node) in link.nodes.iter().flatten().enumerate() {
        match node {
            LinkNode::Text(text) => add_text(text, &mut runs),
            LinkNode::InlineImage(image) => runs.push(InlineRun {
                marks: MarkSet::default(),
                content: RunContent::Image(image, index),
            }),
        }
    }
    let outer = link_marks(link);
    for run in &mut runs {
        run.marks = run.marks.difference(outer);
    }
    bridge_marks(&mut runs);
    runs
}

pub fn from_texts(texts: &[Text]) -> Vec<InlineRun<'_>> {
    let mut runs = Vec::new();
    for text in texts {
        add_text(text, &mut runs);
    }
    runs
}

fn add_text<'d>(text: &'d Text, runs: &mut Vec<InlineRun<'d>>) {
    for leaf in &text.leaves {
        let marks = MarkSet::from_nodes(&leaf.marks);
        if let Some(source) = &leaf.source {
            let content = RunContent::Source(source);
            runs.push(InlineRun { marks, content });
            continue;
        }
        match runs.last_mut() {
            _ if leaf.text.is_empty() => {}
            Some(InlineRun {
                marks: same,
                content: RunContent::Text(text),
            }) if *same == marks => text.push_str(&leaf.text),
            _ => runs.push(InlineRun {
                marks,
                content: RunContent::Text(leaf.text.clone()),
            }),
        }
    }
}

/// Returns the marks of all text in a link, which are rendered around the link.
fn link_marks(link: &InlineLink) -> MarkSet {
    let texts = link.nodes.iter().flatten().filter_map(|node| match node {
        LinkNode::Text(text) => Some(text),
        LinkNode::InlineImage(_) => None,
    });
    let leaves = texts.flat_map(|text| &text.leaves);
    let leaves = leaves.filter(|leaf| !leaf.text.is_empty() || leaf.source.is_some());
    let marks = leaves
        .map(|leaf| MarkSet::from_nodes(&leaf.marks))
        .reduce(MarkSet::intersection);
    marks.unwrap_or_default().without_code()
}

/// Extends marks over inlines without marks, so that these do not interrupt the marks of the text around them.
fn bridge_marks(runs: &mut [InlineRun<'_>]) {
    for at in 1..runs.len().saturating_sub(1) {
        let marks = match runs.get(at - 1..at + 2) {
            Some([before, InlineRun { content, .. }, after]) if has_no_marks(content) => {
                before.marks.intersection(after.marks)
            }
            _ => continue,
        };
        if let Some(run) = runs.get_mut(at) {
            run.marks = marks.without_code();
        }
    }
}

fn has_no_marks(content: &RunContent<'_>) -> bool {
    match content {
        RunContent::Text(_) | RunContent::Source(_) => false,
        RunContent::Inline(inline, _) => !matches!(inline, Inline::InlineLink(_) | Inline::InlineAnnotation(_)),
        RunContent::Image(..) => true,
    }
}

/// A nesting level of marks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MarkLevel {
    Colors,
    Style(MarkStyle),
}

/// The levels, outermost first. Code is rendered with its text.
pub const MARK_LEVELS: [MarkLevel; 7] = [
    MarkLevel::Colors,
    MarkLevel::Style(MarkStyle::Bold),
    MarkLevel::Style(MarkStyle::Italic),
    MarkLevel::Style(MarkStyle::Strikethrough),
    MarkLevel::Style(MarkStyle::Superscript),
    MarkLevel::Style(MarkStyle::Subscript),
    MarkLevel::Style(MarkStyle::Keyboard),
];

impl MarkLevel {
    /// Returns the marks of this level: adjacent runs with the same ones are rendered together.
    pub fn select(self, marks: MarkSet) -> MarkSet {
        let mut only = MarkSet::default();
        match self {
            Self::Colors => only.colors = marks.colors,
            Self::Style(style) => only.set(style, marks.has(style)),
        }
        only
    }
}
