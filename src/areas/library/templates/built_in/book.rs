//! Reading a folder of Markdown files: its table of contents, its pages and its variables.

use std::collections::BTreeMap;

use anyhow::{Context, bail, ensure};
use content::{
    pages::{Order, Page, PageContent, Variable, spread},
    summary::{self, EntryTarget, SummaryEntry},
    template::{Parameter, Template},
};
use entity::ids::PageId;
use platform::hash::Hash;
use rich_text::{
    FrontMatter, LinkChange, front_matter::parse_variables, has_scheme, joined, page_source::PageSource, rewrite_links,
};
use uuid::Uuid;

use super::files::Files;

const SUMMARY: &str = "SUMMARY.md";
const VARIABLES: &str = "vars.yaml";

pub fn read(files: &Files) -> anyhow::Result<(Template, Vec<Parameter>)> {
    let entries = summary::read(text(files, SUMMARY)?)?.entries;
    let mut book = Book {
        files,
        pages: Vec::new(),
    };
    book.add(&entries, None)?;
    let template = Template::built_in(book.pages, variables(files)?)
        .ok()
        .context("a text is missing")?;
    let parameters = template.parameters().map_err(|error| anyhow::anyhow!("{error:?}"))?;
    let parameters = parameters.map_err(|unusable| anyhow::anyhow!(unusable.0))?;
    Ok((template, parameters))
}

fn text(files: &Files, path: &str) -> anyhow::Result<&'static str> {
    let found = files.texts.iter().find(|(name, _)| *name == path);
    found
        .map(|(_, text)| *text)
        .with_context(|| format!("there is no file {path}"))
}

fn variables(files: &Files) -> anyhow::Result<Vec<Variable>> {
    let Ok(yaml) = text(files, VARIABLES) else {
        return Ok(Vec::new());
    };
    let (variables, errors) = parse_variables(yaml);
    ensure!(errors.is_empty(), "{VARIABLES} has errors");
    Ok(variables
        .into_iter()
        .map(|(name, value)| Variable { name, value })
        .collect())
}

struct Book<'f> {
    files: &'f Files,
    /// Each after its parent, with their texts.
    pages: Vec<(Page, String)>,
}

impl Book<'_> {
    fn add(&mut self, entries: &[SummaryEntry], parent: Option<PageId>) -> anyhow::Result<()> {
        for (entry, order) in entries.iter().zip(spread(entries.len())) {
            let (page, text) = match &entry.to {
                EntryTarget::Heading => (self.group(entry, order), String::new()),
                EntryTarget::Target(path) => self.page(path, order)?,
                EntryTarget::None | EntryTarget::Computed(_) | EntryTarget::Unknown => {
                    bail!("{SUMMARY} has the entry {}, which is no page", entry.title)
                }
            };
            let id = page.id;
            self.pages.push((Page { parent, ..page }, text));
            self.add(&entry.children, Some(id))?;
        }
        Ok(())
    }

    fn group(&self, entry: &SummaryEntry, order: Order) -> Page {
        Page {
            content: PageContent::Group,
            ..Page::empty(self.id(&entry.slug), order, entry.title.clone(), entry.slug.clone())
        }
    }

    fn page(&self, path: &str, order: Order) -> anyhow::Result<(Page, String)> {
        let source = PageSource::split(text(self.files, path)?);
        let front = source.front_matter.map(FrontMatter::parse).transpose();
        let front = front.map_err(|error| anyhow::anyhow!("{path}: {}", error.message))?;
        let front = front.unwrap_or_default();
        let title = source.title.with_context(|| format!("{path} has no title"))?;
        let page = Page {
            description: front.description,
            icon: front.icon,
            emoji: front.emoji,
            ..Page::empty(self.id(path), order, title.to_owned(), slug(path))
        };
        let page = with_front_matter(page, front.other);
        Ok((page, self.resolve_links(path, source.body.trim_matches('\n'))?))
    }

    /// Replaces relative paths by the ids of pages.
    fn resolve_links(&self, path: &str, markdown: &str) -> anyhow::Result<String> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut unresolved = BTreeMap::new();
        let mut change = |target: &str, _| {
            if has_scheme(target) || target.starts_with(['/', '#']) {
                return LinkChange::Keep;
            }
            let (file, anchor) = target
                .split_once('#')
                .map_or((target, None), |(file, anchor)| (file, Some(anchor)));
            match joined(folder, file).filter(|file| text(self.files, file).is_ok()) {
                Some(file) => {
                    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
                    LinkChange::Replace(format!("/pages/{}{anchor}", self.id(&file)))
                }
                None => {
                    unresolved.insert(target.to_owned(), path.to_owned());
                    LinkChange::Keep
                }
            }
        };
        let changed = rewrite_links(markdown, &mut change);
        let changed = changed.map_err(|error| anyhow::anyhow!("{path}: {}", error.message))?;
        ensure!(unresolved.is_empty(), "broken links: {unresolved:?}");
        Ok(changed)
    }

    /// An id that stays the same in all versions of the server.
    fn id(&self, path: &str) -> PageId {
        let hash = Hash::of(format!("{}/{path}", self.files.id).as_bytes());
        let bytes: Vec<u8> = hash.to_vec().into_iter().take(16).collect();
        PageId::from_uuid(Uuid::from_slice(&bytes).unwrap_or_default())
    }
}

/// The name of the file, or of the folder of a `README.md`.
fn slug(path: &str) -> String {
    let path = path.strip_suffix("/README.md").unwrap_or(path);
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.strip_suffix(".md").unwrap_or(name).to_owned()
}

/// Adds the members of the front matter that have no meaning for the server, such as the descriptions of parameters.
fn with_front_matter(mut page: Page, members: serde_json::Map<String, serde_json::Value>) -> Page {
    if let PageContent::Document { other, .. } = &mut page.content {
        *other = members;
    }
    page
}
