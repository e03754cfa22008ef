//! Long blocks of code, line by line: the nodes of short lines take a hundred times their text.

use comrak::{
    Node,
    nodes::{NodeCodeBlock, NodeValue},
};
use openapi::models::{BlockCodeData, BlockCodeLine};

use super::{BlockSink, MarkdownParser, code, frame_stack::FrameStack};
use crate::{
    error::DocumentError,
    limits::{COPIES, LINE_BYTES},
    nodes::parts::BlockPart,
};

/// The most lines of a part.
const LINES: usize = 1000;

/// The code of a piece that was given so far.
#[derive(Default)]
pub struct CodeCount {
    pub lines: usize,
    pub bytes: usize,
}

/// A block of code that is being divided.
pub struct CodeParts {
    data: BlockCodeData,
    text: String,
    /// Lines before the text.
    before: Vec<BlockCodeLine>,
    at: usize,
    is_first: bool,
}

impl CodeParts {
    /// Gives all parts to `sink`.
    pub fn try_for_each(mut self, sink: BlockSink<'_>) -> Result<(), DocumentError> {
        loop {
            let part = self.next_part();
            let is_last = part.is_last;
            sink(part)?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Returns the text of the next part, and whether it is the last one.
    fn next_text(&self) -> (&str, bool) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.match_indices('\n').nth(LINES - 1).map(|(end, _)| end);
        let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        (part, end.is_none())
    }

    /// Returns the most memory of the next part with its JSON.
    pub fn next_memory(&self) -> usize {
        let (part, _) = self.next_text();
        (self.before.len() + LINES) * LINE_BYTES + part.len() * COPIES
    }

    pub fn next_part(&mut self) -> BlockPart {
        let mut lines = std::mem::take(&mut self.before);
        let (part, is_last) = self.next_text();
        lines.extend(part.split('\n').map(code::text_line));
        let length = part.len();
        self.at += length + 1;
        BlockPart {
            block: code::code_block_node(self.data.clone(), lines),
            is_first: std::mem::take(&mut self.is_first),
            is_last,
        }
    }
}

impl<'a> MarkdownParser<'a, '_> {
    /// Returns the parts of a block of code in the document itself, if it is long with the code before it in the piece.
    pub(super) fn long_code(
        &mut self,
        node: Node<'a>,
        frames: &FrameStack,
        given: &mut CodeCount,
    ) -> Option<CodeParts> {
        let data = node.data();
        match &data.value {
            NodeValue::CodeBlock(code) if frames.is_closed() && !code.literal.is_empty() => {
                given.lines += code.literal.matches('\n').count();
                given.bytes += code.literal.len();
                let is_long =
                    given.lines > LINES && !self.is_too_long(&code.literal, '\n', self.limits.max_code_lines());
                is_long.then(|| self.code_parts(code))
            }
            _ => None,
        }
    }

    fn code_parts(&self, code: &NodeCodeBlock) -> CodeParts {
        let (data, before) = self.code_data(code);
        let mut text = self.source.restore(&code.literal).into_owned();
        text.truncate(text.strip_suffix('\n').unwrap_or(&text).len());
        CodeParts {
            data,
            text,
            before,
            at: 0,
            is_first: true,
        }
    }
}
