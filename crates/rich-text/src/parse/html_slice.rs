//! A slice of HTML tokens that knows which closing tag belongs to which opening one.

use crate::syntax::html::{Element, Token};

/// A piece of HTML with the partners of its tags.
#[derive(Clone, Copy)]
pub struct Html<'h> {
    tokens: &'h [Token],
    partners: &'h [Option<usize>],
    /// Where the piece begins in the whole: partners are counted from there.
    offset: usize,
}

impl<'h> Html<'h> {
    pub fn new(tokens: &'h [Token], partners: &'h [Option<usize>]) -> Self {
        Self {
            tokens,
            partners,
            offset: 0,
        }
    }

    pub fn part(self, from: usize, to: usize) -> Self {
        Self {
            tokens: self.tokens.get(from..to).unwrap_or_default(),
            partners: self.partners.get(from..to).unwrap_or_default(),
            offset: self.offset + from,
        }
    }

    fn skip_blank(self) -> Self {
        let blank = self.tokens.iter().take_while(|token| token.is_blank()).count();
        self.part(blank, self.tokens.len())
    }

    /// The place within this piece where an element that begins the piece ends.
    pub fn end_of(self, at: usize) -> Option<usize> {
        let end = self.partners.get(at).copied().flatten()?.checked_sub(self.offset)?;
        (end < self.tokens.len() && end > at).then_some(end)
    }

    pub fn is_blank(self) -> bool {
        self.tokens.iter().all(Token::is_blank)
    }

    /// The first token that is not only space, and what follows.
    pub fn first(self) -> Option<(&'h Token, Self)> {
        let html = self.skip_blank();
        Some((html.tokens.first()?, html.part(1, html.tokens.len())))
    }

    /// The content of an element that comes first, and what follows it.
    pub fn first_element(self, name: &str) -> Option<(Self, Self)> {
        let html = self.skip_blank();
        html.tokens.first()?.opens(name).then_some(())?;
        let end = html.end_of(0)?;
        Some((html.part(1, end), html.part(end + 1, html.tokens.len())))
    }

    /// All elements, if there are only elements of this name.
    pub fn elements(self, name: &str) -> Option<Vec<(&'h Element, Self)>> {
        self.elements_of(&[name])
    }

    pub fn elements_of(self, names: &[&str]) -> Option<Vec<(&'h Element, Self)>> {
        let mut found = Vec::new();
        let mut rest = self;
        while !rest.is_blank() {
            let (Token::Open(element), _) = rest.first()? else {
                return None;
            };
            names.contains(&element.name.as_str()).then_some(())?;
            let (inner, after) = rest.first_element(&element.name)?;
            found.push((element, inner));
            rest = after;
        }
        Some(found)
    }

    /// Without the first token.
    pub fn after(self) -> Self {
        self.part(1, self.tokens.len())
    }

    pub fn tokens(self) -> &'h [Token] {
        self.tokens
    }
}
