//! Container tags, and tags without children.

use openapi::error::ErrorRule;
use openapi::models::{
    BlockColumns, BlockContentRef, BlockEmbed, BlockExpandable, BlockFile, BlockHint, BlockIf, BlockIntegration,
    BlockPrompt, BlockReusableContent, BlockStepper, BlockTabs, BlockUpdates, ContentRef, ExpandableFragment,
};
use serde_json::Value;

use super::{
    MarkdownRenderer,
    attributes::{attribute, format_length},
    blocks::BlockContext,
};
use crate::{
    error::DocumentError,
    nodes::{builders::MIDNIGHT, enum_names::enum_name, unions::BlockUnion},
    resolver::ReferenceRole,
    syntax::{entities, escape::EscapeMode},
};

/// Builds a tag from its name and attributes.
pub struct TagBuilder(String);

impl TagBuilder {
    pub fn new(name: &str) -> Self {
        Self(format!("{{% {name}"))
    }

    pub fn attribute(mut self, name: &str, value: &str) -> Self {
        // A backslash would escape the closing quote.
        self.0
            .push_str(&format!(" {}", attribute(name, value).replace('\\', "&#92;")));
        self
    }

    pub fn optional(self, name: &str, value: Option<&str>) -> Self {
        match value.filter(|value| !value.is_empty()) {
            Some(value) => self.attribute(name, value),
            None => self,
        }
    }

    pub fn flag(self, name: &str, value: Option<bool>) -> Self {
        match value {
            Some(true) => self.attribute(name, "true"),
            Some(false) => self.attribute(name, "false"),
            None => self,
        }
    }

    fn argument(mut self, text: &str) -> Self {
        self.0.push_str(&format!(" {text}"));
        self
    }

    pub fn build(self) -> String {
        format!("{} %}}", self.0)
    }
}

impl<'d> MarkdownRenderer<'d, '_> {
    /// Renders blocks between an opening and a closing tag.
    fn between_tags<F: BlockUnion>(
        &mut self,
        name: &str,
        tag: TagBuilder,
        levels: usize,
        blocks: &'d [F],
        context: BlockContext,
    ) -> Result<(), DocumentError> {
        self.out.tag(&tag.build());
        self.nested(levels, |renderer| renderer.blocks("nodes", blocks, context))?;
        self.out.tag(&format!("{{% end{name} %}}"));
        Ok(())
    }

    pub(super) fn hint(&mut self, hint: &'d BlockHint) -> Result<(), DocumentError> {
        let tag = TagBuilder::new("hint").attribute("style", &enum_name(hint.data.style));
        let tag = tag.optional("icon", hint.data.icon.as_deref());
        let nodes = hint.nodes.as_deref().unwrap_or_default();
        self.between_tags("hint", tag, 2, nodes, BlockContext::INNER)
    }

    pub(super) fn condition(&mut self, condition: &'d BlockIf) -> Result<(), DocumentError> {
        let tag = TagBuilder::new("if").argument(&condition.data.expression);
        let nodes = condition.nodes.as_deref().unwrap_or_default();
        self.between_tags("if", tag, 2, nodes, BlockContext::DOCUMENT)
    }

    pub(super) fn tabs(&mut self, tabs: &'d BlockTabs) -> Result<(), DocumentError> {
        let full_width = tabs.data.as_ref().and_then(|data| data.full_width);
        self.out
            .tag(&TagBuilder::new("tabs").flag("fullWidth", full_width).build());
        for (index, tab) in tabs.nodes.iter().flatten().enumerate() {
            self.blank_line_between(index);
            let tag = TagBuilder::new("tab")
                .attribute("title", tab.data.title.as_deref().unwrap_or_default())
                .optional("icon", tab.data.icon.as_deref())
                .optional("slug", tab.data.slug.as_deref());
            let nodes = tab.nodes.as_deref().unwrap_or_default();
            self.container_item(index, |renderer| {
                renderer.between_tags("tab", tag, 2, nodes, BlockContext::DOCUMENT)
            })?;
        }
        self.out.tag("{% endtabs %}");
        Ok(())
    }

    pub(super) fn stepper(&mut self, stepper: &'d BlockStepper) -> Result<(), DocumentError> {
        self.out.tag("{% stepper %}");
        for (index, step) in stepper.nodes.iter().flatten().enumerate() {
            self.blank_line_between(index);
            let tag = TagBuilder::new("step").optional("icon", step.data.icon.as_deref());
            let nodes = step.nodes.as_deref().unwrap_or_default();
            self.container_item(index, |renderer| {
                renderer.between_tags("step", tag, 2, nodes, BlockContext::DOCUMENT)
            })?;
        }
        self.out.tag("{% endstepper %}");
        Ok(())
    }

    pub(super) fn updates(&mut self, updates: &'d BlockUpdates) -> Result<(), DocumentError> {
        let tag = TagBuilder::new("updates").attribute("format", &enum_name(updates.data.format));
        self.out.tag(&tag.build());
        for (index, update) in updates.nodes.iter().flatten().enumerate() {
            self.blank_line_between(index);
            let date = update.data.date.strip_suffix(MIDNIGHT).unwrap_or(&update.data.date);
            let slugs: Vec<&str> = update.data.tags.iter().flatten().map(|tag| tag.tag.as_str()).collect();
            let tag = TagBuilder::new("update")
                .attribute("date", date)
                .optional("tags", Some(&slugs.join(",")));
            let nodes = update.nodes.as_deref().unwrap_or_default();
            self.container_item(index, |renderer| {
                renderer.between_tags("update", tag, 2, nodes, BlockContext::DOCUMENT)
            })?;
        }
        self.out.tag("{% endupdates %}");
        Ok(())
    }

    pub(super) fn prompt(&mut self, prompt: &'d BlockPrompt) -> Result<(), DocumentError> {
        let data = &prompt.data;
        let expanded = data.default_expanded.map(enum_name);
        let tag = TagBuilder::new("prompt")
            .attribute("description", &data.description)
            .optional("icon", data.icon.as_deref())
            .flag("openInAIProviders", data.open_in_ai_providers)
            .optional("defaultExpanded", expanded.as_deref());
        let nodes = prompt.nodes.as_deref().unwrap_or_default();
        self.between_tags("prompt", tag, 2, nodes, BlockContext::INNER)
    }

    pub(super) fn columns(&mut self, columns: &'d BlockColumns) -> Result<(), DocumentError> {
        self.out.tag(
            &TagBuilder::new("columns")
                .flag("fullWidth", columns.data.full_width)
                .build(),
        );
        for (index, column) in columns.nodes.iter().flatten().enumerate() {
            self.blank_line_between(index);
            let width = column.data.width.as_ref().map(format_length);
            let align = column.data.vertical_alignment.map(enum_name);
            let tag = TagBuilder::new("column")
                .optional("width", width.as_deref())
                .optional("valign", align.as_deref());
            let nodes = column.nodes.as_deref().unwrap_or_default();
            self.container_item(index, |renderer| {
                renderer.between_tags("column", tag, 2, nodes, BlockContext::DOCUMENT)
            })?;
        }
        self.out.tag("{% endcolumns %}");
        Ok(())
    }

    /// Renders an item of a container, which nests two levels deeper.
    fn container_item(
        &mut self,
        index: usize,
        write: impl FnOnce(&mut Self) -> Result<(), DocumentError>,
    ) -> Result<(), DocumentError> {
        self.with_path("nodes", index, |renderer| renderer.nested(2, write))
    }

    fn blank_line_between(&mut self, index: usize) {
        if index > 0 {
            self.out.line("");
        }
    }

    pub(super) fn expandable(&mut self, expandable: &'d BlockExpandable) -> Result<(), DocumentError> {
        use ExpandableFragment as Fragment;
        let (title, body) = match expandable.fragments.as_slice() {
            [
                Fragment::ExpandableTitleFragment(title),
                Fragment::ExpandableBodyFragment(body),
            ] => (title, body),
            _ => {
                return Err(self.error(
                    ErrorRule::Expandable,
                    "`fragments` must contain a title and then a body.",
                ));
            }
        };
        let title: &[_] = match title.nodes.as_slice() {
            [paragraph] => paragraph.nodes.as_deref().unwrap_or_default(),
            _ => {
                return Err(self.error(
                    ErrorRule::Expandable,
                    "The title of an expandable must be exactly one paragraph.",
                ));
            }
        };
        let open = if expandable.data.default_expanded == Some(true) {
            " open"
        } else {
            ""
        };
        let title = self.with_path("fragments", 0, |renderer| renderer.inlines(title, EscapeMode::Html))?;
        self.out.line(&format!("<details{open}>"));
        self.out.line("");
        self.out.line(&format!("<summary>{title}</summary>"));
        self.out.line("");
        self.with_path("fragments", 1, |renderer| {
            renderer.nested(2, |renderer| {
                let context = BlockContext {
                    has_math: false,
                    ..BlockContext::DOCUMENT
                };
                renderer.blocks("nodes", &body.nodes, context)
            })
        })?;
        self.out.line("");
        self.out.line("</details>");
        Ok(())
    }

    pub(super) fn embed(&mut self, embed: &BlockEmbed) -> Result<(), DocumentError> {
        self.require_safe(ReferenceRole::Media, &embed.data.url)?;
        let tag = TagBuilder::new("embed").attribute("url", &embed.data.url);
        self.out.tag(&tag.flag("fullWidth", embed.data.full_width).build());
        Ok(())
    }

    pub(super) fn file(&mut self, file: &BlockFile) -> Result<(), DocumentError> {
        let target = self.format_target(
            ReferenceRole::File,
            &ContentRef::ContentRefFile(file.data.r#ref.clone()),
        )?;
        self.out.tag(&TagBuilder::new("file").attribute("src", &target).build());
        Ok(())
    }

    pub(super) fn content_ref(&mut self, block: &BlockContentRef) -> Result<(), DocumentError> {
        let target = self.format_target(ReferenceRole::Link, &block.data.r#ref)?;
        self.out
            .tag(&TagBuilder::new("content-ref").attribute("url", &target).build());
        // A plain link as fallback for renderers that do not know the tag.
        let words = block.data.text.as_deref().filter(|words| !words.trim().is_empty());
        let link = super::inlines::fallback_link(words.unwrap_or(&target), &target);
        self.out.lines(&link);
        self.out.tag("{% endcontent-ref %}");
        Ok(())
    }

    pub(super) fn reusable_content(&mut self, block: &BlockReusableContent) -> Result<(), DocumentError> {
        let reference = ContentRef::ContentRefReusableContent(block.data.r#ref.clone());
        let target = self.format_target(ReferenceRole::ReusableContent, &reference)?;
        let mut quoted = String::new();
        entities::encode(&target, &mut quoted);
        self.out
            .tag(&TagBuilder::new("include").argument(&format!("\"{quoted}\"")).build());
        Ok(())
    }

    pub(super) fn integration(&mut self, block: &BlockIntegration) -> Result<(), DocumentError> {
        let data = &block.data;
        if data.action.is_some() {
            return Err(self.error(
                ErrorRule::IntegrationAction,
                "`data.action` cannot be expressed in Markdown.",
            ));
        }
        let mut tag = TagBuilder::new(&format!("@{}/{}", data.integration, data.block));
        tag = tag
            .optional("url", data.url.as_deref())
            .flag("fullWidth", data.full_width);
        for (name, value) in &data.props {
            tag = match value {
                Value::String(text) => tag.attribute(name, text),
                Value::Number(_) | Value::Bool(_) => tag.argument(&format!("{name}={value}")),
                Value::Null | Value::Array(_) | Value::Object(_) => {
                    let message = format!("`data.props.{name}` must be a string, a number or a boolean.");
                    return Err(self.error(ErrorRule::IntegrationProps, message));
                }
            };
        }
        self.out.tag(&tag.build());
        Ok(())
    }
}
