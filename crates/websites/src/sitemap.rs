//! `sitemap.xml`, and indexes of sitemaps.

use html5gum::{Token, Tokenizer};

use crate::attributes::name_of;

/// The most addresses that are read.
const MAX_ADDRESSES: usize = 10_000;

#[derive(Debug, Default)]
pub struct Sitemap {
    pub pages: Vec<String>,
    /// Further sitemaps.
    pub sitemaps: Vec<String>,
}

impl Sitemap {
    /// Reads a sitemap. What is not one has no addresses.
    pub fn read(text: &str) -> Self {
        let mut found = Self::default();
        let mut address: Option<String> = None;
        let mut in_sitemap = false;
        for Ok(token) in Tokenizer::new(text) {
            match token {
                Token::StartTag(tag) => match &*name_of(&tag.name) {
                    "sitemap" => in_sitemap = true,
                    "url" => in_sitemap = false,
                    "loc" => address = Some(String::new()),
                    _ => {}
                },
                Token::String(text) => {
                    if let Some(address) = &mut address {
                        address.push_str(&String::from_utf8_lossy(&text));
                    }
                }
                Token::EndTag(tag) if *tag.name == b"loc" => {
                    let list = if in_sitemap {
                        &mut found.sitemaps
                    } else {
                        &mut found.pages
                    };
                    list.extend(address.take().map(|address| address.trim().to_owned()));
                }
                _ => {}
            }
            if found.pages.len() + found.sitemaps.len() >= MAX_ADDRESSES {
                break;
            }
        }
        found
    }
}
