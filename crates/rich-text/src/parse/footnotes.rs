//! Footnote and link definitions without a reference, which the document keeps as text.

use std::collections::{HashSet, hash_map::Entry};

use comrak::{Node, nodes::NodeValue};

use super::{BlockParser, BlockSink, MarkdownParser, container_kind::ContainerKind, give, text_paragraph};
use crate::{error::DocumentError, syntax::text_definitions::DefinitionUse};

impl BlockParser<'_> {
    /// Gives the next footnote definition without a reference to `sink`, and the link definitions after the last one.
    /// Returns whether there are more.
    pub(super) fn next_unused(&mut self, sink: BlockSink<'_>) -> Result<bool, DocumentError> {
        loop {
            let footnote = self.definitions.footnote_use(self.next_footnote);
            self.next_footnote += 1;
            match footnote {
                Some(DefinitionUse::Unused(range)) => {
                    let text = self.pieces.text_of(&self.text, range, &self.definitions);
                    let arena = text.arena(&self.limits);
                    if let Some(piece) = self.pieces.parse(&arena, text, &self.limits)? {
                        let mut parser = self.parser(&piece);
                        parser.collect_footnotes(piece.root);
                        if let Some(node) = piece.root.first_child() {
                            parser.unreferenced_footnote(node, sink)?;
                        }
                    }
                    return Ok(true);
                }
                Some(DefinitionUse::Used) => {}
                None => {
                    let mut unused = self.definitions.unused_links(&self.text);
                    unused.try_for_each(|text| sink(text_paragraph(&text)))?;
                    return Ok(false);
                }
            }
        }
    }
}

impl<'a> MarkdownParser<'a, '_> {
    /// Collects the footnote definitions of a piece, the first one of each name.
    pub(super) fn collect_footnotes(&mut self, root: Node<'a>) {
        if !self.definitions.has_footnotes() {
            return;
        }
        for node in root.descendants() {
            if let NodeValue::FootnoteDefinition(definition) = &node.data().value
                && let Entry::Vacant(entry) = self.footnotes.entry(definition.name.clone())
            {
                entry.insert(node);
            }
        }
    }

    /// Gives the footnote definitions of a whole text without a reference to `sink`.
    pub(super) fn unreferenced_footnotes(&mut self, root: Node<'a>, sink: BlockSink<'_>) -> Result<(), DocumentError> {
        let mut names = HashSet::new();
        for node in root.descendants() {
            let name = match &node.data().value {
                NodeValue::FootnoteDefinition(definition) => definition.name.clone(),
                _ => continue,
            };
            let is_repeated = !names.insert(name.clone());
            let start = self.source.offset(node.data().sourcepos.start);
            let start = start.and_then(|start| self.text_offset(start));
            if start.is_some_and(|start| self.definitions.is_excluded(start)) {
                continue;
            }
            let is_first = self.footnotes.get(&name).is_some_and(|first| first.same_node(node));
            let is_unused = is_first && !self.definitions.is_footnote_used(&name);
            if is_unused || is_repeated {
                self.unreferenced_footnote(node, sink)?;
            }
        }
        Ok(())
    }

    fn unreferenced_footnote(&mut self, node: Node<'a>, sink: BlockSink<'_>) -> Result<(), DocumentError> {
        let name = match &node.data().value {
            NodeValue::FootnoteDefinition(definition) => definition.name.clone(),
            _ => return Ok(()),
        };
        self.footnotes.remove(&name);
        self.definitions.mark_footnote_used(&name);
        let mut nodes = vec![text_paragraph(&format!("[^{}]:", self.source.restore(&name)))];
        nodes.extend(self.blocks(node, ContainerKind::Document, 0));
        nodes.append(&mut self.hoisted);
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        give(nodes, sink)
    }
}
