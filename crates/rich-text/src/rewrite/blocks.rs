//! Block tags and blocks of HTML.

use std::ops::Range;

use comrak::{Node, nodes::NodeValue};

use super::{
    Change, Work,
    elements::{Form, Html},
    quoted, words,
};
use crate::{
    references::Role,
    syntax::{
        attributes::{self, Syntax},
        entities,
        prepare::Stand,
        tags::Tag,
    },
};

/// Which attribute of a tag is a target, and of what.
fn target_of(name: &str) -> Option<(Option<&'static str>, Role)> {
    Some(match name {
        "content-ref" => (Some("url"), Role::Link),
        "file" => (Some("src"), Role::File),
        "include" => (None, Role::Reusable),
        "swagger" | "openapi" => (Some("src"), Role::Media),
        "openapi-operation" | "openapi-schemas" | "openapi-webhook" => (Some("spec"), Role::Specification),
        _ => return None,
    })
}

impl<'a> Work<'a, '_> {
    pub(super) fn tag(&mut self, node: Node<'a>, tag: &Tag) {
        if tag.closing {
            return;
        }
        let repeating = self.repeating_paragraph(node, &tag.name);
        if tag.name == "embed" {
            // It has an address, which is no reference.
            self.repeating = repeating.map(|paragraph| (paragraph, false));
            return;
        }
        let Some((attribute, role)) = target_of(&tag.name) else {
            return;
        };
        let place = match attribute {
            Some(attribute) => in_attribute(tag, attribute),
            None => in_argument(tag),
        };
        let (Some((at, target)), Some(start)) = (place, self.source.place(node.data().sourcepos.start)) else {
            return;
        };
        let Some(start) = self.mark_of(start) else {
            return;
        };
        self.repeating = repeating.map(|paragraph| (paragraph, true));
        match self.ask(&target, role) {
            Change::Keep => {}
            Change::To(new) => {
                let value = quoted(&new);
                self.edits.replace_after(self.source, start, at, value);
            }
            Change::PlainText => {
                let shown = if repeating.is_some() {
                    String::new()
                } else {
                    words(&target)
                };
                self.edits.replace_after(self.source, start, 0..tag.raw.len(), shown);
                self.drop_closing(node, &tag.name);
            }
        }
    }

    /// Where the stand-in of a line begins, which the position of its block need not be.
    fn mark_of(&self, at: usize) -> Option<usize> {
        let line = self.source.text.get(at..)?;
        Some(at + line.find("<?")?)
    }

    /// The paragraph between a tag and its end, if it is nothing but a link.
    fn repeating_paragraph(&self, node: Node<'a>, name: &str) -> Option<Node<'a>> {
        let paragraph = node.next_sibling()?;
        let only = paragraph.first_child()?;
        let is_link = matches!(only.data().value, NodeValue::Link(_)) && only.next_sibling().is_none();
        let is_paragraph = matches!(paragraph.data().value, NodeValue::Paragraph);
        let closed = self.closes(paragraph.next_sibling()?, name).is_some();
        (is_link && is_paragraph && closed).then_some(paragraph)
    }

    /// The tag of this node, if it is the end of such a tag.
    fn closes(&self, node: Node<'a>, name: &str) -> Option<&Tag> {
        match &node.data().value {
            NodeValue::HtmlBlock(html) => match self.source.stand_in(&html.literal)? {
                Stand::Tag(tag) if tag.closing && tag.name == name => Some(tag),
                _ => None,
            },
            _ => None,
        }
    }

    /// Takes away the end of a tag, before which one block may stand.
    fn drop_closing(&mut self, node: Node<'a>, name: &str) {
        let mut next = node.next_sibling();
        for _ in 0..2 {
            let Some(sibling) = next else {
                return;
            };
            let length = self.closes(sibling, name).map(|tag| tag.raw.len());
            if let Some(length) = length {
                let start = self.source.place(sibling.data().sourcepos.start);
                if let Some(start) = start.and_then(|start| self.mark_of(start)) {
                    self.edits.replace_after(self.source, start, 0..length, "");
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
            // What containers want was taken away before the line.
            let written = (first + number).checked_sub(1).and_then(|line| self.source.line(line));
            let at = written.and_then(|(at, written)| {
                let bare = written.trim_end_matches('\n');
                let prefix = bare.len().checked_sub(line.trim_end_matches('\n').len())?;
                bare.get(prefix..)
                    .is_some_and(|rest| line.starts_with(rest))
                    .then_some(at + prefix)
            });
            let Some(at) = at else {
                return;
            };
            lines.push((local, at));
            local += line.len();
        }
        self.elements(&Html::of_block(literal, lines), Form::Html);
    }
}

/// Where the value of an attribute stands in a tag, and what it is.
fn in_attribute(tag: &Tag, name: &str) -> Option<(Range<usize>, String)> {
    let from = tag.raw.find(&tag.name)? + tag.name.len();
    let at = attributes::value_of(tag.raw.get(from..)?, name, Syntax::Tag)?;
    let mut attributes = tag.attributes.clone();
    Some((from + at.start..from + at.end, attributes.take(name)?))
}

/// The same for a target that stands in quotes without a name.
fn in_argument(tag: &Tag) -> Option<(Range<usize>, String)> {
    let argument = tag.argument.trim();
    let quoted = |quote: char| argument.strip_prefix(quote)?.strip_suffix(quote);
    let inner = quoted('"').or_else(|| quoted('\''))?;
    let from = tag.raw.rfind(argument)?;
    Some((from..from + argument.len(), entities::decode(inner).into_owned()))
}
