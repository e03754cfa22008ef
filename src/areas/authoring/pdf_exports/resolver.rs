//! What references in the texts of a space mean in its PDF.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use content::pages::File;
use entity::ids::{NodeId, PageId, ReusableContentId, UserId};
use print::{Resolver, Target};
use rich_text::{ReferenceRole, is_safe_target};
use serde_json::Value;
use url::Url;

use crate::kernel::urls::Urls;

/// Images of a book.
const MAX_IMAGES: usize = 1000;

/// The types of images that can be printed.
const IMAGE_TYPES: [&str; 5] = ["image/gif", "image/jpeg", "image/png", "image/svg+xml", "image/webp"];

pub struct BookResolver {
    pub urls: Arc<Urls>,
    pub space: NodeId,
    /// Visitors of sites get no addresses of the application.
    pub for_visitor: bool,
    /// The titles of the pages that the reader sees.
    pub titles: HashMap<PageId, String>,
    pub files: HashMap<String, File>,
    pub reusable_contents: HashMap<String, Vec<Value>>,
    pub people: HashMap<UserId, String>,
    /// What texts name and is not loaded yet.
    pub missing: Missing,
    /// The images in the order of their names.
    pub images: Vec<File>,
    pub image_bytes: u64,
    image_names: HashMap<String, String>,
}

#[derive(Default)]
pub struct Missing {
    pub reusable_contents: BTreeSet<ReusableContentId>,
    pub people: BTreeSet<UserId>,
}

impl Missing {
    pub fn is_empty(&self) -> bool {
        self.reusable_contents.is_empty() && self.people.is_empty()
    }
}

impl BookResolver {
    pub fn new(
        urls: &Arc<Urls>,
        space: NodeId,
        for_visitor: bool,
        titles: HashMap<PageId, String>,
        files: Vec<File>,
    ) -> Self {
        Self {
            urls: Arc::clone(urls),
            space,
            for_visitor,
            titles,
            files: files.into_iter().map(|file| (file.id.to_string(), file)).collect(),
            reusable_contents: HashMap::new(),
            people: HashMap::new(),
            missing: Missing::default(),
            images: Vec::new(),
            image_bytes: 0,
            image_names: HashMap::new(),
        }
    }

    /// Returns whether the book has more images than fit.
    pub fn has_too_many_images(&self) -> bool {
        self.images.len() > MAX_IMAGES || self.image_bytes > print::process::MAX_IMAGE_BYTES
    }

    /// Notes what a text names and is not loaded yet.
    pub fn note(&mut self, node: &Value) {
        match node {
            Value::Array(items) => items.iter().for_each(|item| self.note(item)),
            Value::Object(members) => {
                let word = |name| members.get(name).and_then(Value::as_str);
                match word("kind") {
                    Some("user") => self.note_person(word("user")),
                    Some("reusable-content") if self.is_here(node) => self.note_content(word("reusableContent")),
                    _ => members.values().for_each(|value| self.note(value)),
                }
            }
            _ => {}
        }
    }

    fn note_person(&mut self, user: Option<&str>) {
        if let Some(user) = user.and_then(|user| user.parse().ok())
            && !self.people.contains_key(&user)
        {
            self.missing.people.insert(user);
        }
    }

    fn note_content(&mut self, content: Option<&str>) {
        if let Some(name) = content
            && !self.reusable_contents.contains_key(name)
            && let Ok(content) = name.parse()
        {
            self.missing.reusable_contents.insert(content);
        }
    }

    /// Returns whether a reference stays in the space.
    fn is_here(&self, reference: &Value) -> bool {
        let space = reference.get("space").and_then(Value::as_str);
        space.is_none_or(|space| space == self.space.to_string())
    }

    fn file(&self, reference: &Value) -> Option<&File> {
        let id = reference.get("file")?.as_str()?;
        self.files.get(id).filter(|_| self.is_here(reference))
    }

    fn page(&self, reference: &Value) -> Target {
        let word = |name| reference.get(name).and_then(Value::as_str);
        let anchor = word("anchor").map(str::to_owned);
        let page: Option<PageId> = word("page").and_then(|page| page.parse().ok());
        if !self.is_here(reference) {
            let space: Option<NodeId> = word("space").and_then(|space| space.parse().ok());
            let page = space.zip(page).map(|(space, page)| self.urls.page_page(space, page));
            return Target {
                url: self.of_application(page.or_else(|| space.map(|space| self.urls.space_page(space)))),
                ..Target::default()
            };
        }
        let title = page.and_then(|page| self.titles.get(&page));
        let url = page
            .filter(|_| title.is_some())
            .map(|page| self.urls.page_page(self.space, page));
        Target {
            url: self.of_application(url),
            page: page.filter(|_| title.is_some()).map(|page| page.to_string()),
            anchor: anchor.filter(|_| page.is_none() || title.is_some()),
            title: title.cloned(),
        }
    }

    fn of_application(&self, url: Option<String>) -> Option<String> {
        url.filter(|_| !self.for_visitor)
    }
}

impl Resolver for BookResolver {
    fn target(&self, reference: &Value) -> Target {
        let word = |name: &str| reference.get(name).and_then(Value::as_str);
        let target = match word("kind") {
            Some("url") => {
                let url = word("url").unwrap_or_default();
                let is_link = is_safe_target(ReferenceRole::Link, url) && Url::parse(url).is_ok();
                Target {
                    url: is_link.then(|| url.to_owned()),
                    title: Some(url.to_owned()).filter(|url| !url.is_empty()),
                    ..Target::default()
                }
            }
            Some("page" | "anchor") => self.page(reference),
            Some("file") => match self.file(reference) {
                Some(file) => Target {
                    url: Some(self.urls.file(self.space, file)),
                    title: Some(file.name.clone()),
                    ..Target::default()
                },
                None => Target::default(),
            },
            Some("user") => Target {
                title: word("user").and_then(|user| Some(format!("@{}", self.people.get(&user.parse().ok()?)?))),
                ..Target::default()
            },
            Some("collection") => {
                let collection = word("collection").and_then(|collection| collection.parse().ok());
                Target {
                    url: self.of_application(collection.map(|it| self.urls.collection_page(it))),
                    ..Target::default()
                }
            }
            Some("space") => {
                let space = word("space").and_then(|space| space.parse().ok());
                Target {
                    url: self.of_application(space.map(|it| self.urls.space_page(it))),
                    ..Target::default()
                }
            }
            _ => Target::default(),
        };
        // What the book cannot name keeps its name.
        let id = [
            "spec",
            "file",
            "page",
            "anchor",
            "user",
            "collection",
            "space",
            "reusableContent",
        ];
        let id = id.into_iter().find_map(word);
        Target {
            title: target.title.or_else(|| id.map(str::to_owned)),
            ..target
        }
    }

    fn image(&mut self, reference: &Value) -> Option<String> {
        let file = self.file(reference)?;
        let essence = file.content_type.split(';').next().unwrap_or_default().trim();
        if !IMAGE_TYPES.contains(&essence) {
            return None;
        }
        let (id, file) = (file.id.to_string(), file.clone());
        if let Some(name) = self.image_names.get(&id) {
            return Some(name.clone());
        }
        let name = self.images.len().to_string();
        self.image_bytes = self.image_bytes.saturating_add(file.size);
        self.images.push(file);
        self.image_names.insert(id, name.clone());
        Some(name)
    }

    fn reusable_content(&self, reference: &Value) -> Option<&[Value]> {
        let id = reference.get("reusableContent")?.as_str()?;
        let found = self.reusable_contents.get(id).filter(|_| self.is_here(reference));
        found.map(Vec::as_slice)
    }
}
