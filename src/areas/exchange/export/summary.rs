//! The table of contents.

use content::pages::{Forest, Page, PageContent};
use entity::ids::PageId;
use openapi::models::ContentRef;
use rich_text::page_source::link_words;

use super::{Paths, links::relative_path};

/// Writes the order of pages as lists of links, with groups as headings.
pub struct Summary<'a> {
    forest: &'a Forest,
    paths: &'a Paths,
    /// The path of the table of contents.
    place: &'a str,
    lines: String,
}

impl<'a> Summary<'a> {
    pub fn new(forest: &'a Forest, paths: &'a Paths, place: &'a str) -> Self {
        Self {
            forest,
            paths,
            place,
            lines: "# Table of contents\n".to_owned(),
        }
    }

    pub fn write(mut self) -> String {
        let mut in_list = false;
        let mut in_group = false;
        for page in self.forest.below(None) {
            if matches!(page.content, PageContent::Group) {
                self.lines += &format!(
                    "\n## {} <a href=\"#{slug}\" id=\"{slug}\"></a>\n\n",
                    link_words(&page.title),
                    slug = attribute(&page.slug)
                );
                self.entries(Some(page.id), 0);
                (in_list, in_group) = (false, true);
                continue;
            }
            if !in_list {
                // A rule ends a group.
                self.lines += if in_group { "\n***\n\n" } else { "\n" };
                (in_list, in_group) = (true, false);
            }
            self.entry(page, 0);
        }
        self.lines
    }

    /// The recursion is bounded by the depth of pages.
    fn entries(&mut self, parent: Option<PageId>, level: usize) {
        for page in self.forest.below(parent) {
            self.entry(page, level);
        }
    }

    fn entry(&mut self, page: &Page, level: usize) {
        let indent = "  ".repeat(level);
        let title = link_words(&page.title);
        let label = page.link_title.as_deref();
        let label = label
            .map(|label| format!(" \"{}\"", label.replace('\\', "\\\\").replace('"', "\\\"")))
            .unwrap_or_default();
        let target = match &page.content {
            PageContent::Document { .. } => self.page(page.id),
            PageContent::Link {
                target: ContentRef::ContentRefUrl(target),
            } => Some(format!("<{}>", target.url)),
            PageContent::Link { target } => self.target(target),
            PageContent::Group => None,
            PageContent::Computed { source } => {
                self.lines += &computed(&indent, &page.title, source);
                return;
            }
        };
        self.lines += &match target {
            Some(target) => format!("{indent}* [{title}]({target}{label})\n"),
            None => format!("{indent}* {title}\n"),
        };
        self.entries(Some(page.id), level + 1);
    }

    fn page(&self, id: PageId) -> Option<String> {
        self.paths.page(id).map(|path| relative_path(self.place, path))
    }

    /// The path of the page that a link leads to.
    fn target(&self, target: &ContentRef) -> Option<String> {
        match target {
            ContentRef::ContentRefPage(it) if it.space.is_none() => self.page(it.page.parse().ok()?),
            _ => None,
        }
    }
}

/// The description of computed pages, which stands in a block of code.
fn computed(indent: &str, title: &str, source: &content::pages::ComputedPages) -> String {
    let dependencies: serde_json::Map<String, serde_json::Value> = source
        .specifications
        .iter()
        .map(|(name, slug)| {
            (
                name.clone(),
                serde_json::json!({"ref": {"kind": "openapi", "spec": slug}}),
            )
        })
        .collect();
    let description = serde_json::json!({
        "type": source.kind,
        "title": title,
        "props": source.props,
        "dependencies": dependencies,
    });
    let yaml = yaml_serde::to_string(&description).unwrap_or_default();
    let lines: String = yaml.lines().map(|line| format!("{indent}  {line}\n")).collect();
    format!("{indent}* ```yaml\n{lines}{indent}  ```\n")
}

/// A text in an attribute of HTML.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}
