//! Inlines: texts with marks, links, and what stands within lines.

use openapi::models::{
    ContentRef, Inline, InlineAnnotation, InlineButton, InlineButtonDataKind, InlineEmoji, InlineIcon, InlineImage,
    InlineImageDataSize, InlineLink, InlineMention, InlineNode, LinkNode, Mark, Text, TextColor,
};
use rich_text::emoji_characters;

use super::{Writer, blocks::apart};

use crate::{Href, Icon, math};

impl Writer<'_> {
    pub(super) fn inlines(&mut self, nodes: &[InlineNode]) {
        for node in nodes {
            match node {
                InlineNode::Text(text) => self.text(text),
                InlineNode::Inline(inline) => self.inline(inline),
            }
        }
    }

    fn inline(&mut self, inline: &Inline) {
        match inline {
            Inline::InlineLink(it) => self.link(it),
            Inline::InlineEmoji(it) => self.emoji(it),
            Inline::InlineIcon(it) => self.icon(it),
            Inline::InlineExpression(it) => {
                self.html.markup("<code>");
                self.html.text(&it.data.expression);
                self.html.markup("</code>");
            }
            Inline::InlineMath(it) => math::push(&mut self.html, &it.data.formula, false),
            Inline::InlineImage(it) => self.inline_image(it),
            Inline::InlineMention(it) => self.mention(it),
            Inline::InlineButton(it) => self.button(it),
            Inline::InlineAnnotation(it) => self.annotation(it),
        }
    }

    pub(super) fn text(&mut self, text: &Text) {
        for leaf in &text.leaves {
            leaf.marks.iter().for_each(|mark| self.begin_mark(mark));
            self.lines(&leaf.text);
            leaf.marks.iter().rev().for_each(|mark| self.end_mark(mark));
        }
    }

    /// Text in which line ends are breaks.
    fn lines(&mut self, text: &str) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.html.markup("<br>");
            }
            self.html.text(line);
        }
    }

    fn begin_mark(&mut self, mark: &Mark) {
        match mark {
            Mark::MarkBold(_) => self.html.markup("<strong>"),
            Mark::MarkItalic(_) => self.html.markup("<em>"),
            Mark::MarkCode(_) => self.html.markup("<code>"),
            Mark::MarkKeyboard(_) => self.html.markup("<kbd>"),
            Mark::MarkStrikethrough(_) => self.html.markup("<s>"),
            Mark::MarkSuperscript(_) => self.html.markup("<sup>"),
            Mark::MarkSubscript(_) => self.html.markup("<sub>"),
            Mark::MarkColor(color) => {
                let text = color_class(color.data.text).map(|color| format!("text-{color}"));
                let background = color_class(color.data.background).map(|color| format!("on-{color}"));
                let classes: Vec<String> = [text, background].into_iter().flatten().collect();
                drop(self.html.open("span").attribute("class", &classes.join(" ")));
            }
        }
    }

    fn end_mark(&mut self, mark: &Mark) {
        self.html.markup(match mark {
            Mark::MarkBold(_) => "</strong>",
            Mark::MarkItalic(_) => "</em>",
            Mark::MarkCode(_) => "</code>",
            Mark::MarkKeyboard(_) => "</kbd>",
            Mark::MarkStrikethrough(_) => "</s>",
            Mark::MarkSuperscript(_) => "</sup>",
            Mark::MarkSubscript(_) => "</sub>",
            Mark::MarkColor(_) => "</span>",
        });
    }

    fn link(&mut self, link: &InlineLink) {
        let href = self.begin_link(self.href_of(&link.data.r#ref).as_ref(), link.data.title.as_deref());
        for node in link.nodes.as_deref().unwrap_or_default() {
            match node {
                LinkNode::Text(text) => self.text(text),
                LinkNode::InlineImage(image) => self.inline_image(image),
            }
        }
        self.end_link(href);
    }

    /// Begins a link. Without an address, its words are text.
    fn begin_link(&mut self, href: Option<&Href>, title: Option<&str>) -> bool {
        let title = title.filter(|title| !title.trim().is_empty());
        if let Some(href) = href {
            let rel = href.is_external().then_some("noopener");
            drop(
                self.html
                    .open("a")
                    .href(href)
                    .optional("title", title)
                    .optional("rel", rel),
            );
        }
        href.is_some()
    }

    fn end_link(&mut self, is_link: bool) {
        if is_link {
            self.html.markup("</a>");
        }
    }

    fn emoji(&mut self, emoji: &InlineEmoji) {
        self.html.text(&emoji_characters(&emoji.data.code).unwrap_or_default());
    }

    fn icon(&mut self, inline: &InlineIcon) {
        let color = inline.data.color.and_then(color_class);
        let class = color.map_or("icon".to_owned(), |color| format!("icon text-{color}"));
        if let Some(icon) = Icon::named(&inline.data.icon) {
            icon.push(&mut self.html, &class);
        }
    }

    fn mention(&mut self, mention: &InlineMention) {
        let target = self.targets.target(&mention.data.r#ref);
        let words = mention.data.text.as_deref().filter(|words| !words.trim().is_empty());
        let is_link = self.begin_link(target.href.as_ref(), None);
        self.mark_before(&target);
        let title = target.title.as_deref().or(target.href.as_ref().map(Href::as_str));
        self.html.text(words.or(title).unwrap_or_default());
        self.end_link(is_link);
    }

    fn button(&mut self, button: &InlineButton) {
        let class = match button.data.kind {
            InlineButtonDataKind::Primary => "button primary",
            InlineButtonDataKind::Secondary => "button",
        };
        let href = match (&button.data.r#ref, &button.data.action) {
            // The address of an inactive button is empty.
            (Some(ContentRef::ContentRefUrl(url)), _) if url.url.is_empty() => None,
            (Some(reference), _) => self.href_of(reference),
            (None, Some(_)) => Some(self.targets.search().clone()),
            (None, None) => None,
        };
        match &href {
            Some(href) => drop(self.html.open("a").attribute("class", class).href(href)),
            None => drop(self.html.open("span").attribute("class", class)),
        }
        self.icon_before(button.data.icon.as_deref());
        self.html.text(&button.data.label);
        self.html.markup(if href.is_some() { "</a>" } else { "</span>" });
    }

    /// A button that shows the text of the annotation, which follows the block.
    pub(super) fn annotation(&mut self, annotation: &InlineAnnotation) {
        let id = self.next_group();
        let start = self
            .html
            .open("button")
            .attribute("type", "button")
            .attribute("class", "annotation");
        drop(start.attribute("popovertarget", &id));
        annotation.nodes.iter().flatten().for_each(|text| self.text(text));
        self.html.markup("</button>");
        // Each note by itself: one within another could not be shown.
        let before = std::mem::take(&mut self.notes);
        let note = apart(self, |writer| {
            drop(
                writer
                    .html
                    .open("div")
                    .attribute("popover", "auto")
                    .attribute("id", &id)
                    .attribute("class", "note"),
            );
            for fragment in &annotation.fragments {
                writer.nested(&fragment.nodes);
            }
            writer.html.markup("</div>");
        });
        let within = std::mem::replace(&mut self.notes, before);
        self.notes.append(&note);
        self.notes.append(&within);
    }
}

impl Writer<'_> {
    fn inline_image(&mut self, image: &InlineImage) {
        let data = &image.data;
        let is_line = data.size == Some(InlineImageDataSize::Line);
        let class = if is_line { "inline line" } else { "inline" };
        let alt = data.alt.as_deref().or(data.caption.as_deref()).unwrap_or_default();
        self.picture((&data.r#ref, data.ref_dark.as_ref()), alt, (data.width.as_ref(), class));
    }
}

/// The part of the names of classes for a color. `None`: that of the text around.
pub(super) fn color_class(color: TextColor) -> Option<&'static str> {
    Some(match color {
        TextColor::Default => return None,
        TextColor::Green | TextColor::DollarSuccess => "green",
        TextColor::Blue | TextColor::Cyan | TextColor::DollarInfo => "blue",
        TextColor::Red | TextColor::DollarDanger => "red",
        TextColor::Orange | TextColor::DollarWarning => "orange",
        TextColor::Yellow => "yellow",
        TextColor::Purple | TextColor::Violet => "purple",
        TextColor::Pink => "pink",
        TextColor::DollarPrimary | TextColor::DollarTint => "primary",
    })
}
