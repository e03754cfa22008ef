//! The script that searches a static site, with a list of its pages.

use entity::ids::PageId;
use openapi::error::ApiError;
use rich_text::extract_sections;
use serde_json::{Value, json};
use web::style::STATIC_SEARCH;

use crate::{
    app::App,
    areas::{authoring::reader::RevisionReader, publishing::published_content::Here},
    web::{content, site::Site, tree::Tree},
};

/// Characters of the texts of all pages, and of one: browsers load the whole index.
const MAX_CHARACTERS: usize = 2_000_000;
const MAX_OF_PAGE: usize = 4_000;

/// Headings of a page, and the characters of one.
const MAX_SECTIONS: usize = 50;
const MAX_TITLE: usize = 100;

/// A space that readers search.
pub struct Searched {
    here: Here,
    pages: Vec<Listed>,
}

struct Listed {
    id: PageId,
    title: String,
    address: String,
    /// The titles of the space and of the pages above.
    place: String,
}

impl Searched {
    pub fn new(here: Here, tree: &Tree) -> Self {
        let shown = tree.entries.iter().filter(|entry| entry.is_shown);
        let pages = shown.filter_map(|entry| {
            let above = entry.above.iter().map(|link| link.title.as_str());
            let place: Vec<&str> = std::iter::once(here.title.as_str()).chain(above).collect();
            Some(Listed {
                id: entry.id.parse().ok()?,
                title: entry.title.clone(),
                address: entry.href.as_str().to_owned(),
                place: place.join(" / "),
            })
        });
        Self {
            pages: pages.collect(),
            here,
        }
    }
}

/// Makes the script. `file`: the path of the file at an address.
pub async fn make(
    app: &App,
    site: &Site,
    searched: &[Searched],
    file: impl Fn(&str) -> Option<String>,
) -> Result<String, ApiError> {
    let count: usize = searched.iter().map(|space| space.pages.len()).sum();
    let most = (MAX_CHARACTERS / count.max(1)).min(MAX_OF_PAGE);
    let mut index = Vec::new();
    for Searched { here, pages } in searched {
        let mut reader = content::reader(app, site, here).await?;
        for page in pages {
            if let Some(href) = file(&page.address) {
                index.push(entry(&mut reader, page, &href, most).await?);
            }
        }
    }
    Ok(format!("const sitePages = {};\n{STATIC_SEARCH}", Value::Array(index)))
}

async fn entry(reader: &mut RevisionReader<'_>, page: &Listed, href: &str, most: usize) -> Result<Value, ApiError> {
    let shown = reader.shown_page(page.id).await?;
    let (description, sections) = match shown {
        Some(shown) => (shown.page.description, extract_sections(&shown.document)),
        None => (None, Vec::new()),
    };
    let titled = sections.iter().filter_map(|section| {
        let anchor = section.anchor.as_ref().filter(|_| !section.title.is_empty())?;
        let title: String = section.title.chars().take(MAX_TITLE).collect();
        Some(json!([title, anchor]))
    });
    let titled: Vec<Value> = titled.take(MAX_SECTIONS).collect();
    let texts = description.iter().chain(sections.iter().map(|section| &section.body));
    let text: Vec<&str> = texts.map(String::as_str).collect();
    let text: String = text.join("\n").chars().take(most).collect();
    Ok(json!({
        "title": page.title,
        "href": href,
        "place": page.place,
        "sections": titled,
        "text": text,
    }))
}
