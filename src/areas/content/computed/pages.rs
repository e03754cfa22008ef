//! The pages that take the place of a placeholder: a page in its place, and those below it.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use content::pages::{ComputedPages, Overlay, Page, PageContent, spread};
use entity::ids::PageId;
use openapi::models::{ComputedDependency, ComputedDependencyRef, ComputedSource, ContentRefOpenApi};
use platform::hash::Hash;
use serde::Serialize;
use serde_json::{Value, json};
use specifications::{INFO_KEY, Outline, OutlinePage, OutlineShape, PageText};

use super::{
    OPENAPI, SPECIFICATION, Specification, StoredPage, StoredPages, WantedSpecification,
    dependency::{Dependency, dependency_value, page_id},
    text,
};

use crate::{areas::content::slugs::SlugsInUse, kernel::urls::Urls};

/// The most computed pages of a revision. A placeholder whose pages are too many beside the others has only its own page,
/// which says so.
const MAX_PAGES: usize = 10_000;

/// Bytes of a page beside its words.
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

/// What the pages of a placeholder are made from.
pub enum Origin {
    Specification(Dependency),
    Integration(StoredPages),
}

/// What the pages depend on besides their placeholder.
#[derive(Serialize)]
#[serde(untagged)]
pub enum OriginState<'a> {
    Specification(&'a str, &'a Option<Specification>),
    Integration(Hash),
}

impl Origin {
    pub fn state(&self) -> OriginState<'_> {
        match self {
            Self::Specification(it) => OriginState::Specification(&it.wanted.reference, &it.specification),
            Self::Integration(stored) => OriginState::Integration(stored.hash),
        }
    }
}

#[derive(Clone)]
enum ComputedText {
    Specification(SpecificationText),
    Integration(IntegrationText),
}

/// A text that an integration has computed.
#[derive(Clone)]
struct IntegrationText {
    seed: PageId,
    key: String,
    markdown: Arc<str>,
    source: Arc<ComputedSource>,
}

#[derive(Clone)]
struct SpecificationText {
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
        placeholders: impl Iterator<Item = (&'p Page, &'p ComputedPages, Origin)>,
    ) -> Self {
        let (mut pages, mut texts, mut dependencies) = (Vec::new(), HashMap::new(), Vec::new());
        for (placeholder, source, origin) in placeholders {
            let mut computed = match origin {
                Origin::Specification(dependency) => {
                    let dependency = Arc::new(dependency);
                    dependencies.push(Arc::clone(&dependency));
                    pages_of_specification(urls, placeholder, source, &dependency)
                }
                Origin::Integration(stored) => pages_of_integration(placeholder, source, &stored.pages),
            };
            if pages.len().saturating_add(computed.len()) > MAX_PAGES {
                // The page in the place of the placeholder is the first one.
                computed.truncate(1);
                computed.iter_mut().for_each(|(_, text)| text.set_alone());
            }
            for (page, text) in computed {
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
        let texts = self.texts.values().map(ComputedText::bytes);
        pages.sum::<usize>() + outlines.sum::<usize>() + texts.sum::<usize>()
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
            let copy = placeholders.get(&text.seed())?;
            // The page in the place of a placeholder is the placeholder itself.
            (*page != text.seed()).then(|| (*page, page_id(*copy, text.key())))
        });
        pages.collect()
    }

    /// What is searched of the text of a page: the description that it is, or begins with, or the whole text of an integration.
    pub fn description(&self, page: PageId) -> Option<&str> {
        match self.texts.get(&page)? {
            ComputedText::Specification(SpecificationText { dependency, text, .. }) => match text {
                PageText::Info(key) if key == INFO_KEY => Some(&dependency.outline.description),
                PageText::Info(key) => Some(&dependency.outline.group(key)?.description),
                PageText::Operations(_) | PageText::Models => None,
            },
            ComputedText::Integration(text) => Some(&text.markdown),
        }
    }

    /// The source of a computed page, and the seed of its ids.
    pub fn source(&self, page: PageId) -> Option<(ComputedSource, String)> {
        let text = self.texts.get(&page)?;
        let source = match text {
            ComputedText::Specification(text) => source(&text.dependency, &text.text),
            ComputedText::Integration(text) => text.source.as_ref().clone(),
        };
        Some((source, text.seed().to_string()))
    }

    /// The Markdown of a computed page.
    pub fn markdown(&self, page: PageId) -> Option<String> {
        match self.texts.get(&page)? {
            ComputedText::Specification(text) => text.markdown(),
            ComputedText::Integration(text) => Some(text.markdown.to_string()),
        }
    }
}

impl ComputedText {
    /// The placeholder of the page.
    fn seed(&self) -> PageId {
        match self {
            Self::Specification(text) => text.seed,
            Self::Integration(text) => text.seed,
        }
    }

    /// The key of the page among those of the placeholder.
    fn key(&self) -> &str {
        match self {
            Self::Specification(text) => text.text.page_key(),
            Self::Integration(text) => &text.key,
        }
    }

    /// Bytes of a text that is not in the outline of a specification.
    fn bytes(&self) -> usize {
        match self {
            Self::Specification(_) => 0,
            Self::Integration(text) => text.markdown.len(),
        }
    }

    /// There is no room for the pages below.
    fn set_alone(&mut self) {
        if let Self::Specification(text) = self {
            text.is_alone = true;
        }
    }
}

impl SpecificationText {
    fn markdown(&self) -> Option<String> {
        let Self {
            dependency,
            seed,
            text,
            download,
            is_alone,
        } = self;
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

fn pages_of_specification(
    urls: &Urls,
    placeholder: &Page,
    source: &ComputedPages,
    dependency: &Arc<Dependency>,
) -> Vec<(Page, ComputedText)> {
    let download = is_set(source, "downloadLink")
        .then(|| dependency.document(urls))
        .flatten();
    let pages = pages_of(placeholder, &dependency.outline, shape(source)).into_iter();
    let with_text = |(page, text): (Page, PageText)| {
        let text = SpecificationText {
            dependency: Arc::clone(dependency),
            seed: placeholder.id,
            download: download.clone().filter(|_| text == PageText::Info(INFO_KEY.to_owned())),
            text,
            is_alone: false,
        };
        (page, ComputedText::Specification(text))
    };
    pages.map(with_text).collect()
}

/// The page in the place of a placeholder, which has no text, and those below it.
fn pages_of_integration(
    placeholder: &Page,
    source: &ComputedPages,
    stored: &[StoredPage],
) -> Vec<(Page, ComputedText)> {
    let root = Page {
        content: PageContent::of(None),
        ..placeholder.clone()
    };
    let text = IntegrationText {
        seed: placeholder.id,
        key: String::new(),
        markdown: "".into(),
        source: Arc::new(ComputedSource::from(source)),
    };
    let mut pages = vec![(root, ComputedText::Integration(text))];
    add_below(&mut pages, (placeholder, source), placeholder.id, stored);
    pages
}

/// Adds the pages below a page. The nesting was limited when they were stored.
fn add_below(
    pages: &mut Vec<(Page, ComputedText)>,
    (placeholder, source): (&Page, &ComputedPages),
    parent: PageId,
    stored: &[StoredPage],
) {
    let mut slugs = SlugsInUse::default();
    for (found, order) in stored.iter().zip(spread(stored.len())) {
        let id = page_id(placeholder.id, &found.key);
        let slug = slugs.take(found.slug.as_deref().unwrap_or(&found.title));
        let page = Page {
            parent: Some(parent),
            description: found.description.clone(),
            hidden: placeholder.hidden,
            no_index: placeholder.no_index,
            no_robots_index: placeholder.no_robots_index,
            ..Page::empty(id, order, found.title.clone(), slug)
        };
        let text = IntegrationText {
            seed: placeholder.id,
            key: found.key.clone(),
            markdown: found.markdown.as_str().into(),
            source: Arc::new(ComputedSource {
                r#type: source.kind.clone(),
                props: found.props.clone(),
                dependencies: None,
            }),
        };
        pages.push((page, ComputedText::Integration(text)));
        add_below(pages, (placeholder, source), id, &found.pages);
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
