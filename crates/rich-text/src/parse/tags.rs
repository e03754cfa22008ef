//! The block tags.

use openapi::models::{
    BlockCodeData, BlockColumnData, BlockColumnsData, BlockContentRef, BlockContentRefData, BlockEmbed, BlockEmbedData,
    BlockFile, BlockFileData, BlockHintData, BlockHintDataStyle, BlockIfData, BlockIntegration, BlockIntegrationData,
    BlockReusableContent, BlockReusableContentData, BlockStepperStepData, BlockTabsData, BlockTabsItemData, ContentRef,
    DocumentBlock,
};
use serde_json::Value as Json;

use super::{
    Place, Reader,
    attribute_values::length,
    frames::{Frames, Opener},
};
use crate::{
    nodes::{enum_names::from_word, unions::Whole as _},
    references::{Role, URL_LENGTH},
    syntax::{
        attributes::{Attributes, Value},
        entities,
        tags::Tag,
    },
};

/// What the contract allows for texts of tags.
const TITLE: usize = 1000;
const SYNTAX: usize = 100;
const ICON: usize = 50;
const EXPRESSION: usize = 1024;
const NAME: usize = 100;

/// What a tag means.
enum Meaning {
    Opens(Opener, Option<Place>),
    Block(DocumentBlock),
}

impl Reader<'_, '_> {
    pub(super) fn tag(&mut self, tag: &Tag, frames: &mut Frames) {
        if tag.closing {
            if !self.close(frames, &tag.name) {
                frames.text(&tag.raw);
            }
            return;
        }
        let mut attributes = tag.attributes.clone();
        let meaning = self.container(tag, &mut attributes, frames);
        let meaning = meaning.or_else(|| self.leaf(tag, &mut attributes));
        match meaning.filter(|_| attributes.done()) {
            Some(Meaning::Opens(opener, place)) if frames.has_room(self.limits) => {
                self.open(frames, opener, &tag.name, &tag.raw, place);
            }
            Some(Meaning::Block(block)) => {
                self.end_leaf(frames);
                frames.push(block);
            }
            _ => frames.text(&tag.raw),
        }
    }

    fn container(&mut self, tag: &Tag, attributes: &mut Attributes, frames: &mut Frames) -> Option<Meaning> {
        if tag.name != "if" && !tag.argument.is_empty() {
            return None;
        }
        if matches!(tag.name.as_str(), "tab" | "step" | "column") {
            self.end_leaf(frames);
        }
        let (opener, place) = match (tag.name.as_str(), frames.opener()) {
            ("hint", _) => (Opener::Hint(hint(attributes)?), Some(Place::Hint)),
            ("if", _) => (Opener::If(condition(&tag.argument)?), Some(Place::Document)),
            ("code", _) => (Opener::Code(Box::new(code(attributes)?)), None),
            ("stepper", _) => (Opener::Stepper, None),
            ("step", Opener::Stepper) => {
                let icon = attributes.take_short("icon", ICON);
                (Opener::Step(BlockStepperStepData { icon }), Some(Place::Panel))
            }
            ("tabs", _) => {
                let full_width = attributes.take_flag("fullWidth");
                (Opener::Tabs(BlockTabsData { full_width }), None)
            }
            ("tab", Opener::Tabs(_)) => {
                let title = attributes.take_short("title", TITLE);
                let title = title.filter(|title| !title.is_empty());
                (Opener::Tab(BlockTabsItemData { title }), Some(Place::Panel))
            }
            ("columns", _) => {
                let full_width = attributes.take_flag("fullWidth");
                (Opener::Columns(BlockColumnsData { full_width }), None)
            }
            ("column", Opener::Columns(_)) => (Opener::Column(column(attributes)), Some(Place::Column)),
            _ => return None,
        };
        Some(Meaning::Opens(opener, place))
    }

    /// A block without content of its own.
    fn leaf(&mut self, tag: &Tag, attributes: &mut Attributes) -> Option<Meaning> {
        if tag.name == "include" {
            return self.include(&tag.argument).map(Meaning::Block);
        }
        if !tag.argument.is_empty() {
            return None;
        }
        if let Some(name) = tag.name.strip_prefix('@') {
            return integration(name, attributes).map(Meaning::Block);
        }
        let (block, target) = match tag.name.as_str() {
            "embed" => embed(attributes)?,
            "content-ref" => {
                let target = attributes.take("url")?;
                (content_ref(self.reference(Role::Link, &target)?), target)
            }
            "file" => {
                let target = attributes.take("src")?;
                (file(self.reference(Role::File, &target)?)?, target)
            }
            _ => self.operation(&tag.name, attributes)?,
        };
        let block = Box::new(block);
        Some(Meaning::Opens(Opener::Leaf { block, target }, None))
    }

    fn include(&mut self, argument: &str) -> Option<DocumentBlock> {
        let quote = |quote: char| argument.trim().strip_prefix(quote)?.strip_suffix(quote);
        let target = quote('"').or_else(|| quote('\''))?;
        let target = entities::decode(target);
        match self.reference(Role::Reusable, &target)? {
            ContentRef::ContentRefReusableContent(reference) => Some(
                BlockReusableContent {
                    object: Default::default(),
                    r#type: Default::default(),
                    key: None,
                    is_void: Default::default(),
                    data: BlockReusableContentData { r#ref: reference },
                    meta: None,
                }
                .whole(),
            ),
            _ => None,
        }
    }
}

fn hint(attributes: &mut Attributes) -> Option<BlockHintData> {
    let style = match attributes.take("style") {
        Some(style) => from_word(&style)?,
        None => BlockHintDataStyle::Info,
    };
    let icon = attributes.take_short("icon", ICON);
    Some(BlockHintData { style, icon })
}

fn condition(expression: &str) -> Option<BlockIfData> {
    (expression.chars().count() <= EXPRESSION).then(|| BlockIfData {
        expression: expression.to_owned(),
    })
}

fn code(attributes: &mut Attributes) -> Option<BlockCodeData> {
    let mut data = super::code::plain_data(None);
    data.title = attributes.take_short("title", TITLE);
    // The language usually stands at the code itself.
    data.syntax = attributes.take_short("syntax", SYNTAX);
    data.line_numbers = attributes.take_flag("lineNumbers");
    data.full_width = attributes.take_flag("fullWidth");
    data.expandable = attributes.take_flag("expandable");
    if let Some(overflow) = attributes.take("overflow") {
        data.overflow = from_word(&overflow)?;
    }
    if let Some(lines) = attributes.take("collapsedLineCount") {
        data.collapsed_line_count = lines.parse().ok().filter(|lines| (1..=10_000).contains(lines))?;
    }
    Some(data)
}

fn column(attributes: &mut Attributes) -> BlockColumnData {
    BlockColumnData {
        width: attributes.take_as("width", length),
        vertical_alignment: attributes.take_as("valign", from_word),
    }
}

fn embed(attributes: &mut Attributes) -> Option<(DocumentBlock, String)> {
    let url = attributes.take_short("url", URL_LENGTH)?;
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
    Some((block.whole(), url))
}

fn content_ref(reference: ContentRef) -> DocumentBlock {
    BlockContentRef {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data: BlockContentRefData { r#ref: reference },
    }
    .whole()
}

fn file(reference: ContentRef) -> Option<DocumentBlock> {
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
        .whole(),
    )
}

/// `{% @integration/block name="value" %}`: values in quotes are texts, others numbers or booleans.
fn integration(name: &str, attributes: &mut Attributes) -> Option<DocumentBlock> {
    let (integration, block) = name.split_once('/')?;
    (integration.len() <= NAME && block.len() <= NAME).then_some(())?;
    let url = attributes.take_short("url", URL_LENGTH);
    let full_width = attributes.take_flag("fullWidth");
    let mut props = std::collections::BTreeMap::new();
    for attribute in std::mem::take(attributes).into_rest() {
        let value = match attribute.value {
            Value::Quoted(text) => Json::String(text),
            Value::Bare(text) => serde_json::from_str(&text).ok()?,
            Value::None => Json::Bool(true),
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
        .whole(),
    )
}
