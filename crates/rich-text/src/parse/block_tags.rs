//! Blocks of the tags `{% … %}`.

use std::collections::HashMap;

use comrak::{Node, nodes::NodeValue};
use openapi::models::{
    BlockCodeData, BlockColumnData, BlockColumnsData, BlockContentRef, BlockContentRefData, BlockEmbed, BlockEmbedData,
    BlockFile, BlockFileData, BlockHintData, BlockHintDataStyle, BlockIfData, BlockIntegration, BlockIntegrationData,
    BlockPromptData, BlockReusableContent, BlockReusableContentData, BlockStepperStepData, BlockTabsData,
    BlockTabsItemData, BlockUpdateData, BlockUpdatesData, BlockUpdatesDataFormat, ContentRef, ContentRefTag,
    DocumentBlock,
};
use serde_json::Value as Json;

use super::{
    MarkdownParser, MisplacedInclude,
    attribute_values::{date, length},
    container_kind::ContainerKind,
    frame_stack::{ClosingTag, FrameKind, FrameStack, OpeningTag, UnknownContent},
};
use crate::{
    nodes::enum_names::parse_enum_name,
    resolver::{MAX_URL_LENGTH, ReferenceRole, is_safe_target},
    syntax::{
        attributes::{AttributeValue, Attributes},
        block_tags::BlockTag,
        html,
    },
};

/// Maximum lengths in the contract.
const MAX_TITLE_LENGTH: usize = 1000;
const MAX_SYNTAX_LENGTH: usize = 100;
const MAX_ICON_LENGTH: usize = 50;
const MAX_EXPRESSION_LENGTH: usize = 1024;
const MAX_NAME_LENGTH: usize = 100;
const MAX_SLUG_LENGTH: usize = 320;
const MAX_DESCRIPTION_LENGTH: usize = 10_000;
const MAX_TAGS: usize = 1000;

/// The block or the container that a tag begins.
enum TagMeaning {
    Opens(FrameKind, Option<ContainerKind>),
    Block(DocumentBlock),
}

/// Returns the offset of the last closing tag of each name.
pub fn closing_tags(text: &str) -> HashMap<String, usize> {
    let mut last = HashMap::new();
    for (at, _) in text.match_indices("{%") {
        let inner = text.get(at + 2..).unwrap_or_default().trim_start_matches([' ', '\t']);
        if let Some(rest) = inner.strip_prefix("end") {
            let end = rest.find([' ', '\t', '\n', '%']).unwrap_or(rest.len());
            last.insert(rest.get(..end).unwrap_or_default().to_owned(), at);
        }
    }
    last
}

impl<'a> MarkdownParser<'a, '_> {
    /// Returns whether a node is within an unknown container, which keeps its source as a whole.
    pub(super) fn skip(&mut self, node: Node<'a>, value: &NodeValue, frames: &mut FrameStack) -> bool {
        let end = self.end_of(node);
        let Some((name, content)) = frames.unknown() else {
            return false;
        };
        content.end = end.unwrap_or(content.end);
        content.missing_end = missing_end(value);
        if let NodeValue::HtmlBlock(html) = value
            && let Some(tag) = self.source.tag(&html.literal)
            && tag.name == name
        {
            content.open = if tag.closing {
                content.open.saturating_sub(1)
            } else {
                content.open + 1
            };
            if content.open == 0 {
                let (start, _) = self.tag_offset(node);
                // The definitions between the tags are no definitions.
                self.definitions.exclude(frames.start()..start);
                self.close(frames, &tag.name, self.closing(&tag, start));
            }
        }
        true
    }

    /// Returns the offset of the end of a node in the text.
    fn end_of(&self, node: Node<'a>) -> Option<usize> {
        let (at, line) = self.source.line(node.data().sourcepos.end.line.checked_sub(1)?)?;
        let end = at + line.trim_end_matches('\n').len();
        self.text_offset(end)
    }

    fn closing<'t>(&self, tag: &'t BlockTag, start: usize) -> ClosingTag<'t> {
        ClosingTag {
            raw: &tag.raw,
            end: start + tag.raw.trim_end().len(),
        }
    }

    /// Returns the offset of a tag in the text, and in its line.
    fn tag_offset(&self, node: Node<'a>) -> (usize, usize) {
        let place = self.source.offset(node.data().sourcepos.start).and_then(|start| {
            let start = start + self.source.text.get(start..)?.find("<?")?;
            Some((self.text_offset(start)?, self.source.source_position(start)?.1))
        });
        place.unwrap_or_default()
    }

    pub(super) fn tag(&mut self, node: Node<'a>, tag: &BlockTag, frames: &mut FrameStack) {
        let (start, column) = self.tag_offset(node);
        if tag.closing {
            if !self.close(frames, &tag.name, self.closing(tag, start)) {
                self.push_tag_source(&tag.raw, "", frames);
            }
            return;
        }
        if matches!(tag.name.as_str(), "tab" | "step" | "column" | "update") {
            self.end_leaf(frames);
        }
        let opening = OpeningTag {
            name: &tag.name,
            raw: &tag.raw,
            start,
            column,
        };
        if tag.name == "include"
            && !frames.container().accepts("reusable-content")
            && let Some(target) = tag.included()
        {
            let at = start..start + tag.raw.trim_end().len();
            self.misplaced_includes.push(MisplacedInclude { at, target });
        }
        let mut attributes = tag.attributes.clone();
        let meaning = self.container(tag, &mut attributes, frames);
        let meaning = meaning.or_else(|| self.leaf(tag, &mut attributes, frames));
        let has_end = self.closing_tags.get(&tag.name).is_some_and(|end| *end > start);
        match meaning.filter(|_| attributes.all_consumed()) {
            _ if !frames.has_room(self.limits) => self.push_tag_source(&tag.raw, "", frames),
            Some(TagMeaning::Opens(kind, container)) => self.open(frames, kind, opening, container),
            Some(TagMeaning::Block(block)) => {
                self.end_leaf(frames);
                frames.push(block);
            }
            _ if is_container(&tag.name) => {
                self.open(frames, FrameKind::Markers(visible_attribute(tag)), opening, None);
            }
            _ if has_end => {
                let end = start + tag.raw.trim_end().len();
                self.open(
                    frames,
                    FrameKind::Unknown(UnknownContent {
                        open: 1,
                        end,
                        missing_end: None,
                    }),
                    opening,
                    None,
                );
            }
            _ => self.push_tag_source(&tag.raw, &visible_attribute(tag), frames),
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
        let block = match tag.name.as_str() {
            "tab" | "step" | "column" | "update" => "paragraph",
            name => name,
        };
        if !frames.container().accepts(block) {
            return None;
        }
        let (kind, container) = match (tag.name.as_str(), frames.kind()) {
            ("hint", _) => (FrameKind::Hint(hint_data(attributes)?), Some(ContainerKind::Hint)),
            ("if", _) => (
                FrameKind::If(condition_data(&tag.argument)?),
                Some(ContainerKind::Document),
            ),
            ("code", _) => (FrameKind::Code(Box::new(code_data(attributes)?)), None),
            ("stepper", _) => (FrameKind::Stepper, Some(ContainerKind::Step)),
            ("step", FrameKind::Stepper) => {
                let icon = attributes.take_bounded("icon", MAX_ICON_LENGTH);
                (
                    FrameKind::Step(BlockStepperStepData { icon }),
                    Some(ContainerKind::Step),
                )
            }
            ("tabs", _) => {
                let full_width = attributes.take_flag("fullWidth");
                (FrameKind::Tabs(BlockTabsData { full_width }), Some(ContainerKind::Tab))
            }
            ("tab", FrameKind::Tabs(_)) => {
                let title = attributes.take_bounded("title", MAX_TITLE_LENGTH);
                let data = BlockTabsItemData {
                    title: title.filter(|title| !title.is_empty()),
                    icon: attributes.take_bounded("icon", MAX_ICON_LENGTH),
                    slug: attributes.take_bounded("slug", MAX_SLUG_LENGTH),
                };
                (FrameKind::Tab(data), Some(ContainerKind::Tab))
            }
            ("columns", _) => {
                let full_width = attributes.take_flag("fullWidth");
                (
                    FrameKind::Columns(BlockColumnsData { full_width }),
                    Some(ContainerKind::Column),
                )
            }
            ("updates", _) => (
                FrameKind::Updates(updates_data(attributes)?),
                Some(ContainerKind::Update),
            ),
            ("update", FrameKind::Updates(_)) => {
                (FrameKind::Update(update_data(attributes)?), Some(ContainerKind::Update))
            }
            ("prompt", _) => (
                FrameKind::Prompt(Box::new(prompt_data(attributes)?)),
                Some(ContainerKind::Prompt),
            ),
            ("column", FrameKind::Columns(_)) => {
                (FrameKind::Column(column_data(attributes)), Some(ContainerKind::Column))
            }
            _ => return None,
        };
        Some(TagMeaning::Opens(kind, container))
    }

    /// Parses a tag whose block has no children.
    fn leaf(&mut self, tag: &BlockTag, attributes: &mut Attributes, frames: &FrameStack) -> Option<TagMeaning> {
        let block = match tag.name.as_str() {
            "openapi" => "swagger",
            "include" => "reusable-content",
            name if name.starts_with('@') => "integration",
            name => name,
        };
        if !frames.container().accepts(block) {
            return None;
        }
        if tag.name == "include" {
            return self.include(tag).map(TagMeaning::Block);
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

    fn include(&mut self, tag: &BlockTag) -> Option<DocumentBlock> {
        match self.resolve(ReferenceRole::ReusableContent, &tag.included()?)? {
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

/// Returns the end of a block of code or HTML whose end is missing, with the line end before it.
fn missing_end(value: &NodeValue) -> Option<String> {
    let end = match value {
        NodeValue::CodeBlock(code) if code.fenced && !code.closed => {
            char::from(code.fence_char).to_string().repeat(code.fence_length)
        }
        NodeValue::HtmlBlock(block) => html::missing_end(&block.literal)?,
        _ => return None,
    };
    Some(format!("\n{end}"))
}

/// Returns whether a tag encloses blocks.
fn is_container(name: &str) -> bool {
    matches!(
        name,
        "hint"
            | "tabs"
            | "tab"
            | "stepper"
            | "step"
            | "columns"
            | "column"
            | "updates"
            | "update"
            | "prompt"
            | "code"
            | "if"
    )
}

/// Returns what readers see of a tag that is no block here.
fn visible_attribute(tag: &BlockTag) -> String {
    let name = match tag.name.as_str() {
        "embed" | "content-ref" => "url",
        "tab" | "code" => "title",
        "update" => "date",
        "prompt" => "description",
        _ => return String::new(),
    };
    tag.attributes.clone().take(name).unwrap_or_default()
}

fn updates_data(attributes: &mut Attributes) -> Option<BlockUpdatesData> {
    let format = match attributes.take("format") {
        Some(format) => parse_enum_name(&format)?,
        None => BlockUpdatesDataFormat::Full,
    };
    Some(BlockUpdatesData { format })
}

fn update_data(attributes: &mut Attributes) -> Option<BlockUpdateData> {
    let tags = match attributes.take("tags") {
        None => None,
        Some(tags) => {
            let slugs: Vec<&str> = tags.split(',').map(str::trim).filter(|slug| !slug.is_empty()).collect();
            let fits = slugs.len() <= MAX_TAGS && slugs.iter().all(|slug| slug.chars().count() <= MAX_SLUG_LENGTH);
            fits.then_some(())?;
            Some(slugs.into_iter().map(tag_reference).collect())
        }
    };
    Some(BlockUpdateData {
        date: attributes.take_parsed("date", date)?,
        tags,
    })
}

fn tag_reference(slug: &str) -> ContentRefTag {
    ContentRefTag {
        kind: Default::default(),
        tag: slug.to_owned(),
        space: None,
    }
}

fn prompt_data(attributes: &mut Attributes) -> Option<BlockPromptData> {
    Some(BlockPromptData {
        description: attributes
            .take_bounded("description", MAX_DESCRIPTION_LENGTH)
            .unwrap_or_default(),
        icon: attributes.take_bounded("icon", MAX_ICON_LENGTH),
        open_in_ai_providers: attributes.take_flag("openInAIProviders"),
        default_expanded: attributes.take_parsed("defaultExpanded", parse_enum_name),
    })
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
        data: BlockContentRefData {
            r#ref: reference,
            text: None,
        },
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
            meta: None,
        }
        .into(),
    )
}
