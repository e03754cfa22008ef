//! Targets in HTML elements.

use std::{collections::HashSet, ops::Range};

use super::{LinkChange, LinkRewriter, quoted, words};
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
            let length = match &token {
                HtmlToken::Open(element) => element.raw.len(),
                HtmlToken::Close { raw, .. } | HtmlToken::Text(raw) => raw.len(),
            };
            if token.is_tag() {
                tags.push((token, at..at + length));
            }
            at += length;
        }
        Self { text, tags, lines }
    }

    fn partners(&self) -> Vec<Option<usize>> {
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
    partners: Vec<Option<usize>>,
    /// The content types of the table columns, and the open cell.
    columns: Vec<CellContent>,
    next: usize,
    cell: Option<(TagRange, CellContent)>,
    div: Option<TagRange>,
    figure: Option<TagRange>,
    picture: Option<TagRange>,
    /// Tags of a caption before this index are removed: the caption becomes text.
    plain: usize,
    gone: HashSet<usize>,
    /// Tags before this index are removed already.
    past: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CellContent {
    Words,
    Targets(ReferenceRole),
    /// Links that are not targets, such as users.
    Others,
}

impl HtmlState {
    fn span(&self, at: usize) -> Option<TagRange> {
        let end = self.partners.get(at).copied().flatten()?;
        (end > at).then_some((at, end))
    }

    fn holds(&self, at: usize) -> CellContent {
        match self.cell {
            Some(((_, end), holds)) if at < end => holds,
            _ => CellContent::Words,
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
                    _ => CellContent::Words,
                });
            }
            "tr" => self.next = 0,
            "td" => {
                let holds = self.columns.get(self.next).copied().unwrap_or(CellContent::Words);
                self.cell = span.map(|span| (span, holds));
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
    pub(super) fn elements(&mut self, html: &HtmlTags<'_>, form: TextSyntax) {
        let mut state = HtmlState {
            partners: html.partners(),
            columns: Vec::new(),
            next: 0,
            cell: None,
            div: None,
            figure: None,
            picture: None,
            plain: 0,
            gone: HashSet::new(),
            past: 0,
        };
        for (at, (token, _)) in html.tags.iter().enumerate() {
            if at < state.past {
                continue;
            }
            match token {
                HtmlToken::Open(element) => {
                    state.opened(element, at);
                    self.element(html, &mut state, at, element, form);
                }
                HtmlToken::Close { name, .. } if at < state.plain && is_caption(name) => {
                    self.drop(html, &mut state, at, " ");
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
        form: TextSyntax,
    ) {
        match element.name.as_str() {
            "a" => self.anchor(html, state, at, element, form),
            "img" => self.image(html, state, at, element, form),
            "source" => {
                let Some(picture) = HtmlState::open(state.picture, at) else {
                    return;
                };
                if self.asked(html, at, element, "srcset", ReferenceRole::Media) == LinkChange::Unlink {
                    self.drop(html, state, at, "");
                    self.drop_both(html, state, picture, "", "");
                }
            }
            name if at < state.plain && is_caption(name) => self.drop(html, state, at, " "),
            _ => {}
        }
    }

    /// Asks for the change of a target in an attribute, and applies a replacement.
    fn asked(
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
        let change = self.ask(&target, role);
        if let (LinkChange::Replace(new), Some((_, place))) = (&change, html.tags.get(at)) {
            let from = 1 + element.name.len();
            let value = element
                .raw
                .get(from..)
                .and_then(|rest| attributes::value_of(rest, name, AttributeSyntax::Html));
            if let Some(value) = value {
                let begin = place.start + from;
                let at = html.place(begin + value.start)..html.place(begin + value.end);
                self.edits.replace(self.source, at, quoted(new));
            }
        }
        change
    }

    fn anchor(
        &mut self,
        html: &HtmlTags<'_>,
        state: &mut HtmlState,
        at: usize,
        element: &HtmlElement,
        form: TextSyntax,
    ) {
        let (holds, Some((_, end))) = (state.holds(at), state.span(at)) else {
            return;
        };
        let role = match holds {
            CellContent::Words => ReferenceRole::Link,
            CellContent::Targets(role) => role,
            CellContent::Others => return,
        };
        // The link of a heading anchor points to itself.
        if element.attributes.has("id") || element.attributes.has("data-footnote-ref") {
            return;
        }
        let mut attributes = element.attributes.clone();
        let (target, class) = (attributes.take("href"), attributes.take("class"));
        match self.asked(html, at, element, "href", role) {
            LinkChange::Keep => {}
            LinkChange::Replace(new) => {
                if holds != CellContent::Words || class.as_deref() == Some("mention") {
                    self.relabel_element(html, (at, end), &target.unwrap_or_default(), &new, form);
                }
            }
            LinkChange::Unlink if holds == CellContent::Words => self.drop_both(html, state, (at, end), "", ""),
            LinkChange::Unlink => self.drop_whole(html, state, (at, end)),
        }
    }

    /// Replaces link text that only repeats the target.
    fn relabel_element(&mut self, html: &HtmlTags<'_>, (at, end): TagRange, target: &str, new: &str, form: TextSyntax) {
        let (Some((_, open)), Some((_, close))) = (html.tags.get(at), html.tags.get(end)) else {
            return;
        };
        let written = html.text.get(open.end..close.start).unwrap_or_default().trim();
        let shown = match form {
            TextSyntax::Markdown => entities::unescape(written),
            TextSyntax::Html => entities::decode(written).into_owned(),
        };
        if !shown.is_empty() && target.contains(&shown) && end == at + 1 {
            let place = html.place(open.end)..html.place(close.start);
            self.edits.replace(self.source, place, shown_as(new, form));
        }
    }

    fn image(
        &mut self,
        html: &HtmlTags<'_>,
        state: &mut HtmlState,
        at: usize,
        element: &HtmlElement,
        form: TextSyntax,
    ) {
        let mut attributes = element.attributes.clone();
        let drawing = attributes.take("class").is_some_and(|class| class.ends_with("drawing"));
        let role = if drawing {
            ReferenceRole::File
        } else {
            ReferenceRole::Media
        };
        if self.asked(html, at, element, "src", role) != LinkChange::Unlink {
            return;
        }
        let alt = attributes.take("alt").filter(|_| state.holds(at) == CellContent::Words);
        self.drop(html, state, at, &shown_as(&alt.unwrap_or_default(), form));
        if let Some(picture) = HtmlState::open(state.picture, at).filter(|picture| !state.gone.contains(&picture.0)) {
            for inner in picture.0 + 1..at {
                self.drop(html, state, inner, "");
            }
            self.drop_both(html, state, picture, "", "");
        }
        // A figure without its image becomes a paragraph, which a group of figures does not accept.
        if let Some(figure) = HtmlState::open(state.figure, at).filter(|_| form == TextSyntax::Html) {
            state.plain = figure.1;
            self.drop_both(html, state, figure, "<p>", "</p>");
            if let Some(div) = HtmlState::open(state.div, at) {
                self.drop_both(html, state, div, "", "");
            }
        }
    }

    fn drop(&mut self, html: &HtmlTags<'_>, state: &mut HtmlState, tag: usize, with: &str) {
        if let Some((_, at)) = html.tags.get(tag)
            && state.gone.insert(tag)
        {
            let at = html.place(at.start)..html.place(at.end);
            self.edits.replace(self.source, at, with);
        }
    }

    fn drop_both(
        &mut self,
        html: &HtmlTags<'_>,
        state: &mut HtmlState,
        (open, close): TagRange,
        begin: &str,
        end: &str,
    ) {
        self.drop(html, state, open, begin);
        self.drop(html, state, close, end);
    }

    /// Removes an element with its content.
    fn drop_whole(&mut self, html: &HtmlTags<'_>, state: &mut HtmlState, (open, close): TagRange) {
        if let (Some((_, from)), Some((_, to))) = (html.tags.get(open), html.tags.get(close)) {
            let at = html.place(from.start)..html.place(to.end);
            self.edits.replace(self.source, at, "");
            state.past = close + 1;
        }
    }
}

fn is_caption(name: &str) -> bool {
    matches!(name, "figcaption" | "p")
}

fn shown_as(text: &str, form: TextSyntax) -> String {
    match form {
        TextSyntax::Markdown => words(text),
        TextSyntax::Html => {
            let around = EscapeContext {
                mode: EscapeMode::Html,
                ends: false,
            };
            let mut written = String::new();
            escape::text(text, around, &mut written);
            written
        }
    }
}
