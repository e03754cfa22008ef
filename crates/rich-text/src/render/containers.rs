//! Blocks between tags.

use openapi::models::{
    BlockColumns, BlockContentRef, BlockEmbed, BlockExpandable, BlockFile, BlockHint, BlockIf, BlockIntegration,
    BlockReusableContent, BlockStepper, BlockTabs, ContentRef, ExpandableFragment, Length,
};
use serde_json::Value;

use super::{Writer, blocks::Surroundings, leaves::attribute};
use crate::{
    nodes::{enum_names::word, unions::Family},
    references::Role,
    refusal::Refusal,
    syntax::{entities, escape::Mode},
};

/// A tag with its attributes as they are added.
pub struct Tag(String);

impl Tag {
    pub fn new(name: &str) -> Self {
        Self(format!("{{% {name}"))
    }

    pub fn text(mut self, name: &str, value: &str) -> Self {
        // A backslash would make the quote after it a part of the value.
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

impl<'d> Writer<'d, '_> {
    /// Blocks between two tags; the second is the name of the first.
    fn between<F: Family>(
        &mut self,
        name: &str,
        tag: Tag,
        levels: usize,
        blocks: &'d [F],
        around: Surroundings,
    ) -> Result<(), Refusal> {
        self.out.tag(&tag.end());
        self.deeper(levels, |writer| writer.blocks("nodes", blocks, around))?;
        self.out.tag(&format!("{{% end{name} %}}"));
        Ok(())
    }

    pub(super) fn hint(&mut self, hint: &'d BlockHint) -> Result<(), Refusal> {
        let tag = Tag::new("hint").text("style", &word(hint.data.style));
        let tag = tag.optional("icon", hint.data.icon.as_deref());
        let nodes = hint.nodes.as_deref().unwrap_or_default();
        self.between("hint", tag, 2, nodes, Surroundings::INNER)
    }

    pub(super) fn condition(&mut self, condition: &'d BlockIf) -> Result<(), Refusal> {
        let tag = Tag::new("if").bare(&condition.data.expression);
        let nodes = condition.nodes.as_deref().unwrap_or_default();
        self.between("if", tag, 2, nodes, Surroundings::DOCUMENT)
    }

    pub(super) fn tabs(&mut self, tabs: &'d BlockTabs) -> Result<(), Refusal> {
        let full_width = tabs.data.as_ref().and_then(|data| data.full_width);
        self.out.tag(&Tag::new("tabs").flag("fullWidth", full_width).end());
        for (index, tab) in tabs.nodes.iter().flatten().enumerate() {
            self.apart(index);
            let tag = Tag::new("tab").text("title", tab.data.title.as_deref().unwrap_or_default());
            let nodes = tab.nodes.as_deref().unwrap_or_default();
            self.part(index, |writer| {
                writer.between("tab", tag, 2, nodes, Surroundings::DOCUMENT)
            })?;
        }
        self.out.tag("{% endtabs %}");
        Ok(())
    }

    pub(super) fn stepper(&mut self, stepper: &'d BlockStepper) -> Result<(), Refusal> {
        self.out.tag("{% stepper %}");
        for (index, step) in stepper.nodes.iter().flatten().enumerate() {
            self.apart(index);
            let tag = Tag::new("step").optional("icon", step.data.icon.as_deref());
            let nodes = step.nodes.as_deref().unwrap_or_default();
            self.part(index, |writer| {
                writer.between("step", tag, 2, nodes, Surroundings::DOCUMENT)
            })?;
        }
        self.out.tag("{% endstepper %}");
        Ok(())
    }

    pub(super) fn columns(&mut self, columns: &'d BlockColumns) -> Result<(), Refusal> {
        self.out
            .tag(&Tag::new("columns").flag("fullWidth", columns.data.full_width).end());
        for (index, column) in columns.nodes.iter().flatten().enumerate() {
            self.apart(index);
            let width = column.data.width.as_ref().map(length);
            let align = column.data.vertical_alignment.map(word);
            let tag = Tag::new("column")
                .optional("width", width.as_deref())
                .optional("valign", align.as_deref());
            let nodes = column.nodes.as_deref().unwrap_or_default();
            self.part(index, |writer| {
                writer.between("column", tag, 2, nodes, Surroundings::DOCUMENT)
            })?;
        }
        self.out.tag("{% endcolumns %}");
        Ok(())
    }

    /// A part lies deeper than its container. The levels of both are counted with the container.
    fn part(&mut self, index: usize, write: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Result<(), Refusal> {
        self.within("nodes", index, |writer| writer.deeper(2, write))
    }

    fn apart(&mut self, index: usize) {
        if index > 0 {
            self.out.line("");
        }
    }

    pub(super) fn expandable(&mut self, expandable: &'d BlockExpandable) -> Result<(), Refusal> {
        use ExpandableFragment as Fragment;
        let (title, body) = match expandable.fragments.as_slice() {
            [
                Fragment::ExpandableTitleFragment(title),
                Fragment::ExpandableBodyFragment(body),
            ] => (title, body),
            _ => return Err(self.refuse("expandable", "An expandable has a title and then a body.")),
        };
        let title: &[_] = match title.nodes.as_slice() {
            [paragraph] => paragraph.nodes.as_deref().unwrap_or_default(),
            _ => return Err(self.refuse("expandable", "The title of an expandable is one paragraph.")),
        };
        let open = if expandable.data.default_expanded == Some(true) {
            " open"
        } else {
            ""
        };
        let title = self.within("fragments", 0, |writer| writer.inlines(title, Mode::Html))?;
        self.out.line(&format!("<details{open}>"));
        self.out.line("");
        self.out.line(&format!("<summary>{title}</summary>"));
        self.out.line("");
        self.within("fragments", 1, |writer| {
            writer.deeper(2, |writer| writer.blocks("nodes", &body.nodes, Surroundings::DOCUMENT))
        })?;
        self.out.line("");
        self.out.line("</details>");
        Ok(())
    }

    pub(super) fn embed(&mut self, embed: &BlockEmbed) -> Result<(), Refusal> {
        let tag = Tag::new("embed").text("url", &embed.data.url);
        self.out.tag(&tag.flag("fullWidth", embed.data.full_width).end());
        Ok(())
    }

    pub(super) fn file(&mut self, file: &BlockFile) -> Result<(), Refusal> {
        let target = self.target(Role::File, &ContentRef::ContentRefFile(file.data.r#ref.clone()))?;
        self.out.tag(&Tag::new("file").text("src", &target).end());
        Ok(())
    }

    pub(super) fn content_ref(&mut self, block: &BlockContentRef) -> Result<(), Refusal> {
        let target = self.target(Role::Link, &block.data.r#ref)?;
        self.out.tag(&Tag::new("content-ref").text("url", &target).end());
        // A link for readers to whom the tag says nothing.
        let link = super::leaves::plain_link(&target);
        self.out.lines(&link);
        self.out.tag("{% endcontent-ref %}");
        Ok(())
    }

    pub(super) fn reusable(&mut self, block: &BlockReusableContent) -> Result<(), Refusal> {
        let reference = ContentRef::ContentRefReusableContent(block.data.r#ref.clone());
        let target = self.target(Role::Reusable, &reference)?;
        let mut quoted = String::new();
        entities::encode(&target, &mut quoted);
        self.out.tag(&Tag::new("include").bare(&format!("\"{quoted}\"")).end());
        Ok(())
    }

    pub(super) fn integration(&mut self, block: &BlockIntegration) -> Result<(), Refusal> {
        let data = &block.data;
        if data.action.is_some() {
            return Err(self.refuse("integration-action", "An action has no form in Markdown."));
        }
        let mut tag = Tag::new(&format!("@{}/{}", data.integration, data.block));
        tag = tag
            .optional("url", data.url.as_deref())
            .flag("fullWidth", data.full_width);
        for (name, value) in &data.props {
            tag = match value {
                Value::String(text) => tag.text(name, text),
                Value::Number(_) | Value::Bool(_) => tag.bare(&format!("{name}={value}")),
                Value::Null | Value::Array(_) | Value::Object(_) => {
                    let message = format!("The value of `{name}` is neither a text, a number nor a boolean.");
                    return Err(self.refuse("integration-props", message));
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
