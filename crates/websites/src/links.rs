//! The links of pages.

use html5gum::{Token, Tokenizer};
use url::Url;

use crate::attributes::{attribute, follow, name_of};

/// The most links of a page.
const MAX_LINKS: usize = 5000;

/// The addresses that a page in HTML links to.
pub fn links(html: &str, address: &Url) -> Vec<Url> {
    let (mut base, mut found) = (address.clone(), Vec::new());
    let mut tokens = Tokenizer::new(html);
    while let Some(Ok(token)) = tokens.next() {
        let Token::StartTag(tag) = token else { continue };
        let name = name_of(&tag.name);
        follow(&mut tokens, &name);
        let Some(target) = attribute(&tag, "href").and_then(|href| base.join(href.trim()).ok()) else {
            continue;
        };
        match &*name {
            "base" => base = target,
            "a" if found.len() < MAX_LINKS => found.push(target),
            _ => {}
        }
    }
    found
}
