//! Blocks of integrations that Markdown writes as blocks of code. The integrations of a space decide which languages are blocks:
//! the same text is code where none of them is installed.

use std::{
    any::Any,
    collections::{BTreeMap, btree_map::Entry},
};

use openapi::models::{
    BlockCode, BlockCodeData, BlockCodeLine, BlockColumn, BlockIf, BlockIntegration, BlockIntegrationData,
    BlockStepperStep, BlockTabsItem, BlockUpdate, CodeLineNode, ColumnBlock, Document, DocumentBlock, ExpandableBlock,
    ExpandableBodyFragment, PanelBlock, StepBlock, UpdateBlock,
};
use serde::Serialize;
use serde_json::Value;

use super::{
    nodes::node::{AsNode, DocumentNode, NodeList},
    parse::code::{default_data, text_line},
};

/// A language of code that is a block of an integration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockLanguage {
    pub language: String,
    pub integration: String,
    pub block: String,
    /// The property of the block that is the code.
    pub property: String,
}

/// The languages of the integrations of a space, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BlockLanguages {
    by_language: BTreeMap<String, BlockLanguage>,
    /// The languages by `integration/block`.
    by_block: BTreeMap<String, String>,
}

impl FromIterator<BlockLanguage> for BlockLanguages {
    /// Of several blocks with the same language, the first one counts.
    fn from_iter<I: IntoIterator<Item = BlockLanguage>>(languages: I) -> Self {
        let mut found = Self::default();
        for language in languages {
            let (name, block) = (
                language.language.clone(),
                block_name(&language.integration, &language.block),
            );
            if let Entry::Vacant(vacant) = found.by_language.entry(name.clone()) {
                vacant.insert(language);
                found.by_block.insert(block, name);
            }
        }
        found
    }
}

/// The data of a block of code that is a block of an integration.
fn code_data(language: &BlockLanguage, full_width: Option<bool>) -> BlockCodeData {
    BlockCodeData {
        full_width,
        ..default_data(Some(language.language.clone()))
    }
}

fn block_name(integration: &str, block: &str) -> String {
    format!("{integration}/{block}")
}

impl BlockLanguages {
    pub fn is_empty(&self) -> bool {
        self.by_language.is_empty()
    }

    /// Makes blocks of integrations from blocks of code in these languages.
    pub fn read_in(&self, block: &mut DocumentBlock) {
        if !self.is_empty() {
            exchange(std::slice::from_mut(block), self, Direction::Read);
        }
    }

    /// Makes blocks of code from the blocks of integrations that have a language.
    pub fn write_in(&self, document: &mut Document) {
        if !self.is_empty() {
            exchange(&mut document.nodes, self, Direction::Write);
        }
    }

    /// The language of a block of code. `None`: it is none of these, or the code has options that blocks of integrations have not.
    fn of_code(&self, data: &BlockCodeData) -> Option<&BlockLanguage> {
        let language = self.by_language.get(data.syntax.as_deref()?)?;
        (*data == code_data(language, data.full_width)).then_some(language)
    }

    fn read(&self, code: &BlockCode) -> Option<BlockIntegration> {
        let language = self.of_code(&code.data)?;
        let text = plain_text(code.nodes.as_deref().unwrap_or_default())?;
        Some(integration_block(language, code, text))
    }

    fn write(&self, block: &BlockIntegration) -> Option<BlockCode> {
        let data = &block.data;
        let name = self.by_block.get(&block_name(&data.integration, &data.block))?;
        let language = self.by_language.get(name)?;
        let text = data.props.get(&language.property)?.as_str()?;
        let has_more = data.props.len() > 1 || data.url.is_some() || data.action.is_some();
        // Code has no such characters.
        if has_more || text.contains(['\r', '\0']) {
            return None;
        }
        let lines = text.split('\n').map(text_line).collect();
        Some(BlockCode {
            object: Default::default(),
            r#type: Default::default(),
            key: block.key.clone(),
            is_void: None,
            data: code_data(language, data.full_width),
            nodes: Some(if text.is_empty() { Vec::new() } else { lines }),
        })
    }
}

/// Returns the text of lines of code. `None`: they have more than text.
fn plain_text(lines: &[BlockCodeLine]) -> Option<String> {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        for node in line.nodes.iter().flatten() {
            let CodeLineNode::Text(node) = node else {
                return None;
            };
            text.extend(node.leaves.iter().map(|leaf| leaf.text.as_str()));
        }
        if line.data.highlighted == Some(true) {
            return None;
        }
    }
    Some(text)
}

/// The block with the key of the code in whose place it is.
fn integration_block(language: &BlockLanguage, code: &BlockCode, text: String) -> BlockIntegration {
    BlockIntegration {
        object: Default::default(),
        r#type: Default::default(),
        key: code.key.clone(),
        is_void: Default::default(),
        data: BlockIntegrationData {
            integration: language.integration.clone(),
            block: language.block.clone(),
            props: BTreeMap::from([(language.property.clone(), Value::String(text))]),
            action: None,
            url: None,
            full_width: code.data.full_width,
        },
        meta: None,
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Read,
    Write,
}

/// A union with blocks of code and blocks of integrations.
trait Exchange: AsNode {
    fn exchange(&mut self, languages: &BlockLanguages, direction: Direction);
}

macro_rules! exchange {
    ($($union:ident),+ $(,)?) => {
        $(impl Exchange for $union {
            fn exchange(&mut self, languages: &BlockLanguages, direction: Direction) {
                let exchanged = match (&*self, direction) {
                    (Self::BlockCode(code), Direction::Read) => {
                        languages.read(code).map(|block| Self::BlockIntegration(block.into()))
                    }
                    (Self::BlockIntegration(block), Direction::Write) => {
                        languages.write(block).map(|code| Self::BlockCode(code.into()))
                    }
                    _ => None,
                };
                if let Some(exchanged) = exchanged {
                    *self = exchanged;
                }
            }
        })+
    };
}

exchange!(
    ColumnBlock,
    DocumentBlock,
    ExpandableBlock,
    PanelBlock,
    StepBlock,
    UpdateBlock
);

fn exchange<T: Exchange>(blocks: &mut [T], languages: &BlockLanguages, direction: Direction) {
    for block in blocks {
        block.exchange(languages, direction);
        exchange_below(block.as_node_mut(), languages, direction);
    }
}

/// Exchanges the blocks of the containers that may have both; others keep what they have.
fn exchange_below(node: &mut dyn DocumentNode, languages: &BlockLanguages, direction: Direction) {
    let any: &mut dyn Any = node;
    if let Some(block) = any.downcast_mut::<BlockIf>() {
        exchange(block.nodes.all_mut(), languages, direction);
    } else if let Some(block) = any.downcast_mut::<BlockTabsItem>() {
        exchange(block.nodes.all_mut(), languages, direction);
    } else if let Some(block) = any.downcast_mut::<BlockStepperStep>() {
        exchange(block.nodes.all_mut(), languages, direction);
    } else if let Some(block) = any.downcast_mut::<BlockColumn>() {
        exchange(block.nodes.all_mut(), languages, direction);
    } else if let Some(block) = any.downcast_mut::<BlockUpdate>() {
        exchange(block.nodes.all_mut(), languages, direction);
    } else if let Some(fragment) = any.downcast_mut::<ExpandableBodyFragment>() {
        exchange(fragment.nodes.all_mut(), languages, direction);
    } else {
        for child in node.children_mut() {
            exchange_below(child, languages, direction);
        }
    }
}
