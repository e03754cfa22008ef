//! Targets in elements of HTML.

use std::{collections::HashSet, ops::Range};

use super::{Change, Work, quoted, words};
use crate::{
    references::Role,
    syntax::{
        attributes::{self, Syntax},
        entities,
        escape::{self, Around, Mode},
        html::{self, Edge, Element, Token},
    },
};

/// What the words around the tags are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Markdown,
    Html,
}

/// Tags and the text that they stand in.
pub struct Html<'t> {
    text: &'t str,
    tags: Vec<(Token, Range<usize>)>,
    /// Where each line of the text stands in the prepared one.
    lines: Vec<(usize, usize)>,
}

impl<'t> Html<'t> {
    /// The tags in a line of the prepared text itself.
    pub fn of_line(text: &'t str) -> Self {
        Self {
            text,
            tags: Vec::new(),
            lines: vec![(0, 0)],
        }
    }

    pub fn push(&mut self, at: Range<usize>) {
        let written = self.text.get(at.clone()).unwrap_or_default();
        if let [token] = html::tokens(written).as_slice() {
            self.tags.push((token.clone(), at));
        }
    }

    pub fn of_block(text: &'t str, lines: Vec<(usize, usize)>) -> Self {
        let mut at = 0;
        let mut tags = Vec::new();
        for token in html::tokens(text) {
            let length = match &token {
                Token::Open(element) => element.raw.len(),
                Token::Close { raw, .. } | Token::Text(raw) => raw.len(),
            };
            if token.is_tag() {
                tags.push((token, at..at + length));
            }
            at += length;
        }
        Self { text, tags, lines }
    }

    fn partners(&self) -> Vec<Option<usize>> {
        html::partners(self.tags.iter().map(|(token, _)| match token {
            Token::Open(element) if !html::is_void(&element.name) => Edge::Open(&element.name),
            Token::Close { name, .. } => Edge::Close(name),
            _ => Edge::Neither,
        }))
    }

    fn place(&self, at: usize) -> usize {
        let line = self.lines.partition_point(|(local, _)| *local <= at).saturating_sub(1);
        self.lines.get(line).map_or(at, |(local, place)| place + at - local)
    }
}

/// An element that is open, from its tag to its end.
type Span = (usize, usize);

/// What is known at one tag about those before it.
struct State {
    partners: Vec<Option<usize>>,
    /// What the columns of a table hold, and the cell that is open.
    columns: Vec<Holds>,
    next: usize,
    cell: Option<(Span, Holds)>,
    div: Option<Span>,
    figure: Option<Span>,
    picture: Option<Span>,
    /// The caption up to here goes into the words of its picture.
    plain: usize,
    gone: HashSet<usize>,
    /// Everything up to this tag is gone.
    past: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Words,
    Targets(Role),
    /// Something else that looks like targets.
    Others,
}

impl State {
    fn span(&self, at: usize) -> Option<Span> {
        let end = self.partners.get(at).copied().flatten()?;
        (end > at).then_some((at, end))
    }

    fn holds(&self, at: usize) -> Holds {
        match self.cell {
            Some(((_, end), holds)) if at < end => holds,
            _ => Holds::Words,
        }
    }

    fn opened(&mut self, element: &Element, at: usize) {
        let span = self.span(at);
        match element.name.as_str() {
            "table" => self.columns.clear(),
            "th" => {
                let mut attributes = element.attributes.clone();
                self.columns.push(match attributes.take("data-type").as_deref() {
                    Some("content-ref") => Holds::Targets(Role::Link),
                    Some("files") => Holds::Targets(Role::File),
                    Some("image") => Holds::Targets(Role::Media),
                    Some("users") => Holds::Others,
                    _ => Holds::Words,
                });
            }
            "tr" => self.next = 0,
            "td" => {
                let holds = self.columns.get(self.next).copied().unwrap_or(Holds::Words);
                self.cell = span.map(|span| (span, holds));
                self.next += 1;
            }
            "div" => self.div = span,
            "figure" => self.figure = span,
            "picture" => self.picture = span,
            _ => {}
        }
    }

    /// The innermost of these that is still open.
    fn open(span: Option<Span>, at: usize) -> Option<Span> {
        span.filter(|(_, end)| *end > at)
    }
}

impl Work<'_, '_> {
    pub(super) fn elements(&mut self, html: &Html<'_>, form: Form) {
        let mut state = State {
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
                Token::Open(element) => {
                    state.opened(element, at);
                    self.element(html, &mut state, at, element, form);
                }
                Token::Close { name, .. } if at < state.plain && is_caption(name) => {
                    self.drop(html, &mut state, at, " ");
                }
                _ => {}
            }
        }
    }

    fn element(&mut self, html: &Html<'_>, state: &mut State, at: usize, element: &Element, form: Form) {
        match element.name.as_str() {
            "a" => self.anchor(html, state, at, element, form),
            "img" => self.image(html, state, at, element, form),
            "source" => {
                let Some(picture) = State::open(state.picture, at) else {
                    return;
                };
                if self.asked(html, at, element, "srcset", Role::Media) == Change::PlainText {
                    self.drop(html, state, at, "");
                    self.drop_both(html, state, picture, "", "");
                }
            }
            name if at < state.plain && is_caption(name) => self.drop(html, state, at, " "),
            _ => {}
        }
    }

    /// Asks for the target in an attribute, and replaces it.
    fn asked(&mut self, html: &Html<'_>, at: usize, element: &Element, name: &str, role: Role) -> Change {
        let mut attributes = element.attributes.clone();
        let Some(target) = attributes.take(name) else {
            return Change::Keep;
        };
        let change = self.ask(&target, role);
        if let (Change::To(new), Some((_, place))) = (&change, html.tags.get(at)) {
            let from = 1 + element.name.len();
            let value = element
                .raw
                .get(from..)
                .and_then(|rest| attributes::value_of(rest, name, Syntax::Html));
            if let Some(value) = value {
                let begin = place.start + from;
                let at = html.place(begin + value.start)..html.place(begin + value.end);
                self.edits.replace(self.source, at, quoted(new));
            }
        }
        change
    }

    fn anchor(&mut self, html: &Html<'_>, state: &mut State, at: usize, element: &Element, form: Form) {
        let (holds, Some((_, end))) = (state.holds(at), state.span(at)) else {
            return;
        };
        let role = match holds {
            Holds::Words => Role::Link,
            Holds::Targets(role) => role,
            Holds::Others => return,
        };
        // The anchor of a heading leads to itself.
        if element.attributes.has("id") || element.attributes.has("data-footnote-ref") {
            return;
        }
        let mut attributes = element.attributes.clone();
        let (target, class) = (attributes.take("href"), attributes.take("class"));
        match self.asked(html, at, element, "href", role) {
            Change::Keep => {}
            Change::To(new) => {
                if holds != Holds::Words || class.as_deref() == Some("mention") {
                    self.relabel_element(html, (at, end), &target.unwrap_or_default(), &new, form);
                }
            }
            Change::PlainText if holds == Holds::Words => self.drop_both(html, state, (at, end), "", ""),
            Change::PlainText => self.drop_whole(html, state, (at, end)),
        }
    }

    /// Words that only repeat the target.
    fn relabel_element(&mut self, html: &Html<'_>, (at, end): Span, target: &str, new: &str, form: Form) {
        let (Some((_, open)), Some((_, close))) = (html.tags.get(at), html.tags.get(end)) else {
            return;
        };
        let written = html.text.get(open.end..close.start).unwrap_or_default().trim();
        let shown = match form {
            Form::Markdown => entities::unescape(written),
            Form::Html => entities::decode(written).into_owned(),
        };
        if !shown.is_empty() && target.contains(&shown) && end == at + 1 {
            let place = html.place(open.end)..html.place(close.start);
            self.edits.replace(self.source, place, shown_as(new, form));
        }
    }

    fn image(&mut self, html: &Html<'_>, state: &mut State, at: usize, element: &Element, form: Form) {
        let mut attributes = element.attributes.clone();
        let drawing = attributes.take("class").is_some_and(|class| class.ends_with("drawing"));
        let role = if drawing { Role::File } else { Role::Media };
        if self.asked(html, at, element, "src", role) != Change::PlainText {
            return;
        }
        let alt = attributes.take("alt").filter(|_| state.holds(at) == Holds::Words);
        self.drop(html, state, at, &shown_as(&alt.unwrap_or_default(), form));
        if let Some(picture) = State::open(state.picture, at).filter(|picture| !state.gone.contains(&picture.0)) {
            for inner in picture.0 + 1..at {
                self.drop(html, state, inner, "");
            }
            self.drop_both(html, state, picture, "", "");
        }
        // A figure without a picture is a paragraph, and nothing that may stand among others.
        if let Some(figure) = State::open(state.figure, at).filter(|_| form == Form::Html) {
            state.plain = figure.1;
            self.drop_both(html, state, figure, "<p>", "</p>");
            if let Some(div) = State::open(state.div, at) {
                self.drop_both(html, state, div, "", "");
            }
        }
    }

    fn drop(&mut self, html: &Html<'_>, state: &mut State, tag: usize, with: &str) {
        if let Some((_, at)) = html.tags.get(tag)
            && state.gone.insert(tag)
        {
            let at = html.place(at.start)..html.place(at.end);
            self.edits.replace(self.source, at, with);
        }
    }

    fn drop_both(&mut self, html: &Html<'_>, state: &mut State, (open, close): Span, begin: &str, end: &str) {
        self.drop(html, state, open, begin);
        self.drop(html, state, close, end);
    }

    /// An element with everything in it.
    fn drop_whole(&mut self, html: &Html<'_>, state: &mut State, (open, close): Span) {
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

fn shown_as(text: &str, form: Form) -> String {
    match form {
        Form::Markdown => words(text),
        Form::Html => {
            let around = Around {
                mode: Mode::Html,
                ends: false,
            };
            let mut written = String::new();
            escape::text(text, around, &mut written);
            written
        }
    }
}
