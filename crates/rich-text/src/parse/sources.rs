//! Syntax that no node type expresses: it keeps its source, and readers see its text.

use std::ops::Range;

use comrak::{Node, nodes::NodeCodeBlock};
use openapi::models::DocumentBlock;

use super::{BlockParser, MarkdownParser};
use crate::{
    limits::DocumentLimits,
    nodes::{
        builders,
        marks::{MarkSet, MarkStyle},
    },
    sections::SectionCollector,
    syntax::html::{self, HtmlToken},
};

/// Nesting levels that the parse of a source takes.
const SOURCE_LEVELS: usize = 2;

impl<'a> MarkdownParser<'a, '_> {
    /// Builds the block of a node that its container does not accept: its source.
    pub(super) fn source_of_node(&mut self, node: Node<'a>, depth: usize) -> Option<DocumentBlock> {
        let (range, source) = self.source_of(node)?;
        if let (Some(start), Some(end)) = (self.text_offset(range.start), self.text_offset(range.end)) {
            self.definitions.exclude(start..end);
        }
        Some(self.source_block(&source, depth))
    }

    /// Builds the one block of Markdown that keeps its source.
    pub(super) fn source_block(&self, source: &str, depth: usize) -> DocumentBlock {
        let visible = self.visible_text(source, depth);
        builders::source_paragraph(source, visible, MarkSet::default())
    }

    /// Builds the block of code in a container that does not accept it.
    pub(super) fn source_of_code(&self, node: Node<'a>, code: &NodeCodeBlock) -> Option<DocumentBlock> {
        let literal = self.source.restore(&code.literal);
        let text = match code.closed {
            true => literal.strip_suffix('\n').unwrap_or(&literal),
            // The empty lines before the end of its container are none of its own.
            false => literal.trim_end_matches('\n'),
        };
        let fence = |length: usize| char::from(code.fence_char).to_string().repeat(length);
        let source = match (code.fenced, code.closed) {
            (true, true) => self.source_of(node)?.1,
            (true, false) => format!("{}\n{}", self.source_of(node)?.1, fence(code.fence_length)),
            // Indentation is no part of the source of a node.
            (false, _) => {
                let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
                let fence = "`".repeat(longest.max(2) + 1);
                format!("{fence}\n{text}\n{fence}")
            }
        };
        let mut marks = MarkSet::default();
        marks.set(MarkStyle::Code, true);
        Some(builders::source_paragraph(&source, text.to_owned(), marks))
    }

    /// Returns the source of a node without the prefixes of its containers, and where it stands in the prepared text,
    /// in which placeholders have other lengths.
    pub(super) fn source_of(&self, node: Node<'a>) -> Option<(Range<usize>, String)> {
        let position = node.data().sourcepos;
        let indent = position.start.column.checked_sub(1)?;
        let mut source = String::new();
        for number in position.start.line..=position.end.line {
            // A block that is left open may end behind the last line.
            let Some((_, line)) = number.checked_sub(1).and_then(|number| self.source.line(number)) else {
                break;
            };
            let skipped = match number == position.start.line {
                true => indent,
                false => prefix_within(line, indent),
            };
            source.push_str(line.get(skipped..).unwrap_or_default());
        }
        let source = self.source.restore(source.trim_end_matches('\n')).into_owned();
        let end = self
            .source
            .offset(position.end)
            .map_or(self.source.text.len(), |last| last + 1);
        let range = self.source.offset(position.start)?..end;
        Some((range, source))
    }

    /// Returns the text that readers see of Markdown. The result depends on nothing but the Markdown.
    fn visible_text(&self, source: &str, depth: usize) -> String {
        let inner = strip_outer_tags(source);
        let limits = DocumentLimits {
            depth: self.limits.depth.saturating_sub(depth + SOURCE_LEVELS),
            ..*self.limits
        };
        if limits.depth < SOURCE_LEVELS {
            return String::new();
        }
        let mut sections = SectionCollector::default();
        let Ok(mut parser) = BlockParser::new(inner.into(), &limits, self.resolver) else {
            return String::new();
        };
        let mut add = |block: DocumentBlock| {
            sections.add(&block);
            Ok(())
        };
        while let Ok(true) = parser.next_piece(&mut add) {}
        let mut text = String::new();
        for section in sections.finish() {
            for part in [section.title, section.body].iter().filter(|part| !part.is_empty()) {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(part);
            }
        }
        text
    }
}

/// Returns the source between the first and the last tag of a container.
fn strip_outer_tags(source: &str) -> &str {
    let Some(inner) = source.strip_prefix("{%").and_then(|inner| inner.split_once("%}")) else {
        return source;
    };
    inner.1.rsplit_once("{%").map_or("", |(inner, _)| inner)
}

/// Returns the length of the prefix of a line within an indentation.
pub fn prefix_within(line: &str, indent: usize) -> usize {
    let is_prefix = |byte: &u8| matches!(byte, b' ' | b'\t' | b'>');
    line.bytes().take(indent).take_while(is_prefix).count()
}

/// Removes the prefixes of the enclosing containers from all lines but the first.
pub fn without_prefixes(source: &str, indent: usize) -> String {
    let mut lines = source.split('\n');
    let mut bare = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        bare.push('\n');
        bare.push_str(line.get(prefix_within(line, indent)..).unwrap_or_default());
    }
    bare
}

/// Returns the text that readers see of HTML: without tags, comments, scripts and styles.
pub fn visible_html(tokens: &[HtmlToken]) -> String {
    let mut text = String::new();
    let mut hidden: Option<&str> = None;
    for token in tokens {
        match token {
            HtmlToken::Close { name, .. } if hidden == Some(name) => hidden = None,
            token if token.is_word() && hidden.is_none() => text.push_str(token.raw()),
            HtmlToken::Open(element) if hidden.is_none() && html::is_hidden(&element.name) => {
                hidden = Some(&element.name);
            }
            HtmlToken::Open(element) if element.name == "br" || html::is_block(&element.name) => text.push('\n'),
            HtmlToken::Close { name, .. } if html::is_block(name) => text.push('\n'),
            HtmlToken::Text(part) if hidden.is_none() => {
                let decoded = crate::syntax::entities::decode(part);
                text.push_str(&decoded.replace(['\n', '\r', '\t'], " "));
            }
            _ => {}
        }
    }
    let lines = text.split('\n').map(|line| {
        line.split(' ')
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
