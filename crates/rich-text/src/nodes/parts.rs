//! Blocks in parts: the nodes of a long block take many times the memory of its text.

use openapi::models::DocumentBlock;

/// A block, or a part of its children. The parts of a block follow each other, and have its data.
pub struct BlockPart {
    pub block: DocumentBlock,
    /// The block begins with this part.
    pub is_first: bool,
    /// The block ends with this part, which has the key of the block.
    pub is_last: bool,
}

impl From<DocumentBlock> for BlockPart {
    fn from(block: DocumentBlock) -> Self {
        Self {
            block,
            is_first: true,
            is_last: true,
        }
    }
}

/// Joins parts to blocks.
#[derive(Default)]
pub struct PartJoiner(Option<DocumentBlock>);

impl PartJoiner {
    /// Returns the block that ends with this part.
    pub fn add(&mut self, part: BlockPart) -> Option<DocumentBlock> {
        let block = match (self.0.take(), part.block) {
            (Some(DocumentBlock::BlockCode(mut before)), DocumentBlock::BlockCode(mut more)) if !part.is_first => {
                let lines = before.nodes.get_or_insert_default();
                lines.append(more.nodes.get_or_insert_default());
                before.key = more.key;
                DocumentBlock::BlockCode(before)
            }
            (_, block) => block,
        };
        if part.is_last {
            return Some(block);
        }
        self.0 = Some(block);
        None
    }
}

/// Writes the JSON of blocks, separated by commas.
#[derive(Default)]
pub struct PartWriter {
    has_blocks: bool,
    has_children: bool,
}

impl PartWriter {
    /// Appends the JSON of a part.
    pub fn write(&mut self, part: &BlockPart, json: &mut Vec<u8>) -> serde_json::Result<()> {
        /// The nodes are the last member of a block with parts.
        const END: &[u8] = b"]}";
        if part.is_first {
            if std::mem::replace(&mut self.has_blocks, true) {
                json.push(b',');
            }
            serde_json::to_writer(&mut *json, &part.block)?;
            if !part.is_last {
                json.truncate(json.len() - END.len());
                self.has_children = true;
            }
            return Ok(());
        }
        let DocumentBlock::BlockCode(code) = &part.block else {
            return Ok(());
        };
        for line in code.nodes.iter().flatten() {
            if std::mem::replace(&mut self.has_children, true) {
                json.push(b',');
            }
            serde_json::to_writer(&mut *json, line)?;
        }
        if part.is_last {
            json.push(b']');
            if let Some(key) = &code.key {
                json.extend_from_slice(b",\"key\":");
                serde_json::to_writer(&mut *json, key)?;
            }
            json.push(b'}');
        }
        Ok(())
    }
}
