//! The pages, shared contents and files of an import, ready to be written.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use content::{
    objects::{Content, Missing, Objects},
    pages::{File, Order, Page, PageContent, Pages, ReusableContent, Snapshot, Variable, spread},
};
use entity::{ids::ReusableContentId, timestamp::Timestamp};
use openapi::models::{ContentRef, ContentRefUrl};
use platform::db::Reads;
use rich_text::ReferenceRole;

use super::{
    Progress, Report, Source,
    existing::ExistingContent,
    files::Files,
    links::{Linker, UnresolvedLink},
    page_kind::PageKind,
    replace::NewContent,
    texts::SourceText,
    tree::PageNode,
};

use crate::{
    areas::authoring::{
        editor::{apply_front_matter, cover},
        included_words,
    },
    areas::exchange::Exchange,
};

#[derive(Default)]
pub struct Book {
    /// With their texts.
    pages: Vec<(Page, String)>,
    reusable_contents: Vec<(ReusableContent, String)>,
    files: Vec<File>,
    resolved: usize,
    unresolved: Vec<UnresolvedLink>,
    variables: BTreeMap<String, String>,
    existing: Arc<ExistingContent>,
    /// The shared contents by their paths.
    pub(super) content_paths: HashMap<String, ReusableContentId>,
}

impl Book {
    /// Creates the pages, and adds the files that they refer to to `files`.
    pub(super) fn of(exchange: &Exchange, source: &Source, files: &mut Files, progress: &dyn Progress) -> Self {
        let nodes = source.tree.nodes();
        progress.start_phase("Linking", nodes.len());
        let mut linker = Linker::new(source, files);
        let mut builder = PageBuilder {
            source,
            now: exchange.kernel.clock.now(),
            orders: orders(nodes),
        };
        let mut book = Self {
            existing: Arc::clone(&source.existing),
            variables: source.variables.clone(),
            ..Self::default()
        };
        for node in nodes {
            book.pages.push(builder.page(node, &mut linker));
            progress.step();
        }
        let contents = linker.reusable_contents();
        for (path, id) in &contents {
            book.reusable_contents
                .extend(builder.reusable_content(path, *id, &mut linker));
        }
        book.content_paths = contents.iter().cloned().collect();
        book.expand_texts(
            nodes,
            &contents.into_iter().map(|(path, id)| (id, path)).collect(),
            &mut linker,
        );
        (book.resolved, book.unresolved) = (linker.resolved, linker.unresolved);
        book
    }

    /// Puts the words of shared contents in the places of their tags where no block refers to them.
    fn expand_texts(
        &mut self,
        nodes: &[PageNode],
        paths: &HashMap<ReusableContentId, String>,
        linker: &mut Linker<'_>,
    ) {
        let texts: HashMap<ReusableContentId, String> = self
            .reusable_contents
            .iter()
            .map(|(content, text)| (content.id, text.clone()))
            .collect();
        let mut expand = |path: &str, text: &mut String| {
            let expanded = included_words::expand(text, &mut |id| texts.get(&id).cloned());
            *text = expanded.markdown;
            for included in expanded.unseen.iter().filter_map(|id| paths.get(id)) {
                linker.add_unseen(path, included);
            }
        };
        for (node, (_, text)) in nodes.iter().zip(&mut self.pages) {
            if let PageKind::File(path) = &node.what {
                expand(path, text);
            }
        }
        for (content, text) in &mut self.reusable_contents {
            if let Some(path) = paths.get(&content.id) {
                expand(path, text);
            }
        }
    }

    /// Adds the stored files.
    pub fn with(self, files: &Files) -> Self {
        Self {
            files: files.stored().cloned().collect(),
            ..self
        }
    }

    pub fn report(&self, report: &mut Report) {
        for link in &self.unresolved {
            report.error_at(&link.path, link.line, link.message());
        }
        let is_hidden =
            |page: &&(Page, String)| page.0.hidden && matches!(page.0.content, PageContent::Document { .. });
        report.counts.hidden = self.pages.iter().filter(is_hidden).count();
        report.counts.resolved = self.resolved;
        report.counts.unresolved = self.unresolved.len();
        report.counts.reusable_contents = self.reusable_contents.len();
    }
}

impl NewContent for Book {
    // All of them in memory twice would be much.
    fn put_texts(&mut self, content: &Content<'_, Reads>) {
        let put = |text: &mut String| (!text.is_empty()).then(|| content.put_text(std::mem::take(text)));
        for (page, text) in &mut self.pages {
            if let PageContent::Document { document, .. } = &mut page.content {
                *document = put(text);
            }
        }
        for (reusable, text) in &mut self.reusable_contents {
            reusable.document = put(text);
        }
    }

    fn snapshot(&self, objects: &Objects) -> Result<Snapshot, Missing> {
        let mut pages = Pages::of(objects, Snapshot::default());
        for (page, _) in &self.pages {
            pages.put(self.existing.with_times(page.clone()))?;
        }
        for (reusable, _) in &self.reusable_contents {
            pages.put_reusable_content(reusable.clone());
        }
        for file in &self.files {
            pages.put_file(file.clone());
        }
        for (name, value) in &self.variables {
            pages.put_variable(Variable {
                name: name.clone(),
                value: value.clone(),
            });
        }
        pages.finish()
    }
}

/// Returns the sort keys of the children of each page, last first.
fn orders(nodes: &[PageNode]) -> HashMap<Option<usize>, Vec<Order>> {
    let mut counts: HashMap<Option<usize>, usize> = HashMap::new();
    for node in nodes {
        *counts.entry(node.parent).or_default() += 1;
    }
    let spread = |count| {
        let mut orders = spread(count);
        orders.reverse();
        orders
    };
    counts
        .into_iter()
        .map(|(parent, count)| (parent, spread(count)))
        .collect()
}

struct PageBuilder<'m> {
    source: &'m Source,
    now: Timestamp,
    orders: HashMap<Option<usize>, Vec<Order>>,
}

impl PageBuilder<'_> {
    fn page(&mut self, node: &PageNode, linker: &mut Linker<'_>) -> (Page, String) {
        let order = self.orders.get_mut(&node.parent).and_then(Vec::pop).unwrap_or_default();
        let parent = node.parent.and_then(|parent| self.source.tree.node(parent));
        let mut page = Page {
            parent: parent.map(|parent| parent.id),
            hidden: node.hidden,
            created_at: Some(self.now),
            updated_at: Some(self.now),
            link_title: node.link_title.clone(),
            ..Page::empty(node.id, order, node.title.clone(), node.slug.clone())
        };
        let mut text = String::new();
        match &node.what {
            PageKind::File(path) => {
                if let Some(read) = self.source.texts.get(path) {
                    fill(&mut page, path, read, linker);
                    text = linker.resolve_links(path, &read.below(&page.title));
                }
            }
            PageKind::Empty => {}
            PageKind::Group => page.content = PageContent::Group,
            PageKind::Address(address) => page.content = to_address(address),
            PageKind::Computed(source) => {
                page.content = PageContent::Computed { source: source.clone() };
            }
        }
        (page, text)
    }

    fn reusable_content(
        &self,
        path: &str,
        id: ReusableContentId,
        linker: &mut Linker<'_>,
    ) -> Option<(ReusableContent, String)> {
        let read = self.source.texts.get(path)?;
        let content = ReusableContent {
            id,
            title: self.source.texts.shared_title(path),
            document: None,
        };
        // The heading stays in the text, because the including pages show it.
        Some((content, linker.resolve_links(path, &read.below(""))))
    }
}

/// Applies the front matter to a page.
fn fill(page: &mut Page, path: &str, read: &SourceText, linker: &mut Linker<'_>) {
    let (title, hidden) = (page.title.clone(), page.hidden);
    read.fields.apply_to(page);
    // The title was normalized before.
    page.title = title;
    page.hidden |= hidden;
    apply_front_matter(page, &read.text.front);
    let written = read.text.front.cover.as_deref().filter(|target| !target.is_empty());
    if let Some(written) = written
        && let PageContent::Document { cover: picture, .. } = &mut page.content
    {
        let target = linker.resolve(path, written, ReferenceRole::Media);
        *picture = cover(&read.text.front, target.as_deref().unwrap_or(written));
    }
}

fn to_address(address: &str) -> PageContent {
    let target = ContentRef::ContentRefUrl(ContentRefUrl {
        kind: Default::default(),
        url: address.to_owned(),
    });
    PageContent::Link { target }
}
