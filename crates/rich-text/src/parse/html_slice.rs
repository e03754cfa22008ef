//! Slices of HTML tokens with matching tags.

use crate::syntax::html::{self, HtmlElement, HtmlToken};

/// A slice of HTML tokens with the matching tag of each.
#[derive(Clone, Copy)]
pub struct HtmlSlice<'h> {
    tokens: &'h [HtmlToken],
    pairs: &'h [Option<usize>],
    /// Index of the slice in the whole: matches are indexes into the whole.
    offset: usize,
}

impl<'h> HtmlSlice<'h> {
    pub fn new(tokens: &'h [HtmlToken], pairs: &'h [Option<usize>]) -> Self {
        Self {
            tokens,
            pairs,
            offset: 0,
        }
    }

    pub fn part(self, from: usize, to: usize) -> Self {
        Self {
            tokens: self.tokens.get(from..to).unwrap_or_default(),
            pairs: self.pairs.get(from..to).unwrap_or_default(),
            offset: self.offset + from,
        }
    }

    fn skip_blank(self) -> Self {
        let blank = self.tokens.iter().take_while(|token| token.is_blank()).count();
        self.part(blank, self.tokens.len())
    }

    /// Returns the index in this slice of the tag that closes the one at `at`.
    pub fn end_of(self, at: usize) -> Option<usize> {
        let end = self.pairs.get(at).copied().flatten()?.checked_sub(self.offset)?;
        (end < self.tokens.len() && end > at).then_some(end)
    }

    pub fn is_blank(self) -> bool {
        self.tokens.iter().all(HtmlToken::is_blank)
    }

    /// Returns whether there are elements that are laid out as blocks.
    pub fn has_blocks(self) -> bool {
        self.tokens.iter().any(|token| match token {
            HtmlToken::Open(element) => html::is_block(&element.name),
            _ => false,
        })
    }

    /// Returns the first token that is not blank, and the rest.
    pub fn first(self) -> Option<(&'h HtmlToken, Self)> {
        let html = self.skip_blank();
        Some((html.tokens.first()?, html.part(1, html.tokens.len())))
    }

    /// Returns the content of the element at the beginning, and the rest.
    pub fn first_element(self, name: &str) -> Option<(Self, Self)> {
        let html = self.skip_blank();
        html.tokens.first()?.opens(name).then_some(())?;
        let end = html.end_of(0)?;
        Some((html.part(1, end), html.part(end + 1, html.tokens.len())))
    }

    /// Returns all elements; `None` if the slice contains anything else.
    pub fn elements(self, name: &str) -> Option<Vec<(&'h HtmlElement, Self)>> {
        self.elements_of(&[name])
    }

    pub fn elements_of(self, names: &[&str]) -> Option<Vec<(&'h HtmlElement, Self)>> {
        let mut elements = Vec::new();
        let mut rest = self;
        while !rest.is_blank() {
            let (HtmlToken::Open(element), _) = rest.first()? else {
                return None;
            };
            names.contains(&element.name.as_str()).then_some(())?;
            let (inner, after) = rest.first_element(&element.name)?;
            elements.push((&**element, inner));
            rest = after;
        }
        Some(elements)
    }

    /// Returns the slice without its first token.
    pub fn after(self) -> Self {
        self.part(1, self.tokens.len())
    }

    pub fn tokens(self) -> &'h [HtmlToken] {
        self.tokens
    }
}
