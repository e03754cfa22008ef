//! Targets in block tags and HTML blocks.

use std::ops::Range;

use comrak::{Node, nodes::NodeValue};

use super::{
    LinkChange, LinkRewriter, escape_markdown,
    html_links::{HtmlTags, TextSyntax},
    quoted,
};
use crate::{
    resolver::ReferenceRole,
    syntax::{
        attributes::{self, AttributeSyntax},
        block_tags::BlockTag,
        entities,
    },
};

/// Returns the attribute of a tag that holds its target, and the role of the target. The target is the argument of the
/// tag if there is no attribute.
fn target_attribute(name: &str) -> Option<(Option<&'static str>, ReferenceRole)> {
    Some(match name {
        "content-ref" => (Some("url"), ReferenceRole::Link),
        "file" => (Some("src"), ReferenceRole::File),
        "include" => (None, ReferenceRole::ReusableContent),
        "swagger" | "openapi" => (Some("src"), ReferenceRole::Media),
        "openapi-operation" | "openapi-schemas" | "openapi-webhook" => (Some("spec"), ReferenceRole::Specification),
        _ => return None,
    })
}

impl<'a> LinkRewriter<'a, '_> {
    pub(super) fn tag(&mut self, node: Node<'a>, tag: &BlockTag) {
        if tag.closing {
            return;
        }
        let fallback = self.fallback_paragraph(node, &tag.name);
        if tag.name == "embed" {
            // The URL of an embed is not a reference.
            self.fallback = fallback.map(|paragraph| (paragraph, false));
            return;
        }
        let Some((attribute, role)) = target_attribute(&tag.name) else {
            return;
        };
        let place = match attribute {
            Some(attribute) => attribute_target(tag, attribute),
            None => argument_target(tag),
        };
        let (Some((at, target)), Some(start)) = (place, self.source.offset(node.data().sourcepos.start)) else {
            return;
        };
        let Some(start) = self.placeholder_offset(start) else {
            return;
        };
        self.fallback = fallback.map(|paragraph| (paragraph, true));
        match self.change_of(&target, role) {
            LinkChange::Keep => {}
            LinkChange::Replace(new) | LinkChange::ReplaceNamed { target: new, .. } => {
                let value = quoted(&new);
                self.edits.replace_in_placeholder(self.source, start, at, value);
            }
            LinkChange::ReplaceTag(text) => {
                let text = self.edits.with_prefix_of(self.source, start, &text);
                self.edits
                    .replace_in_placeholder(self.source, start, 0..tag.raw.trim_end().len(), text);
            }
            LinkChange::Unlink => {
                let label = if fallback.is_some() {
                    String::new()
                } else {
                    escape_markdown(&target)
                };
                self.edits
                    .replace_in_placeholder(self.source, start, 0..tag.raw.len(), label);
                self.remove_closing_tag(node, &tag.name);
            }
        }
    }

    /// Returns the offset of the placeholder in a line; the position of the block can be before it.
    fn placeholder_offset(&self, at: usize) -> Option<usize> {
        let line = self.source.text.get(at..)?;
        Some(at + line.find("<?")?)
    }

    /// Returns the paragraph between a tag and its closing tag if the paragraph is only a link.
    fn fallback_paragraph(&self, node: Node<'a>, name: &str) -> Option<Node<'a>> {
        let paragraph = node.next_sibling()?;
        let only = paragraph.first_child()?;
        let is_link = matches!(only.data().value, NodeValue::Link(_)) && only.next_sibling().is_none();
        let is_paragraph = matches!(paragraph.data().value, NodeValue::Paragraph);
        let closed = self.closing_tag(paragraph.next_sibling()?, name).is_some();
        (is_link && is_paragraph && closed).then_some(paragraph)
    }

    /// Returns the tag of this node if it closes `name`.
    fn closing_tag(&self, node: Node<'a>, name: &str) -> Option<BlockTag> {
        match &node.data().value {
            NodeValue::HtmlBlock(html) => self
                .source
                .tag(&html.literal)
                .filter(|tag| tag.closing && tag.name == name),
            _ => None,
        }
    }

    /// Removes the closing tag, which at most one block precedes.
    fn remove_closing_tag(&mut self, node: Node<'a>, name: &str) {
        let mut next = node.next_sibling();
        for _ in 0..2 {
            let Some(sibling) = next else {
                return;
            };
            let length = self.closing_tag(sibling, name).map(|tag| tag.raw.len());
            if let Some(length) = length {
                let start = self.source.offset(sibling.data().sourcepos.start);
                if let Some(start) = start.and_then(|start| self.placeholder_offset(start)) {
                    self.edits.replace_in_placeholder(self.source, start, 0..length, "");
                }
                return;
            }
            next = sibling.next_sibling();
        }
    }

    pub(super) fn html_block(&mut self, node: Node<'a>, literal: &str) {
        let first = node.data().sourcepos.start.line;
        let mut lines = Vec::new();
        let mut local = 0;
        for (number, line) in literal.split_inclusive('\n').enumerate() {
            // The parser removed the prefixes of the enclosing containers.
            let written = (first + number).checked_sub(1).and_then(|line| self.source.line(line));
            let at = written.and_then(|(at, written)| {
                let bare = written.trim_end_matches('\n');
                // A tab after a prefix became spaces.
                let content = line.trim_end_matches('\n').trim_start_matches([' ', '\t']);
                let prefix = bare.len().checked_sub(content.len())?;
                (bare.get(prefix..) == Some(content)).then_some(at + prefix)
            });
            let Some(at) = at else {
                return;
            };
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            lines.push((local + indent, at));
            local += line.len();
        }
        let masked = self.source.mask(literal);
        self.elements(&HtmlTags::of_block(&masked, lines), TextSyntax::Html);
    }
}

/// Returns the range and the value of an attribute in a tag.
fn attribute_target(tag: &BlockTag, name: &str) -> Option<(Range<usize>, String)> {
    let from = tag.raw.find(&tag.name)? + tag.name.len();
    let at = attributes::value_range(tag.raw.get(from..)?, name, AttributeSyntax::BlockTag)?;
    let mut attributes = tag.attributes.clone();
    Some((from + at.start..from + at.end, attributes.take(name)?))
}

/// Returns the range and the value of a quoted argument.
fn argument_target(tag: &BlockTag) -> Option<(Range<usize>, String)> {
    let argument = tag.argument.trim();
    let quoted = |quote: char| argument.strip_prefix(quote)?.strip_suffix(quote);
    let inner = quoted('"').or_else(|| quoted('\''))?;
    let from = tag.raw.rfind(argument)?;
    Some((from..from + argument.len(), entities::decode(inner).into_owned()))
}
