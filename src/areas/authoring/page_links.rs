//! The links of a page in the Markdown that readers get: relative paths to pages, words instead of ids, and included texts in
//! their places. A write of that Markdown finds the stored targets again.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use content::{
    objects::{self, Missing},
    pages::{File, Page, Pages},
};
use entity::ids::{FileId, NodeId, PageId, ReusableContentId};
use openapi::models::ContentRef;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use rich_text::{
    DocumentLimits, IdPathResolver, LinkChange, LinkResolver, ReferenceRole, has_scheme, joined, rewrite_links,
};

use crate::areas::content::computed::{ComputedTree, is_computed};

/// The most pages, files and included texts of one text whose links get another form.
pub const MAX_TARGETS: usize = 5000;

/// The bytes that a path of a link cannot have.
pub const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'%')
    .add(b'#')
    .add(b'?')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'(')
    .add(b')');

/// The pages, files and included texts of the same space that a text names.
#[derive(Default)]
pub struct NamedTargets {
    pub pages: BTreeSet<PageId>,
    pub files: BTreeSet<FileId>,
    pub contents: BTreeSet<ReusableContentId>,
}

/// The parts of stored targets that get another form for readers.
const CHANGED: [&str; 3] = [PAGES, FILES, CONTENTS];
const PAGES: &str = "/pages/";
const FILES: &str = "/files/";
const CONTENTS: &str = "/reusable-contents/";

/// The part of stored targets before the id of another space.
const SPACES: &str = "/spaces/";

/// Returns whether a stored text can have targets that get another form. Parsing a large text takes seconds, and most have none.
pub fn may_have_targets(markdown: &str) -> bool {
    CHANGED.iter().any(|part| markdown.contains(part))
}

/// The pages that a stored text names, and others that it only seems to name: without parsing the text.
pub fn named_pages(markdown: &str) -> BTreeSet<PageId> {
    named(markdown, PAGES).filter_map(|id| id.parse().ok()).collect()
}

/// The spaces that a stored text names, without parsing it.
pub fn named_spaces(markdown: &str) -> BTreeSet<NodeId> {
    named(markdown, SPACES).filter_map(|id| id.parse().ok()).collect()
}

/// The pages that a stored text names with their spaces, without parsing it; at most [`MAX_TARGETS`].
pub fn named_pages_with_spaces(markdown: &str) -> HashMap<NodeId, HashSet<PageId>> {
    let after = markdown.split(SPACES).skip(1);
    let named = after.filter_map(|rest| {
        let (space, rest) = rest.split_once('/')?;
        let page = rest.strip_prefix(PAGES.trim_start_matches('/'))?;
        let page = page.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
        Some((space.parse().ok()?, page.parse().ok()?))
    });
    let mut pages: HashMap<NodeId, HashSet<PageId>> = HashMap::new();
    for (space, page) in named.take(MAX_TARGETS) {
        pages.entry(space).or_default().insert(page);
    }
    pages
}

/// Lists the words of a text at the places of ids in targets of a kind. Some are no ids.
fn named<'m>(markdown: &'m str, kind: &'static str) -> impl Iterator<Item = &'m str> {
    let after = markdown.split(kind).skip(1);
    after.filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next())
}

impl NamedTargets {
    /// Adds what a text names, also within code: parsing a large text takes seconds.
    pub fn add(&mut self, markdown: &str) {
        for part in CHANGED {
            for id in named(markdown, part) {
                if self.pages.len() + self.files.len() + self.contents.len() >= MAX_TARGETS {
                    return;
                }
                match part {
                    PAGES => self.pages.extend(id.parse::<PageId>()),
                    FILES => self.files.extend(id.parse::<FileId>()),
                    _ => self.contents.extend(id.parse::<ReusableContentId>()),
                }
            }
        }
    }
}

/// The targets in the Markdown that readers get, in the place of the stored ones.
#[derive(Default)]
pub struct ReadableLinks {
    /// The relative paths of pages.
    pub paths: HashMap<PageId, String>,
    /// The words of references without words of their own: titles of pages and names of files.
    titles: HashMap<PageId, String>,
    names: HashMap<FileId, String>,
    /// The texts of reusable contents, with readable links.
    included: BTreeMap<ReusableContentId, String>,
}

impl ReadableLinks {
    pub fn new<'p>(pages: impl Iterator<Item = &'p Page>, files: impl Iterator<Item = File>) -> Self {
        Self {
            titles: pages.map(|page| (page.id, page.title.clone())).collect(),
            names: files.map(|file| (file.id, file.name)).collect(),
            ..Self::default()
        }
    }

    /// Adds the texts that this one includes.
    pub fn include(&mut self, texts: BTreeMap<ReusableContentId, String>, markdown: &str) {
        // An included text stays a tag within another one.
        let texts = texts
            .into_iter()
            .map(|(id, text)| (id, self.rewrite(text.trim_matches('\n'))));
        self.included = fitting(texts.collect(), markdown);
    }

    /// The Markdown with readable links, and with included texts in their places.
    pub fn rewrite(&self, markdown: &str) -> String {
        let mut change = |target: &str, role| self.change(target, role);
        // A text that values have made too long stays as it is.
        rewrite_links(markdown, &mut change).unwrap_or_else(|_| markdown.to_owned())
    }

    fn change(&self, target: &str, role: ReferenceRole) -> LinkChange {
        let reference = IdPathResolver.parse_target(role, target);
        if role == ReferenceRole::ReusableContent {
            let text = included_content(&reference, role).and_then(|id| self.included.get(&id));
            return text.map_or(LinkChange::Keep, |text| LinkChange::ReplaceTag(text.clone()));
        }
        let (readable, words) = match (&reference, page_of(&reference)) {
            (ContentRef::ContentRefFile(it), _) if it.space.is_none() => {
                (None, it.file.parse().ok().and_then(|file| self.names.get(&file)))
            }
            (_, Some((None, page))) => {
                let path = self.paths.get(&page).map(|path| path.clone() + anchor(target));
                (path, self.titles.get(&page))
            }
            _ => (None, None),
        };
        match (readable, words) {
            (readable, Some(words)) => LinkChange::ReplaceNamed {
                target: readable.unwrap_or_else(|| target.to_owned()),
                from: target.to_owned(),
                to: words.clone(),
            },
            (Some(readable), None) => LinkChange::Replace(readable),
            (None, None) => LinkChange::Keep,
        }
    }

    /// The stored targets of a text, by what stands for them in the Markdown that readers get.
    pub fn stored_targets(&self, markdown: &str) -> HashMap<String, LinkChange> {
        let labels = target_labels(markdown);
        let mut stored = HashMap::new();
        let mut note = |target: &str, role| {
            let to_target = || LinkChange::Replace(target.to_owned());
            let (readable, change) = match self.change(target, role) {
                LinkChange::ReplaceNamed {
                    target: readable, to, ..
                } if labels.contains(target) => {
                    let restored = LinkChange::ReplaceNamed {
                        target: target.to_owned(),
                        from: to,
                        to: target.to_owned(),
                    };
                    (readable, restored)
                }
                LinkChange::Replace(readable) | LinkChange::ReplaceNamed { target: readable, .. } => {
                    (readable, to_target())
                }
                LinkChange::Keep | LinkChange::ReplaceTag(_) | LinkChange::Unlink => (target.to_owned(), to_target()),
            };
            // Clients may also write the stored target.
            stored.entry(target.to_owned()).or_insert_with(|| change.clone());
            stored.entry(readable).or_insert(change);
            LinkChange::Keep
        };
        let _ = rewrite_links(markdown, &mut note);
        stored
    }

    /// Puts the tags of included texts where these texts stand unchanged.
    pub fn restore_includes(&self, markdown: &str) -> String {
        let mut restored = markdown.to_owned();
        if self.included.is_empty() {
            return restored;
        }
        let mut included: Vec<_> = self.included.iter().collect();
        included.sort_unstable_by_key(|(id, text)| (Reverse(text.len()), *id));
        for (id, text) in included {
            let tag = format!("{{% include \"/reusable-contents/{id}\" %}}");
            restored = with_tag(&restored, text, &tag);
        }
        let mut expand = |target: &str, role| match self.change(target, role) {
            LinkChange::ReplaceTag(text) => LinkChange::ReplaceTag(text),
            _ => LinkChange::Keep,
        };
        // Within code, and after a line that goes on in the text, a tag would be none.
        match rewrite_links(&restored, &mut expand) {
            Ok(expanded) if expanded == markdown => restored,
            _ => markdown.to_owned(),
        }
    }
}

/// The longest words of a link that may be a target.
const MAX_TARGET_LABEL: usize = 400;

/// Returns the words of links in a text that may be targets, without parsing it.
fn target_labels(markdown: &str) -> HashSet<String> {
    let ends = |open: char, close: &'static str| {
        markdown.match_indices(close).filter_map(move |(at, _)| {
            let before = markdown.get(..at)?;
            let from = before
                .char_indices()
                .rev()
                .take(MAX_TARGET_LABEL)
                .find(|(_, c)| *c == open)?;
            before.get(from.0 + 1..)
        })
    };
    let labels = ends('[', "](").chain(ends('>', "</a>"));
    labels
        .filter(|label| label.trim_start_matches('\\').starts_with('/'))
        .map(|label| label.replace('\\', ""))
        .collect()
}

/// The Markdown with texts in the places of their tags.
pub fn with_included(markdown: &str, texts: BTreeMap<ReusableContentId, String>) -> String {
    let texts = fitting(texts, markdown);
    if texts.is_empty() {
        return markdown.to_owned();
    }
    let mut include = |target: &str, role: ReferenceRole| {
        let id = included_content(&IdPathResolver.parse_target(role, target), role);
        let text = id.and_then(|id| texts.get(&id)).map(|text| text.trim_matches('\n'));
        text.map_or(LinkChange::Keep, |text| LinkChange::ReplaceTag(text.to_owned()))
    };
    let included = rewrite_links(markdown, &mut include).ok();
    // In a container, each line of a text has the marks of the container before it.
    let fits = included.filter(|text| text.len() <= DocumentLimits::MAX_BYTES);
    fits.unwrap_or_else(|| markdown.to_owned())
}

/// Returns the reusable content of the same space whose text can stand in the place of the tag with this reference.
pub fn included_content(reference: &ContentRef, role: ReferenceRole) -> Option<ReusableContentId> {
    match reference {
        ContentRef::ContentRefReusableContent(it) if it.space.is_none() && role == ReferenceRole::ReusableContent => {
            it.reusable_content.parse().ok()
        }
        _ => None,
    }
}

/// Selects the texts that fit in the places of all their tags, the oldest first: with them the text is one that can be parsed. Tags of other texts, and of empty ones, stay.
fn fitting(texts: BTreeMap<ReusableContentId, String>, markdown: &str) -> BTreeMap<ReusableContentId, String> {
    let mut tags: HashMap<ReusableContentId, usize> = HashMap::new();
    for id in named(markdown, CONTENTS).filter_map(|id| id.parse().ok()) {
        *tags.entry(id).or_default() += 1;
    }
    let mut room = DocumentLimits::MAX_BYTES.saturating_sub(markdown.len());
    let fits = |(id, text): &(ReusableContentId, String)| {
        let bytes = text.len().saturating_mul(tags.get(id).copied().unwrap_or_default());
        let left = room.checked_sub(bytes).filter(|_| !text.trim_matches('\n').is_empty());
        left.inspect(|left| room = *left).is_some()
    };
    texts.into_iter().filter(fits).collect()
}

/// Replaces the whole lines that are a text by a tag.
fn with_tag(markdown: &str, text: &str, tag: &str) -> String {
    let first = text.split('\n').next().unwrap_or_default();
    let (mut replaced, mut done) = (String::with_capacity(markdown.len()), 0);
    for (at, _) in markdown.match_indices(first) {
        let line = markdown
            .get(..at)
            .and_then(|before| before.rsplit('\n').next())
            .unwrap_or_default();
        let is_prefix = line.chars().all(|c| matches!(c, ' ' | '\t' | '>' | '*' | '-' | '+'));
        if !is_prefix || at < done {
            continue;
        }
        let lines = rich_text::continued(text, line);
        let end = at + lines.len();
        let is_whole = markdown.get(at..end) == Some(lines.as_str())
            && markdown
                .get(end..)
                .is_some_and(|after| after.is_empty() || after.starts_with('\n'));
        if is_whole {
            replaced.extend([markdown.get(done..at).unwrap_or_default(), tag]);
            done = end;
        }
    }
    replaced + markdown.get(done..).unwrap_or_default()
}

/// The page that a reference leads to, and its space if that is another one.
pub fn page_of(reference: &ContentRef) -> Option<(Option<NodeId>, PageId)> {
    let (space, page) = match reference {
        ContentRef::ContentRefPage(it) => (&it.space, Some(&it.page)),
        ContentRef::ContentRefAnchor(it) => (&it.space, it.page.as_ref()),
        _ => return None,
    };
    let space = space.as_ref().map(|space| space.parse().ok());
    match space {
        Some(None) => None,
        space => Some((space.flatten(), page?.parse().ok()?)),
    }
}

/// The anchor of a target, with its sign.
pub fn anchor(target: &str) -> &str {
    target.find('#').and_then(|at| target.get(at..)).unwrap_or_default()
}

/// The pages that paths in Markdown lead to.
pub struct PagePaths<'p> {
    pub pages: &'p Pages<'p>,
    pub computed: Option<&'p ComputedTree>,
}

impl PagePaths<'_> {
    /// The page of a path with or without `.md`. The path of a page with subpages may end in `README.md`.
    pub fn by_file(&self, path: &str) -> Result<Option<PageId>, Missing> {
        let path = path.strip_suffix(".md").unwrap_or(path);
        let path = path.strip_suffix("/README").unwrap_or(path);
        match self.pages.page_by_path(path)? {
            Some(page) => Ok(Some(page.id)),
            None => self.computed_by_path(path),
        }
    }

    /// The computed page with a path, below its placeholder.
    fn computed_by_path(&self, path: &str) -> Result<Option<PageId>, Missing> {
        let Some(computed) = self.computed else {
            return Ok(None);
        };
        let mut found = None;
        for slug in path.split('/') {
            let stored = self.pages.page_at(found, slug)?.map(|page| page.id);
            let next = stored.or_else(|| Some(computed.overlay.page_at(found, slug)?.id));
            if next.is_none() {
                return Ok(None);
            }
            found = next;
        }
        Ok(found.filter(|page| is_computed(*page)))
    }

    /// The page of a relative file path. A page is a file in the folder of its parent, or the `README.md` of its own
    /// folder.
    pub fn relative(&self, place: &str, path: &str) -> Result<Option<PageId>, Missing> {
        let folder = place.rsplit_once('/').map_or("", |(folder, _)| folder);
        for folder in [folder, place] {
            if let Some(path) = joined(folder, path)
                && let Some(found) = self.by_file(&path)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The relative paths to pages from the page at `place`, of those that have one.
    pub fn readable_paths<'q>(
        &self,
        place: &str,
        linked: impl Iterator<Item = &'q Page>,
    ) -> Result<HashMap<PageId, String>, Missing> {
        let paths = linked.map(|page| Ok(self.readable(place, page)?.map(|path| (page.id, path))));
        Ok(objects::all(paths)?.into_iter().flatten().collect())
    }

    /// The relative path to a page from the page at `place`. `None`: a relative path would lead to another page, or nowhere.
    fn readable(&self, place: &str, page: &Page) -> Result<Option<String>, Missing> {
        let Some(path) = relative_path(place, &self.pages.path(page)?) else {
            return Ok(None);
        };
        let decoded = percent_decode_str(&path).decode_utf8_lossy().into_owned();
        let leads_there = self.relative(place, &decoded)? == Some(page.id);
        Ok(Some(path).filter(|_| leads_there))
    }
}

/// The way from a file to another one: up to the folder that both are in, and down from there.
pub fn way(from: &str, to: &str) -> (String, String) {
    let mut folders: Vec<&str> = from.split('/').collect();
    folders.pop();
    let to: Vec<&str> = to.split('/').collect();
    let (_, folders_of_to) = to.split_last().unwrap_or((&"", &[]));
    let both = folders
        .iter()
        .zip(folders_of_to)
        .take_while(|(one, other)| one == other);
    let common = both.count();
    let down = to.get(common..).unwrap_or_default();
    ("../".repeat(folders.len() - common), down.join("/"))
}

/// The path of a page as a file, relative to the file of another page.
fn relative_path(place: &str, path: &str) -> Option<String> {
    let (up, down) = way(place, path);
    let path = format!("{up}{}.md", utf8_percent_encode(&down, ESCAPED));
    (!path.ends_with("/.md") && path != ".md" && !has_scheme(&path)).then_some(path)
}
