//! The text of a line in runs of the same marks, with other inlines between them.

use openapi::models::{Inline, InlineImage, InlineLink, InlineNode, LinkNode, Text};

use crate::nodes::marks::{Marks, Style};

pub struct Run<'d> {
    pub marks: Marks,
    pub content: Content<'d>,
}

pub enum Content<'d> {
    Text(String),
    /// An inline and its index among the nodes.
    Inline(&'d Inline, usize),
    /// A picture within a link.
    Image(&'d InlineImage, usize),
}

impl Run<'_> {
    /// The characters at the edges; other inlines begin and end with punctuation.
    pub fn first(&self) -> char {
        match &self.content {
            Content::Text(text) => text.chars().next().unwrap_or(' '),
            Content::Inline(..) | Content::Image(..) => '.',
        }
    }

    pub fn last(&self) -> char {
        match &self.content {
            Content::Text(text) => text.chars().next_back().unwrap_or(' '),
            Content::Inline(..) | Content::Image(..) => '.',
        }
    }
}

pub fn of_nodes(nodes: &[InlineNode]) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        match node {
            InlineNode::Text(text) => add_text(text, &mut runs),
            InlineNode::Inline(inline) => runs.push(Run {
                marks: match inline {
                    Inline::InlineLink(link) => common(link),
                    _ => Marks::default(),
                },
                content: Content::Inline(inline, index),
            }),
        }
    }
    bridge(&mut runs);
    runs
}

pub fn of_link(link: &InlineLink) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    for (index, node) in link.nodes.iter().flatten().enumerate() {
        match node {
            LinkNode::Text(text) => add_text(text, &mut runs),
            LinkNode::InlineImage(image) => runs.push(Run {
                marks: Marks::default(),
                content: Content::Image(image, index),
            }),
        }
    }
    let outer = common(link);
    for run in &mut runs {
        run.marks = run.marks.minus(outer);
    }
    bridge(&mut runs);
    runs
}

pub fn of_texts(texts: &[Text]) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    for text in texts {
        add_text(text, &mut runs);
    }
    runs
}

fn add_text(text: &Text, runs: &mut Vec<Run<'_>>) {
    for leaf in &text.leaves {
        let marks = Marks::of(&leaf.marks);
        match runs.last_mut() {
            _ if leaf.text.is_empty() => {}
            Some(Run {
                marks: same,
                content: Content::Text(text),
            }) if *same == marks => text.push_str(&leaf.text),
            _ => runs.push(Run {
                marks,
                content: Content::Text(leaf.text.clone()),
            }),
        }
    }
}

/// The marks that all text of a link has are written around it.
fn common(link: &InlineLink) -> Marks {
    let texts = link.nodes.iter().flatten().filter_map(|node| match node {
        LinkNode::Text(text) => Some(text),
        LinkNode::InlineImage(_) => None,
    });
    let leaves = texts.flat_map(|text| &text.leaves).filter(|leaf| !leaf.text.is_empty());
    let marks = leaves.map(|leaf| Marks::of(&leaf.marks)).reduce(Marks::common);
    marks.unwrap_or_default().without_code()
}

/// Inlines that have no marks do not interrupt those of the text around them.
fn bridge(runs: &mut [Run<'_>]) {
    for at in 1..runs.len().saturating_sub(1) {
        let around = match runs.get(at - 1..at + 2) {
            Some([before, Run { content, .. }, after]) if has_no_marks(content) => before.marks.common(after.marks),
            _ => continue,
        };
        if let Some(run) = runs.get_mut(at) {
            run.marks = around.without_code();
        }
    }
}

fn has_no_marks(content: &Content<'_>) -> bool {
    match content {
        Content::Text(_) => false,
        Content::Inline(inline, _) => !matches!(inline, Inline::InlineLink(_) | Inline::InlineAnnotation(_)),
        Content::Image(..) => true,
    }
}

/// A mark with everything that is written like one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Colors,
    Style(Style),
}

/// From the outermost to the innermost. Code is written with its text.
pub const LEVELS: [Level; 7] = [
    Level::Colors,
    Level::Style(Style::Bold),
    Level::Style(Style::Italic),
    Level::Style(Style::Strikethrough),
    Level::Style(Style::Superscript),
    Level::Style(Style::Subscript),
    Level::Style(Style::Keyboard),
];

impl Level {
    /// What this level says about marks: runs that agree are written together.
    pub fn of(self, marks: Marks) -> Marks {
        let mut only = Marks::default();
        match self {
            Self::Colors => only.colors = marks.colors,
            Self::Style(style) => only.set(style, marks.has(style)),
        }
        only
    }
}
