//! Blocks of the tags `{% … %}`.

use openapi::models::{
    BlockCodeData, BlockColumnData, BlockColumnsData, BlockContentRef, BlockContentRefData, BlockEmbed, BlockEmbedData,
    BlockFile, BlockFileData, BlockHintData, BlockHintDataStyle, BlockIfData, BlockIntegration, BlockIntegrationData,
    BlockReusableContent, BlockReusableContentData, BlockStepperStepData, BlockTabsData, BlockTabsItemData, ContentRef,
    DocumentBlock,
};
use serde_json::Value as Json;

use super::{
    ContainerKind, MarkdownParser,
    attribute_values::length,
    frame_stack::{FrameKind, FrameStack},
};
use crate::{
    nodes::enum_names::parse_enum_name,
    resolver::{MAX_URL_LENGTH, ReferenceRole, is_safe_target},
    syntax::{
        attributes::{AttributeValue, Attributes},
        block_tags::BlockTag,
        entities,
    },
};

/// Maximum lengths in the contract.
const MAX_TITLE_LENGTH: usize = 1000;
const MAX_SYNTAX_LENGTH: usize = 100;
const MAX_ICON_LENGTH: usize = 50;
const MAX_EXPRESSION_LENGTH: usize = 1024;
const MAX_NAME_LENGTH: usize = 100;

/// The block or the container that a tag begins.
enum TagMeaning {
    Opens(FrameKind, Option<ContainerKind>),
    Block(DocumentBlock),
}

impl MarkdownParser<'_, '_> {
    pub(super) fn tag(&mut self, tag: &BlockTag, frames: &mut FrameStack) {
        if tag.closing {
            if !self.close(frames, &tag.name) {
                frames.text(&tag.raw);
            }
            return;
        }
        let mut attributes = tag.attributes.clone();
        let meaning = self.container(tag, &mut attributes, frames);
        let meaning = meaning.or_else(|| self.leaf(tag, &mut attributes));
        match meaning.filter(|_| attributes.all_consumed()) {
            Some(TagMeaning::Opens(kind, container)) if frames.has_room(self.limits) => {
                self.open(frames, kind, &tag.name, &tag.raw, container);
            }
            Some(TagMeaning::Block(block)) => {
                self.end_leaf(frames);
                frames.push(block);
            }
            _ => frames.text(&tag.raw),
        }
    }

    fn container(
        &mut self,
        tag: &BlockTag,
        attributes: &mut Attributes,
        frames: &mut FrameStack,
    ) -> Option<TagMeaning> {
        if tag.name != "if" && !tag.argument.is_empty() {
            return None;
        }
        if matches!(tag.name.as_str(), "tab" | "step" | "column") {
            self.end_leaf(frames);
        }
        let (kind, container) = match (tag.name.as_str(), frames.kind()) {
            ("hint", _) => (FrameKind::Hint(hint_data(attributes)?), Some(ContainerKind::Hint)),
            ("if", _) => (
                FrameKind::If(condition_data(&tag.argument)?),
                Some(ContainerKind::Document),
            ),
            ("code", _) => (FrameKind::Code(Box::new(code_data(attributes)?)), None),
            ("stepper", _) => (FrameKind::Stepper, None),
            ("step", FrameKind::Stepper) => {
                let icon = attributes.take_bounded("icon", MAX_ICON_LENGTH);
                (
                    FrameKind::Step(BlockStepperStepData { icon }),
                    Some(ContainerKind::Panel),
                )
            }
            ("tabs", _) => {
                let full_width = attributes.take_flag("fullWidth");
                (FrameKind::Tabs(BlockTabsData { full_width }), None)
            }
            ("tab", FrameKind::Tabs(_)) => {
                let title = attributes.take_bounded("title", MAX_TITLE_LENGTH);
                let title = title.filter(|title| !title.is_empty());
                (FrameKind::Tab(BlockTabsItemData { title }), Some(ContainerKind::Panel))
            }
            ("columns", _) => {
                let full_width = attributes.take_flag("fullWidth");
                (FrameKind::Columns(BlockColumnsData { full_width }), None)
            }
            ("column", FrameKind::Columns(_)) => {
                (FrameKind::Column(column_data(attributes)), Some(ContainerKind::Column))
            }
            _ => return None,
        };
        Some(TagMeaning::Opens(kind, container))
    }

    /// Parses a tag whose block has no children.
    fn leaf(&mut self, tag: &BlockTag, attributes: &mut Attributes) -> Option<TagMeaning> {
        if tag.name == "include" {
            return self.include(&tag.argument).map(TagMeaning::Block);
        }
        if !tag.argument.is_empty() {
            return None;
        }
        if let Some(name) = tag.name.strip_prefix('@') {
            return integration_block(name, attributes).map(TagMeaning::Block);
        }
        let (block, target) = match tag.name.as_str() {
            "embed" => embed_block(attributes)?,
            "content-ref" => {
                let target = attributes.take("url")?;
                (content_ref_block(self.resolve(ReferenceRole::Link, &target)?), target)
            }
            "file" => {
                let target = attributes.take("src")?;
                (file_block(self.resolve(ReferenceRole::File, &target)?)?, target)
            }
            _ => self.operation(&tag.name, attributes)?,
        };
        let block = Box::new(block);
        Some(TagMeaning::Opens(FrameKind::Leaf { block, target }, None))
    }

    fn include(&mut self, argument: &str) -> Option<DocumentBlock> {
        let blockquote = |blockquote: char| argument.trim().strip_prefix(blockquote)?.strip_suffix(blockquote);
        let target = blockquote('"').or_else(|| blockquote('\''))?;
        let target = entities::decode(target);
        match self.resolve(ReferenceRole::ReusableContent, &target)? {
            ContentRef::ContentRefReusableContent(reference) => Some(
                BlockReusableContent {
                    object: Default::default(),
                    r#type: Default::default(),
                    key: None,
                    is_void: Default::default(),
                    data: BlockReusableContentData { r#ref: reference },
                    meta: None,
                }
                .into(),
            ),
            _ => None,
        }
    }
}

fn hint_data(attributes: &mut Attributes) -> Option<BlockHintData> {
    let style = match attributes.take("style") {
        Some(style) => parse_enum_name(&style)?,
        None => BlockHintDataStyle::Info,
    };
    let icon = attributes.take_bounded("icon", MAX_ICON_LENGTH);
    Some(BlockHintData { style, icon })
}

fn condition_data(expression: &str) -> Option<BlockIfData> {
    (expression.chars().count() <= MAX_EXPRESSION_LENGTH).then(|| BlockIfData {
        expression: expression.to_owned(),
    })
}

fn code_data(attributes: &mut Attributes) -> Option<BlockCodeData> {
    let mut data = super::code::default_data(None);
    data.title = attributes.take_bounded("title", MAX_TITLE_LENGTH);
    // The fence of the code usually names the language.
    data.syntax = attributes.take_bounded("syntax", MAX_SYNTAX_LENGTH);
    data.line_numbers = attributes.take_flag("lineNumbers");
    data.full_width = attributes.take_flag("fullWidth");
    data.expandable = attributes.take_flag("expandable");
    if let Some(overflow) = attributes.take("overflow") {
        data.overflow = parse_enum_name(&overflow)?;
    }
    if let Some(lines) = attributes.take("collapsedLineCount") {
        data.collapsed_line_count = lines.parse().ok().filter(|lines| (1..=10_000).contains(lines))?;
    }
    Some(data)
}

fn column_data(attributes: &mut Attributes) -> BlockColumnData {
    BlockColumnData {
        width: attributes.take_parsed("width", length),
        vertical_alignment: attributes.take_parsed("valign", parse_enum_name),
    }
}

fn embed_block(attributes: &mut Attributes) -> Option<(DocumentBlock, String)> {
    let url = attributes.take_bounded("url", MAX_URL_LENGTH)?;
    is_safe_target(ReferenceRole::Media, &url).then_some(())?;
    let full_width = attributes.take_flag("fullWidth");
    let block = BlockEmbed {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data: BlockEmbedData {
            url: url.clone(),
            full_width,
        },
    };
    Some((block.into(), url))
}

fn content_ref_block(reference: ContentRef) -> DocumentBlock {
    BlockContentRef {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data: BlockContentRefData { r#ref: reference },
    }
    .into()
}

fn file_block(reference: ContentRef) -> Option<DocumentBlock> {
    let ContentRef::ContentRefFile(file) = reference else {
        return None;
    };
    Some(
        BlockFile {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: BlockFileData { r#ref: file },
        }
        .into(),
    )
}

/// `{% @integration/block name="value" %}`: quoted values are strings, unquoted ones numbers or booleans.
fn integration_block(name: &str, attributes: &mut Attributes) -> Option<DocumentBlock> {
    let (integration, block) = name.split_once('/')?;
    (integration.len() <= MAX_NAME_LENGTH && block.len() <= MAX_NAME_LENGTH).then_some(())?;
    let url = attributes.take_bounded("url", MAX_URL_LENGTH);
    let full_width = attributes.take_flag("fullWidth");
    let mut props = std::collections::BTreeMap::new();
    for attribute in std::mem::take(attributes).into_rest() {
        let value = match attribute.value {
            AttributeValue::Quoted(text) => Json::String(text),
            AttributeValue::Bare(text) => serde_json::from_str(&text).ok()?,
            AttributeValue::None => Json::Bool(true),
        };
        if props.insert(attribute.name, value).is_some() {
            return None;
        }
    }
    Some(
        BlockIntegration {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: BlockIntegrationData {
                integration: integration.to_owned(),
                block: block.to_owned(),
                props,
                action: None,
                url,
                full_width,
            },
        }
        .into(),
    )
}
