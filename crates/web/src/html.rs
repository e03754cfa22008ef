//! HTML that is made piece by piece.

use maud::Render;

use crate::Href;

/// HTML: all text in it is escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds text.
    pub fn text(&mut self, text: &str) {
        escape(text, &mut self.0);
    }

    /// Adds markup, which is written in this crate or is an icon: text from elsewhere lives shorter than the program.
    pub fn markup(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    pub fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    /// Begins a start tag.
    pub fn open(&mut self, name: &'static str) -> StartTag<'_> {
        self.0.push('<');
        self.0.push_str(name);
        StartTag(&mut self.0)
    }

    /// Adds MathML of the crate `formulas`, in which all text is escaped.
    pub(crate) fn push_mathml(&mut self, mathml: &str) {
        self.0.push_str(mathml);
    }
}

impl Render for Html {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str(&self.0);
    }
}

/// A start tag to which attributes are added. Complete when dropped.
pub struct StartTag<'h>(&'h mut String);

impl StartTag<'_> {
    pub fn attribute(self, name: &'static str, value: &str) -> Self {
        self.0.push(' ');
        self.0.push_str(name);
        self.0.push_str("=\"");
        escape(value, self.0);
        self.0.push('"');
        self
    }

    pub fn optional(self, name: &'static str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.attribute(name, value),
            None => self,
        }
    }

    pub fn flag(self, name: &'static str, is_set: bool) -> Self {
        if is_set {
            self.0.push(' ');
            self.0.push_str(name);
        }
        self
    }

    pub fn href(self, href: &Href) -> Self {
        self.attribute("href", href.as_str())
    }

    pub fn src(self, src: &Href) -> Self {
        self.attribute("src", src.as_str())
    }
}

impl Drop for StartTag<'_> {
    fn drop(&mut self) {
        self.0.push('>');
    }
}

/// Escapes text for elements and for attributes in double quotes.
pub(crate) fn escape(text: &str, html: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\0']) {
        let (before, from) = rest.split_at(at);
        html.push_str(before);
        let mut characters = from.chars();
        html.push_str(match characters.next() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') => "&quot;",
            // HTML cannot contain this character.
            _ => "\u{fffd}",
        });
        rest = characters.as_str();
    }
    html.push_str(rest);
}
