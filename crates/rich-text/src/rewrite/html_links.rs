//! Targets in HTML elements.

use std::{collections::HashSet, ops::Range};

use super::{LinkChange, LinkRewriter, escape_markdown, quoted};
use crate::{
    resolver::ReferenceRole,
    syntax::{
        attributes::{self, AttributeSyntax},
        entities,
        escape::{self, EscapeContext, EscapeMode},
        html::{self, HtmlElement, HtmlToken, PairEdge},
    },
};

/// The syntax of the text between the tags.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TextSyntax {
    Markdown,
    Html,
}

/// The tags of a text.
pub struct HtmlTags<'t> {
    text: &'t str,
    tags: Vec<(HtmlToken, Range<usize>)>,
    /// Offsets of each line in the text and in the prepared source.
    lines: Vec<(usize, usize)>,
}

impl<'t> HtmlTags<'t> {
    /// The tags in a line of the prepared source.
    pub fn of_line(text: &'t str) -> Self {
        Self {
            text,
            tags: Vec::new(),
            lines: vec![(0, 0)],
        }
    }

    pub fn push(&mut self, at: Range<usize>) {
        let written = self.text.get(at.clone()).unwrap_or_default();
        if let [token] = html::tokenize(written).as_slice() {
            self.tags.push((token.clone(), at));
        }
    }

    pub fn of_block(text: &'t str, lines: Vec<(usize, usize)>) -> Self {
        let mut at = 0;
        let mut tags = Vec::new();
        for token in html::tokenize(text) {
            let length = token.raw().len();
            if token.is_tag() {
                tags.push((token, at..at + length));
            }
            at += length;
        }
        Self { text, tags, lines }
    }

    fn pairs(&self) -> Vec<Option<usize>> {
        html::match_pairs(self.tags.iter().map(|(token, _)| match token {
            HtmlToken::Open(element) if !html::is_void(&element.name) => PairEdge::Open(&element.name),
            HtmlToken::Close { name, .. } => PairEdge::Close(name),
            _ => PairEdge::Neither,
        }))
    }

    fn place(&self, at: usize) -> usize {
        let line = self.lines.partition_point(|(local, _)| *local <= at).saturating_sub(1);
        self.lines.get(line).map_or(at, |(local, place)| place + at - local)
    }
}

/// The indexes of an opening tag and its closing tag.
type TagRange = (usize, usize);

/// The state while visiting the tags in order.
struct HtmlState {
    pairs: Vec<Option<usize>>,
    /// The content types of the table columns, and the open cell.
    columns: Vec<CellContent>,
    next: usize,
    cell: Option<(TagRange, CellContent)>,
    div: Option<TagRange>,
    figure: Option<TagRange>,
    picture: Option<TagRange>,
    /// Tags of a caption before this index are removed: the caption becomes text.
    caption_end: usize,
    removed: HashSet<usize>,
    /// Tags before this index are removed already.
    removed_until: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CellContent {
    Text,
    Targets(ReferenceRole),
    /// Links that are not targets, such as users.
    Others,
}

impl HtmlState {
    fn span(&self, at: usize) -> Option<TagRange> {
        let end = self.pairs.get(at).copied().flatten()?;
        (end > at).then_some((at, end))
    }

    fn cell_content(&self, at: usize) -> CellContent {
        match self.cell {
            Some(((_, end), cell_content)) if at < end => cell_content,
            _ => CellContent::Text,
        }
    }

    fn opened(&mut self, element: &HtmlElement, at: usize) {
        let span = self.span(at);
        match element.name.as_str() {
            "table" => self.columns.clear(),
            "th" => {
                let mut attributes = element.attributes.clone();
                self.columns.push(match attributes.take("data-type").as_deref() {
                    Some("content-ref") => CellContent::Targets(ReferenceRole::Link),
                    Some("files") => CellContent::Targets(ReferenceRole::File),
                    Some("image") => CellContent::Targets(ReferenceRole::Media),
                    Some("users") => CellContent::Others,
                    _ => CellContent::Text,
                });
            }
            "tr" => self.next = 0,
            "td" => {
                let cell_content = self.columns.get(self.next).copied().unwrap_or(CellContent::Text);
                self.cell = span.map(|span| (span, cell_content));
                self.next += 1;
            }
            "div" => self.div = span,
            "figure" => self.figure = span,
            "picture" => self.picture = span,
            _ => {}
        }
    }

    /// Returns the element if it is still open.
    fn open(span: Option<TagRange>, at: usize) -> Option<TagRange> {
        span.filter(|(_, end)| *end > at)
    }
}

impl LinkRewriter<'_, '_> {
    pub(super) fn elements(&mut self, html: &HtmlTags<'_>, syntax: TextSyntax) {
        let mut state = HtmlState {
            pairs: html.pairs(),
            columns: Vec::new(),
            next: 0,
            cell: None,
            div: None,
            figure: None,
            picture: None,
            caption_end: 0,
            removed: HashSet::new(),
            removed_until: 0,
        };
        for (at, (token, _)) in html.tags.iter().enumerate() {
            if at < state.removed_until {
                continue;
            }
            match token {
                HtmlToken::Open(element) => {
                    state.opened(element, at);
                    self.element(html, &mut state, at, element, syntax);
                }
                HtmlToken::Close { name, .. } if at < state.caption_end && is_caption(name) => {
                    self.remove_tag(html, &mut state, at, " ");
                }
                _ => {}
            }
        }
    }

    fn element(
        &mut self,
        html: &HtmlTags<'_>,
        state: &mut HtmlState,
        at: usize,
        element: &HtmlElement,
        syntax: TextSyntax,
    ) {
        match element.name.as_str() {
            "a" => self.anchor(html, state, at, element, syntax),
            "img" => self.image(html, state, at, element, syntax),
            "source" => {
                let Some(picture) = HtmlState::open(state.picture, at) else {
                    return;
                };
                if self.change_attribute(html, at, element, "srcset", ReferenceRole::Media) == LinkChange::Unlink {
                    self.remove_tag(html, state, at, "");
                    self.replace_tags(html, state, picture, "", "");
                }
            }
            name if at < state.caption_end && is_caption(name) => self.remove_tag(html, state, at, " "),
            _ => {}
        }
    }

    /// Asks for the change of a target in an attribute, and applies a replacement.
    fn change_attribute(
        &mut self,
        html: &HtmlTags<'_>,
        at: usize,
        element: &HtmlElement,
        name: &str,
        role: ReferenceRole,
    ) -> LinkChange {
        let mut attributes = element.attributes.clone();
        let Some(target) = attributes.take(name) else {
            return LinkChange::Keep;
        };
        let change = self.change_of(&target, role);
        if let (Some(new), Some((_, place))) = (change.new_target(&target), html.tags.get(at)) {
            let from = 1 + element.name.len();
            let value = element
                .raw
                .get(from..)
                .and_then(|rest| attributes::value_range(rest, name, AttributeSyntax::Html));
            if let Some(value) = value {
                let begin = place.start + from;
                let at = html.place(begin + value.start)..html.place(begin + value.end);
                self.edits.replace(self.source, at, quoted(new));
            }
        }
        change
    }

    /// Replaces the words of a link without other tags.
    fn rename(&mut self, html: &HtmlTags<'_>, (open, close): TagRange, change: &LinkChange, syntax: TextSyntax) {
        let (Some((_, open)), Some((_, close))) = (html.tags.get(open), html.tags.get(close)) else {
            return;
        };
        let between = open.end..close.start;
        let words = html.text.get(between.clone()).unwrap_or_default();
        let plain = match syntax {
            TextSyntax::Markdown => entities::unescape(words),
            TextSyntax::Html => entities::decode(words).into_owned(),
        };
        if let Some(new) = change.new_words(&plain) {
            let at = html.place(between.start)..html.place(between.end);
            self.edits.replace(self.source, at, escape_as(new, syntax));
        }
    }

    fn anchor(
        &mut self,
        html: &HtmlTags<'_>,
        state: &mut HtmlState,
        at: usize,
        element: &HtmlElement,
        syntax: TextSyntax,
    ) {
        let (cell_content, Some((_, end))) = (state.cell_content(at), state.span(at)) else {
            return;
        };
        let role = match cell_content {
            CellContent::Text => ReferenceRole::Link,
            CellContent::Targets(role) => role,
            CellContent::Others => return,
        };
        // The link of a heading anchor points to itself.
        if element.attributes.has("id") || element.attributes.has("data-footnote-ref") {
            return;
        }
        let class = element.attributes.clone().take("class");
        let is_mention = element.attributes.has("data-mention") || class.as_deref() == Some("mention");
        match self.change_attribute(html, at, element, "href", role) {
            LinkChange::Keep | LinkChange::Replace(_) | LinkChange::ReplaceTag(_) => {}
            change @ LinkChange::ReplaceNamed { .. } if is_mention || cell_content != CellContent::Text => {
                self.rename(html, (at, end), &change, syntax);
            }
            LinkChange::ReplaceNamed { .. } => {}
            LinkChange::Unlink if cell_content == CellContent::Text => {
                self.replace_tags(html, state, (at, end), "", "")
            }
            LinkChange::Unlink => self.remove_element(html, state, (at, end)),
        }
    }

    fn image(
        &mut self,
        html: &HtmlTags<'_>,
        state: &mut HtmlState,
        at: usize,
        element: &HtmlElement,
        syntax: TextSyntax,
    ) {
        let mut attributes = element.attributes.clone();
        let drawing = attributes.take("class").is_some_and(|class| class.ends_with("drawing"));
        let role = if drawing {
            ReferenceRole::File
        } else {
            ReferenceRole::Media
        };
        if self.change_attribute(html, at, element, "src", role) != LinkChange::Unlink {
            return;
        }
        let alt = attributes
            .take("alt")
            .filter(|_| state.cell_content(at) == CellContent::Text);
        self.remove_tag(html, state, at, &escape_as(&alt.unwrap_or_default(), syntax));
        if let Some(picture) = HtmlState::open(state.picture, at).filter(|picture| !state.removed.contains(&picture.0))
        {
            for inner in picture.0 + 1..at {
                self.remove_tag(html, state, inner, "");
            }
            self.replace_tags(html, state, picture, "", "");
        }
        // A figure without its image becomes a paragraph, which a group of figures does not accept.
        if let Some(figure) = HtmlState::open(state.figure, at).filter(|_| syntax == TextSyntax::Html) {
            state.caption_end = figure.1;
            self.replace_tags(html, state, figure, "<p>", "</p>");
            if let Some(div) = HtmlState::open(state.div, at) {
                self.replace_tags(html, state, div, "", "");
            }
        }
    }

    fn remove_tag(&mut self, html: &HtmlTags<'_>, state: &mut HtmlState, tag: usize, with: &str) {
        if let Some((_, at)) = html.tags.get(tag)
            && state.removed.insert(tag)
        {
            let at = html.place(at.start)..html.place(at.end);
            self.edits.replace(self.source, at, with);
        }
    }

    fn replace_tags(
        &mut self,
        html: &HtmlTags<'_>,
        state: &mut HtmlState,
        (open, close): TagRange,
        begin: &str,
        end: &str,
    ) {
        self.remove_tag(html, state, open, begin);
        self.remove_tag(html, state, close, end);
    }

    /// Removes an element with its content.
    fn remove_element(&mut self, html: &HtmlTags<'_>, state: &mut HtmlState, (open, close): TagRange) {
        if let (Some((_, from)), Some((_, to))) = (html.tags.get(open), html.tags.get(close)) {
            let at = html.place(from.start)..html.place(to.end);
            self.edits.replace(self.source, at, "");
            state.removed_until = close + 1;
        }
    }
}

fn is_caption(name: &str) -> bool {
    matches!(name, "figcaption" | "p")
}

fn escape_as(text: &str, syntax: TextSyntax) -> String {
    match syntax {
        TextSyntax::Markdown => escape_markdown(text),
        TextSyntax::Html => {
            let context = EscapeContext {
                mode: EscapeMode::Html,
                is_last: false,
            };
            let mut written = String::new();
            escape::escape_text(text, context, &mut written);
            written
        }
    }
}
