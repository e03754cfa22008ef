mod components;
mod documents;
mod hostile;
mod icons;
mod palettes;
mod specifications;
mod try_it;

use openapi::models::{BlockIntegration, ContentRef, Document, DocumentBlock};
use rich_text::DocumentLimits;
use serde_json::Value;

use crate::{Content, FileTarget, Href, Target, Targets, render, words};

/// Files, pages and reusable contents of a space.
pub struct Space {
    pub files: Vec<(&'static str, FileTarget)>,
    pub reusable: Vec<DocumentBlock>,
    pub specification: Option<Value>,
    search: Href,
}

impl Space {
    pub fn new() -> Self {
        Self {
            files: Vec::new(),
            reusable: Vec::new(),
            specification: None,
            search: Href::path("~/search"),
        }
    }
}

impl Targets for Space {
    fn target(&self, reference: &ContentRef) -> Target {
        match reference {
            ContentRef::ContentRefUrl(url) => Target {
                href: Href::link(&url.url),
                title: Some(url.url.clone()),
                ..Target::default()
            },
            ContentRef::ContentRefPage(page) => Target {
                href: Some(Href::path(&page.page)),
                title: Some("A page".to_owned()),
                ..Target::default()
            },
            ContentRef::ContentRefAnchor(anchor) => Target {
                href: Some(Href::anchor(&anchor.anchor)),
                ..Target::default()
            },
            _ => Target::default(),
        }
    }

    fn file(&self, id: &str) -> Option<&FileTarget> {
        self.files.iter().find(|(known, _)| *known == id).map(|(_, file)| file)
    }

    fn reusable_content(&self, _: &ContentRef) -> Option<&[DocumentBlock]> {
        Some(&self.reusable)
    }

    fn specification(&self, _: &str) -> Option<&Value> {
        self.specification.as_ref()
    }

    fn embed(&self, url: &str) -> Option<(&str, &str)> {
        url.ends_with("/known").then_some(("A known page", "Example"))
    }

    fn component(&self, _: &BlockIntegration) -> Option<Href> {
        None
    }

    fn search(&self) -> &Href {
        &self.search
    }
}

pub fn parse(markdown: &str) -> Document {
    rich_text::parse(markdown, &DocumentLimits::default()).unwrap_or_else(|e| panic!("{e}: {markdown}"))
}

pub fn rendered(markdown: &str) -> Content {
    render(&parse(markdown).nodes, &Space::new(), words("en"))
}

pub fn html(markdown: &str) -> String {
    rendered(markdown).html.as_str().to_owned()
}
