//! The renderer: nodes to Markdown.

mod attributes;
mod blocks;
mod code;
mod containers;
mod html;
mod images;
mod inlines;
mod line_writer;
mod lists;
mod openapi_blocks;
mod runs;
mod styled_text;
mod tables;

use openapi::error::ErrorRule;
use std::collections::{HashMap, VecDeque};

use openapi::models::{ContentRef, Document};

use super::{
    error::DocumentError,
    limits::DocumentLimits,
    nodes::digest::NodeHash,
    resolver::{LinkResolver, ReferenceRole, is_safe_target},
};
use blocks::BlockContext;
use inlines::PendingFootnote;
use line_writer::LineWriter;

/// Renders a document. With `shares_footnotes`, annotations with the same body refer to one footnote.
pub fn document(
    document: &Document,
    limits: &DocumentLimits,
    resolver: &dyn LinkResolver,
    shares_footnotes: bool,
) -> Result<String, DocumentError> {
    if let Some(name) = document.data.additional.keys().next() {
        let message = format!("`data.{name}` cannot be expressed in Markdown.");
        return Err(DocumentError::new("/data", ErrorRule::DocumentData, message));
    }
    let mut renderer = MarkdownRenderer {
        out: LineWriter::default(),
        limits,
        resolver,
        path: Vec::new(),
        footnotes: VecDeque::new(),
        footnote_count: 0,
        footnote_numbers: shares_footnotes.then(HashMap::new),
        written: 0,
        depth: 0,
    };
    renderer.blocks("nodes", &document.nodes, BlockContext::DOCUMENT)?;
    renderer.footnotes(document.nodes.is_empty())?;
    Ok(renderer.out.finish())
}

struct MarkdownRenderer<'d, 'r> {
    out: LineWriter,
    limits: &'r DocumentLimits,
    resolver: &'r dyn LinkResolver,
    /// Path of the current node.
    path: Vec<(&'static str, usize)>,
    /// The footnotes that are not rendered yet.
    footnotes: VecDeque<PendingFootnote<'d>>,
    footnote_count: usize,
    /// The numbers of the footnotes by their content. `None`: each annotation has its own.
    footnote_numbers: Option<HashMap<NodeHash, usize>>,
    written: usize,
    depth: usize,
}

impl<'d> MarkdownRenderer<'d, '_> {
    /// Renders a child; errors name its position.
    fn with_path<T>(
        &mut self,
        member: &'static str,
        index: usize,
        write: impl FnOnce(&mut Self) -> Result<T, DocumentError>,
    ) -> Result<T, DocumentError> {
        self.path.push((member, index));
        let written = write(self);
        self.path.pop();
        written
    }

    /// Renders content that is nested this many levels deeper.
    fn nested(
        &mut self,
        levels: usize,
        write: impl FnOnce(&mut Self) -> Result<(), DocumentError>,
    ) -> Result<(), DocumentError> {
        if self.depth + levels > self.limits.depth {
            let message = format!("Blocks are nested more than {} levels deep.", self.limits.depth);
            return Err(self.error(ErrorRule::TooDeep, message));
        }
        self.depth += levels;
        let written = write(self);
        self.depth -= levels;
        written
    }

    fn error(&self, code: ErrorRule, message: impl Into<String>) -> DocumentError {
        DocumentError::at(&self.path, code, message)
    }

    /// Formats a reference as a target. The target must resolve to the same reference.
    fn format_target(&self, role: ReferenceRole, reference: &ContentRef) -> Result<String, DocumentError> {
        let target = self.resolver.format_target(role, reference);
        if let Some(target) = &target {
            self.require_safe(role, target)?;
        }
        match target.filter(|target| self.resolver.parse_target(role, target) == *reference) {
            Some(target) => Ok(target),
            None => Err(self.error(
                ErrorRule::UnresolvedReference,
                "The reference of this node cannot be expressed as a link target.",
            )),
        }
    }

    fn require_safe(&self, role: ReferenceRole, target: &str) -> Result<(), DocumentError> {
        match is_safe_target(role, target) {
            true => Ok(()),
            false => Err(DocumentError::unsafe_target(&self.path)),
        }
    }

    /// Renders the bodies of annotations, which may contain further annotations.
    fn footnotes(&mut self, mut first: bool) -> Result<(), DocumentError> {
        while let Some(note) = self.footnotes.pop_front() {
            self.path = note.pointer;
            self.depth = note.depth;
            self.written += 1;
            if !first {
                self.out.line("");
            }
            first = false;
            self.out.enter(&format!("[^{}]: ", self.written), "    ");
            self.nested(2, |renderer| {
                renderer.blocks("nodes", &note.fragment.nodes, BlockContext::INNER)
            })?;
            self.out.leave();
        }
        self.path.clear();
        Ok(())
    }
}
