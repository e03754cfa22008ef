//! The pages that take the place of a placeholder: a page in its place, and those below it.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use content::pages::{ComputedPages, Overlay, Page, PageContent, spread};
use entity::ids::PageId;
use openapi::models::{ComputedDependency, ComputedDependencyRef, ComputedSource, ContentRefOpenApi};
use platform::hash::Hash;
use serde_json::{Value, json};
use specifications::{INFO_KEY, Outline, OutlinePage, OutlineShape, PageText};

use super::{
    OPENAPI, SPECIFICATION, Specification, WantedSpecification,
    dependency::{Dependency, dependency_value, page_id},
    text,
};

use crate::{areas::content::slugs::SlugsInUse, kernel::urls::Urls};

/// The most computed pages of a revision. A placeholder whose pages are too many beside the others has only its own page,
/// which says so.
const MAX_PAGES: usize = 10_000;

/// Memory of a page beside its words.
const PAGE_BYTES: usize = 1_000;

/// Slugs are a part of keys too.
const COPIES_OF_SLUG: usize = 2;

/// The computed pages of a revision.
#[derive(Default)]
pub struct ComputedTree {
    pub overlay: Overlay,
    /// The hash of all that the pages are computed from.
    pub digest: Option<Hash>,
    texts: HashMap<PageId, ComputedText>,
    dependencies: Vec<Arc<Dependency>>,
}

#[derive(Clone)]
struct ComputedText {
    dependency: Arc<Dependency>,
    seed: PageId,
    text: PageText,
    /// The address of the document, which the text ends with.
    download: Option<String>,
    /// `true`: there was no room for the pages below; `false`: they are there.
    is_alone: bool,
}

impl ComputedTree {
    pub fn new<'p>(
        digest: Hash,
        urls: &Urls,
        placeholders: impl Iterator<Item = (&'p Page, &'p ComputedPages, Dependency)>,
    ) -> Self {
        let (mut pages, mut texts, mut dependencies) = (Vec::new(), HashMap::new(), Vec::new());
        for (placeholder, source, dependency) in placeholders {
            let dependency = Arc::new(dependency);
            dependencies.push(Arc::clone(&dependency));
            let mut computed = pages_of(placeholder, &dependency.outline, shape(source));
            let download = is_set(source, "downloadLink")
                .then(|| dependency.document(urls))
                .flatten();
            let is_alone = pages.len().saturating_add(computed.len()) > MAX_PAGES;
            if is_alone {
                // The page in the place of the placeholder is the first one.
                computed.truncate(1);
            }
            for (page, text) in computed {
                let text = ComputedText {
                    dependency: Arc::clone(&dependency),
                    seed: placeholder.id,
                    download: download.clone().filter(|_| text == PageText::Info(INFO_KEY.to_owned())),
                    text,
                    is_alone,
                };
                texts.insert(page.id, text);
                pages.push(page);
            }
        }
        Self {
            overlay: Overlay::new(pages),
            digest: Some(digest),
            texts,
            dependencies,
        }
    }

    /// Some pages with those above them.
    pub fn part(&self, wanted: &HashSet<PageId>) -> Self {
        let mut waiting: Vec<PageId> = wanted.iter().copied().collect();
        let mut pages: HashMap<PageId, &Page> = HashMap::new();
        while let Some(id) = waiting.pop() {
            if let Some(page) = self.overlay.get(id)
                && pages.insert(id, page).is_none()
            {
                waiting.extend(page.parent);
            }
        }
        let texts = pages.keys().filter_map(|id| Some((*id, self.texts.get(id)?.clone())));
        Self {
            texts: texts.collect(),
            overlay: Overlay::new(pages.into_values().cloned()),
            digest: self.digest,
            dependencies: Vec::new(),
        }
    }

    pub fn page_count(&self) -> usize {
        self.texts.len()
    }

    /// The memory of the pages, with what they are made from.
    pub fn bytes(&self) -> usize {
        let words = |page: &Page| {
            let slug = page.slug.len().saturating_mul(COPIES_OF_SLUG);
            let description = page.description.as_deref().unwrap_or_default();
            page.title.len() + slug + description.len()
        };
        // The outline has the words of the pages once more, and each text has the key of its page.
        let pages = self.pages().map(|page| PAGE_BYTES + 3 * words(page));
        let outlines = self.dependencies.iter().map(|it| it.outline.description_bytes());
        pages.sum::<usize>() + outlines.sum::<usize>()
    }

    /// The specifications of the placeholders as they name them, and as they were found.
    pub fn specifications(&self) -> (Vec<WantedSpecification>, Vec<Option<Specification>>) {
        let dependencies = self.dependencies.iter();
        dependencies
            .map(|it| (it.wanted.clone(), it.specification.clone()))
            .unzip()
    }

    /// All pages, in no order that means anything.
    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.overlay.iter()
    }

    /// The ids of the pages below copies of their placeholders, by their ids here. `placeholders` has the ids of the copies.
    pub fn copied(&self, placeholders: &HashMap<PageId, PageId>) -> HashMap<PageId, PageId> {
        let pages = self.texts.iter().filter_map(|(page, text)| {
            let copy = placeholders.get(&text.seed)?;
            // The page in the place of a placeholder is the placeholder itself.
            (*page != text.seed).then(|| (*page, page_id(*copy, text.text.page_key())))
        });
        pages.collect()
    }

    /// The description that is the text of a page, or the beginning of it.
    pub fn description(&self, page: PageId) -> Option<&str> {
        let ComputedText { dependency, text, .. } = self.texts.get(&page)?;
        match text {
            PageText::Info(key) if key == INFO_KEY => Some(&dependency.outline.description),
            PageText::Info(key) => Some(&dependency.outline.group(key)?.description),
            PageText::Operations(_) | PageText::Models => None,
        }
    }

    /// The source of a computed page, and the seed of its ids.
    pub fn source(&self, page: PageId) -> Option<(ComputedSource, String)> {
        let text = self.texts.get(&page)?;
        Some((source(&text.dependency, &text.text), text.seed.to_string()))
    }

    /// The Markdown of a computed page.
    pub fn markdown(&self, page: PageId) -> Option<String> {
        let ComputedText {
            dependency,
            seed,
            text,
            download,
            is_alone,
        } = self.texts.get(&page)?;
        let markdown = match is_alone {
            true => text::info_alone(&dependency.outline),
            false => text::markdown(dependency, text, *seed)?,
        };
        Some(match download {
            Some(address) => text::with_download(&markdown, address),
            None => markdown,
        })
    }
}

fn is_set(source: &ComputedPages, name: &str) -> bool {
    source.props.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// The kinds of pages below the one with the description of the document.
fn shape(source: &ComputedPages) -> OutlineShape {
    OutlineShape {
        models: !source.props.contains_key("models") || is_set(source, "models"),
        operations: source.props.get("grouping").is_none_or(|grouping| grouping != "by-tag"),
    }
}

/// The page in the place of a placeholder, and those below it.
fn pages_of(placeholder: &Page, outline: &Outline, shape: OutlineShape) -> Vec<(Page, PageText)> {
    let root = Page {
        content: PageContent::of(None),
        ..placeholder.clone()
    };
    let found: Vec<OutlinePage<'_>> = outline.pages(shape).collect();
    let mut pages = vec![(root, PageText::Info(INFO_KEY.to_owned()))];
    let mut siblings: HashMap<PageId, SlugsInUse> = HashMap::new();
    // The order among siblings is that of the outline.
    for (found, order) in found.iter().zip(spread(found.len())) {
        let parent = found
            .group
            .map_or(placeholder.id, |group| page_id(placeholder.id, group));
        let slug = siblings.entry(parent).or_default().take(found.title);
        let id = page_id(placeholder.id, &found.key);
        let page = Page {
            parent: Some(parent),
            description: found.entry.map(|entry| entry.words()),
            hidden: placeholder.hidden,
            no_index: placeholder.no_index,
            no_robots_index: placeholder.no_robots_index,
            ..Page::empty(id, order, found.title.to_owned(), slug)
        };
        pages.push((page, found.text.clone()));
    }
    pages
}

fn source(dependency: &Dependency, text: &PageText) -> ComputedSource {
    let props = match text {
        PageText::Info(page) => json!({ "doc": "info", "page": page }),
        PageText::Operations(page) => json!({ "doc": "operations", "page": page }),
        PageText::Models => json!({ "doc": "models" }),
    };
    let reference = ContentRefOpenApi {
        kind: Default::default(),
        spec: dependency.wanted.reference.clone(),
    };
    let dependency = ComputedDependency {
        r#ref: ComputedDependencyRef::ContentRefOpenApi(reference),
        value: dependency_value(dependency.specification.as_ref()),
    };
    let props = props.as_object().cloned().unwrap_or_default();
    ComputedSource {
        r#type: OPENAPI.to_owned(),
        props: props.into_iter().collect(),
        dependencies: Some([(SPECIFICATION.to_owned(), dependency)].into()),
    }
}
