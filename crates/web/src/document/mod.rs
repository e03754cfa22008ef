//! Texts: from nodes to HTML.

mod blocks;
mod cards;
mod code;
mod inlines;
mod layout;
mod media;
mod specified;
mod tables;

use std::collections::HashSet;

use openapi::models::{BlockIntegration, ContentRef, DocumentBlock, DocumentBlockKind as Kind};
use rich_text::plain_text;
use serde_json::Value;

use crate::{Href, Html, Icon, Words, specification::Room};

/// Reusable contents within each other.
const MAX_INCLUDED: usize = 4;

/// Characters that search engines show of a page.
const MAX_SUMMARY: usize = 155;

/// A text as HTML.
#[derive(Debug, Default)]
pub struct Content {
    pub html: Html,
    /// The headings of the page, not those in containers.
    pub headings: Vec<Heading>,
    /// The updates of the page that have an address, in their order.
    pub updates: Vec<Update>,
    /// The beginning of the first paragraph.
    pub summary: Option<String>,
    /// The origins of servers that the page calls if the reader wants it.
    pub connects: Vec<String>,
}

/// An update of a changelog.
#[derive(Debug)]
pub struct Update {
    /// As in ISO 8601.
    pub day: String,
    pub id: String,
    pub title: String,
    pub html: Html,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 for the headings below the title of the page.
    pub level: u8,
    pub id: String,
    pub title: String,
}

/// A place to which a reference leads.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// `None`: the place is none that the reader can open.
    pub href: Option<Href>,
    /// The words for references without words of their own.
    pub title: Option<String>,
    pub description: Option<String>,
    pub emoji: Option<String>,
    /// Shown if there is no emoji.
    pub icon: Option<Icon>,
}

impl Target {
    pub fn at(href: Option<Href>) -> Self {
        Self {
            href,
            ..Self::default()
        }
    }
}

/// A file of the content.
#[derive(Clone, Debug)]
pub struct FileTarget {
    pub href: Href,
    pub name: String,
    pub content_type: String,
    pub size: u64,
    /// Width and height in pixels.
    pub dimensions: Option<(u32, u32)>,
}

/// The places that references of a text lead to, as the reader sees them.
pub trait Targets {
    fn target(&self, reference: &ContentRef) -> Target;

    fn file(&self, id: &str) -> Option<&FileTarget>;

    /// The text of a reusable content.
    fn reusable_content(&self, reference: &ContentRef) -> Option<&[DocumentBlock]>;

    /// An OpenAPI 3.1 document by the name of its specification.
    fn specification(&self, name: &str) -> Option<&Value>;

    /// The title of a page that is embedded, and the name of its site. `None`: they are not known.
    fn embed(&self, url: &str) -> Option<(&str, &str)>;

    /// The address of the document with the block of an integration. `None`: there is none.
    fn component(&self, block: &BlockIntegration) -> Option<Href>;

    /// The address of the search page of the site.
    fn search(&self) -> &Href;
}

/// Makes the HTML of a text.
pub fn render(blocks: &[DocumentBlock], targets: &dyn Targets, words: &'static Words) -> Content {
    let mut writer = Writer::new(targets, words);
    writer.blocks(blocks);
    Content {
        html: writer.html,
        headings: writer.headings,
        updates: writer.updates,
        summary: summary(blocks),
        connects: writer.room.origins.into_list(),
    }
}

fn summary(blocks: &[DocumentBlock]) -> Option<String> {
    let texts = blocks.iter().filter_map(|block| match block.kind() {
        Kind::BlockParagraph(paragraph) => Some(plain_text(paragraph.nodes.as_deref()?)),
        _ => None,
    });
    let mut texts = texts.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = texts.find(|text| !text.is_empty())?;
    match text.char_indices().nth(MAX_SUMMARY) {
        Some((end, _)) => Some(format!("{}…", text.get(..end)?)),
        None => Some(text),
    }
}

/// The HTML of texts.
struct Writer<'t> {
    html: Html,
    targets: &'t dyn Targets,
    words: &'static Words,
    headings: Vec<Heading>,
    updates: Vec<Update>,
    /// The ids of elements: each is there once.
    ids: HashSet<String>,
    /// The texts of annotations, which follow the block that names them.
    notes: Html,
    /// The number of groups of radio buttons and annotations.
    groups: usize,
    /// The part of a page to which ids of groups belong. `None`: the page itself, whose elements have anchors.
    part: Option<String>,
    /// Containers around the block.
    nesting: usize,
    included: usize,
    /// What is left for parts of OpenAPI documents.
    room: Room,
}

impl<'t> Writer<'t> {
    fn new(targets: &'t dyn Targets, words: &'static Words) -> Self {
        Self {
            html: Html::default(),
            targets,
            words,
            headings: Vec::new(),
            updates: Vec::new(),
            ids: HashSet::new(),
            notes: Html::default(),
            groups: 0,
            part: None,
            nesting: 0,
            included: 0,
            room: Room::default(),
        }
    }

    /// Takes an id for an element. `None`: another element has it.
    fn take_id<'i>(&mut self, id: Option<&'i str>) -> Option<&'i str> {
        // What follows `~` are ids of this crate.
        let id = id.filter(|_| self.part.is_none())?;
        let id = Some(id).filter(|id| !id.is_empty() && !id.starts_with('~') && !id.contains(char::is_whitespace))?;
        self.ids.insert(id.to_owned()).then_some(id)
    }

    fn next_group(&mut self) -> String {
        self.groups += 1;
        let part = self.part.as_deref().unwrap_or("~");
        format!("{part}{}", self.groups)
    }

    /// Adds the icon with a name before words, if there is one.
    fn icon_before(&mut self, name: Option<&str>) {
        if let Some(icon) = name.and_then(Icon::named) {
            icon.push(&mut self.html, "icon");
            self.html.markup(" ");
        }
    }

    /// Adds the emoji of a target, or else its icon.
    fn mark_before(&mut self, target: &Target) {
        match &target.emoji {
            Some(emoji) => self.html.text(&format!("{emoji} ")),
            None => self.icon_before(target.icon.as_ref().map(Icon::name)),
        }
    }

    fn href_of(&self, reference: &ContentRef) -> Option<Href> {
        self.targets.target(reference).href
    }
}
