//! Container tags, and tags without children.

use openapi::models::{
    BlockColumns, BlockContentRef, BlockEmbed, BlockExpandable, BlockFile, BlockHint, BlockIf, BlockIntegration,
    BlockReusableContent, BlockStepper, BlockTabs, ContentRef, ExpandableFragment, Length,
};
use serde_json::Value;

use super::{Renderer, blocks::BlockContext, inlines::attribute};
use crate::{
    error::DocumentError,
    nodes::{enum_names::enum_name, unions::BlockUnion},
    resolver::ReferenceRole,
    syntax::{entities, escape::EscapeMode},
};

/// Builds a tag from its name and attributes.
pub struct TagBuilder(String);

impl TagBuilder {
    pub fn new(name: &str) -> Self {
        Self(format!("{{% {name}"))
    }

    pub fn text(mut self, name: &str, value: &str) -> Self {
        // A backslash would escape the closing quote.
        self.0
            .push_str(&format!(" {}", attribute(name, value).replace('\\', "&#92;")));
        self
    }

    pub fn optional(self, name: &str, value: Option<&str>) -> Self {
        match value.filter(|value| !value.is_empty()) {
            Some(value) => self.text(name, value),
            None => self,
        }
    }

    pub fn flag(self, name: &str, value: Option<bool>) -> Self {
        match value {
            Some(true) => self.text(name, "true"),
            Some(false) | None => self,
        }
    }

    fn bare(mut self, text: &str) -> Self {
        self.0.push_str(&format!(" {text}"));
        self
    }

    pub fn end(self) -> String {
        format!("{} %}}", self.0)
    }
}

impl<'d> Renderer<'d, '_> {
    /// Renders blocks between an opening and a closing tag.
    fn between<F: BlockUnion>(
        &mut self,
        name: &str,
        tag: TagBuilder,
        levels: usize,
        blocks: &'d [F],
        around: BlockContext,
    ) -> Result<(), DocumentError> {
        self.out.tag(&tag.end());
        self.deeper(levels, |renderer| renderer.blocks("nodes", blocks, around))?;
        self.out.tag(&format!("{{% end{name} %}}"));
        Ok(())
    }

    pub(super) fn hint(&mut self, hint: &'d BlockHint) -> Result<(), DocumentError> {
        let tag = TagBuilder::new("hint").text("style", &enum_name(hint.data.style));
        let tag = tag.optional("icon", hint.data.icon.as_deref());
        let nodes = hint.nodes.as_deref().unwrap_or_default();
        self.between("hint", tag, 2, nodes, BlockContext::INNER)
    }

    pub(super) fn condition(&mut self, condition: &'d BlockIf) -> Result<(), DocumentError> {
        let tag = TagBuilder::new("if").bare(&condition.data.expression);
        let nodes = condition.nodes.as_deref().unwrap_or_default();
        self.between("if", tag, 2, nodes, BlockContext::DOCUMENT)
    }

    pub(super) fn tabs(&mut self, tabs: &'d BlockTabs) -> Result<(), DocumentError> {
        let full_width = tabs.data.as_ref().and_then(|data| data.full_width);
        self.out
            .tag(&TagBuilder::new("tabs").flag("fullWidth", full_width).end());
        for (index, tab) in tabs.nodes.iter().flatten().enumerate() {
            self.apart(index);
            let tag = TagBuilder::new("tab").text("title", tab.data.title.as_deref().unwrap_or_default());
            let nodes = tab.nodes.as_deref().unwrap_or_default();
            self.part(index, |renderer| {
                renderer.between("tab", tag, 2, nodes, BlockContext::DOCUMENT)
            })?;
        }
        self.out.tag("{% endtabs %}");
        Ok(())
    }

    pub(super) fn stepper(&mut self, stepper: &'d BlockStepper) -> Result<(), DocumentError> {
        self.out.tag("{% stepper %}");
        for (index, step) in stepper.nodes.iter().flatten().enumerate() {
            self.apart(index);
            let tag = TagBuilder::new("step").optional("icon", step.data.icon.as_deref());
            let nodes = step.nodes.as_deref().unwrap_or_default();
            self.part(index, |renderer| {
                renderer.between("step", tag, 2, nodes, BlockContext::DOCUMENT)
            })?;
        }
        self.out.tag("{% endstepper %}");
        Ok(())
    }

    pub(super) fn columns(&mut self, columns: &'d BlockColumns) -> Result<(), DocumentError> {
        self.out.tag(
            &TagBuilder::new("columns")
                .flag("fullWidth", columns.data.full_width)
                .end(),
        );
        for (index, column) in columns.nodes.iter().flatten().enumerate() {
            self.apart(index);
            let width = column.data.width.as_ref().map(length);
            let align = column.data.vertical_alignment.map(enum_name);
            let tag = TagBuilder::new("column")
                .optional("width", width.as_deref())
                .optional("valign", align.as_deref());
            let nodes = column.nodes.as_deref().unwrap_or_default();
            self.part(index, |renderer| {
                renderer.between("column", tag, 2, nodes, BlockContext::DOCUMENT)
            })?;
        }
        self.out.tag("{% endcolumns %}");
        Ok(())
    }

    /// Renders an item of a container, which nests two levels deeper.
    fn part(
        &mut self,
        index: usize,
        write: impl FnOnce(&mut Self) -> Result<(), DocumentError>,
    ) -> Result<(), DocumentError> {
        self.within("nodes", index, |renderer| renderer.deeper(2, write))
    }

    fn apart(&mut self, index: usize) {
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
            _ => return Err(self.error("expandable", "`fragments` must contain a title and then a body.")),
        };
        let title: &[_] = match title.nodes.as_slice() {
            [paragraph] => paragraph.nodes.as_deref().unwrap_or_default(),
            _ => {
                return Err(self.error(
                    "expandable",
                    "The title of an expandable must be exactly one paragraph.",
                ));
            }
        };
        let open = if expandable.data.default_expanded == Some(true) {
            " open"
        } else {
            ""
        };
        let title = self.within("fragments", 0, |renderer| renderer.inlines(title, EscapeMode::Html))?;
        self.out.line(&format!("<details{open}>"));
        self.out.line("");
        self.out.line(&format!("<summary>{title}</summary>"));
        self.out.line("");
        self.within("fragments", 1, |renderer| {
            renderer.deeper(2, |renderer| {
                renderer.blocks("nodes", &body.nodes, BlockContext::DOCUMENT)
            })
        })?;
        self.out.line("");
        self.out.line("</details>");
        Ok(())
    }

    pub(super) fn embed(&mut self, embed: &BlockEmbed) -> Result<(), DocumentError> {
        let tag = TagBuilder::new("embed").text("url", &embed.data.url);
        self.out.tag(&tag.flag("fullWidth", embed.data.full_width).end());
        Ok(())
    }

    pub(super) fn file(&mut self, file: &BlockFile) -> Result<(), DocumentError> {
        let target = self.format_target(
            ReferenceRole::File,
            &ContentRef::ContentRefFile(file.data.r#ref.clone()),
        )?;
        self.out.tag(&TagBuilder::new("file").text("src", &target).end());
        Ok(())
    }

    pub(super) fn content_ref(&mut self, block: &BlockContentRef) -> Result<(), DocumentError> {
        let target = self.format_target(ReferenceRole::Link, &block.data.r#ref)?;
        self.out.tag(&TagBuilder::new("content-ref").text("url", &target).end());
        // A plain link as fallback for renderers that do not know the tag.
        let link = super::inlines::plain_link(&target);
        self.out.lines(&link);
        self.out.tag("{% endcontent-ref %}");
        Ok(())
    }

    pub(super) fn reusable(&mut self, block: &BlockReusableContent) -> Result<(), DocumentError> {
        let reference = ContentRef::ContentRefReusableContent(block.data.r#ref.clone());
        let target = self.format_target(ReferenceRole::ReusableContent, &reference)?;
        let mut quoted = String::new();
        entities::encode(&target, &mut quoted);
        self.out
            .tag(&TagBuilder::new("include").bare(&format!("\"{quoted}\"")).end());
        Ok(())
    }

    pub(super) fn integration(&mut self, block: &BlockIntegration) -> Result<(), DocumentError> {
        let data = &block.data;
        if data.action.is_some() {
            return Err(self.error("integration-action", "`data.action` cannot be expressed in Markdown."));
        }
        let mut tag = TagBuilder::new(&format!("@{}/{}", data.integration, data.block));
        tag = tag
            .optional("url", data.url.as_deref())
            .flag("fullWidth", data.full_width);
        for (name, value) in &data.props {
            tag = match value {
                Value::String(text) => tag.text(name, text),
                Value::Number(_) | Value::Bool(_) => tag.bare(&format!("{name}={value}")),
                Value::Null | Value::Array(_) | Value::Object(_) => {
                    let message = format!("`data.props.{name}` must be a string, a number or a boolean.");
                    return Err(self.error("integration-props", message));
                }
            };
        }
        self.out.tag(&tag.end());
        Ok(())
    }
}

pub fn length(length: &Length) -> String {
    match length {
        Length::Number(value) => value.to_string(),
        Length::Object(length) => format!("{}{}", length.value, length.unit),
    }
}
