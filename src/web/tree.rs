//! The pages of a space as its visitor sees them: their order, their paths, and the links to them.

use std::collections::{HashMap, HashSet};

use openapi::models::{ContentPage, ContentRef, DocumentPage};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use rich_text::{canonical_emoji_code, emoji_characters};
use web::{ContentsEntry, FrameLink, Href, Icon};

use crate::areas::publishing::published_content::Here;

/// The bytes that a path of a link cannot have.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A page of the tree that has an address.
pub struct Entry {
    pub id: String,
    pub title: String,
    pub emoji: Option<String>,
    pub icon: Option<Icon>,
    pub description: Option<String>,
    pub path: String,
    pub href: Href,
    pub updated: Option<String>,
    /// Whether the table of contents and lists of pages have it.
    pub is_shown: bool,
    /// Whether search engines may list it.
    pub is_listed: bool,
    /// The entries above, and the titles of groups.
    pub above: Vec<FrameLink>,
}

/// The pages of a space in reading order.
pub struct Tree {
    pub pages: Vec<ContentPage>,
    pub entries: Vec<Entry>,
    by_id: HashMap<String, usize>,
}

impl Tree {
    /// `href`: the address of a path in the space.
    pub fn new(pages: Vec<ContentPage>, href: &dyn Fn(&str) -> Href) -> Self {
        let mut tree = Self {
            pages: Vec::new(),
            entries: Vec::new(),
            by_id: HashMap::new(),
        };
        tree.add(&pages, true, &mut Vec::new(), href);
        tree.pages = pages;
        tree
    }

    fn add(&mut self, pages: &[ContentPage], is_shown: bool, above: &mut Vec<FrameLink>, href: &dyn Fn(&str) -> Href) {
        for page in pages {
            match page {
                ContentPage::DocumentPage(page) => {
                    let entry = entry(page, is_shown, above.clone(), href(&page.path));
                    let link = FrameLink::new(link_title(page), Some(entry.href.clone()));
                    let is_shown = entry.is_shown;
                    self.by_id.insert(page.id.clone(), self.entries.len());
                    self.entries.push(entry);
                    above.push(link);
                    self.add(&page.pages, is_shown, above, href);
                    above.pop();
                }
                ContentPage::GroupPage(group) => {
                    above.push(FrameLink::new(&group.title, None));
                    self.add(&group.pages, is_shown && !group.hidden, above, href);
                    above.pop();
                }
                ContentPage::LinkPage(_) | ContentPage::ComputedPage(_) => {}
            }
        }
    }

    pub fn by_id(&self, id: &str) -> Option<&Entry> {
        self.entries.get(*self.by_id.get(id)?)
    }

    /// The page at a path as it stands in an address, or the first one below it.
    pub fn by_path(&self, path: &str) -> Option<&Entry> {
        let path = &decoded(path);
        if path.is_empty() {
            return self.first();
        }
        let exact = self.entries.iter().find(|entry| entry.path == *path);
        // The path of a group.
        let below = || {
            let within = |entry: &&Entry| {
                entry
                    .path
                    .strip_prefix(path.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
            };
            self.entries.iter().find(within)
        };
        exact.or_else(below)
    }

    /// The page that the address of the site space shows.
    pub fn home(&self, here: &Here) -> Option<&Entry> {
        let chosen = here.home.and_then(|page| self.by_id(&page.to_string()));
        chosen.or_else(|| self.first())
    }

    /// The page at a place, if its path is that of a page or of a site space.
    pub fn at(&self, here: &Here) -> Option<&Entry> {
        if here.rest.is_empty() {
            return self.home(here);
        }
        self.at_path(&here.rest)
    }

    /// The page whose path this is, as it stands in an address.
    pub fn at_path(&self, path: &str) -> Option<&Entry> {
        let path = decoded(path);
        self.entries.iter().find(|entry| entry.path == path && !path.is_empty())
    }

    pub fn first(&self) -> Option<&Entry> {
        let shown = self.entries.iter().find(|entry| entry.is_shown);
        shown.or_else(|| self.entries.first())
    }

    /// The pages before and after one, of those in the table of contents.
    pub fn neighbours(&self, id: &str) -> (Option<FrameLink>, Option<FrameLink>) {
        let shown: Vec<&Entry> = self.entries.iter().filter(|entry| entry.is_shown).collect();
        let Some(at) = shown.iter().position(|entry| entry.id == id) else {
            return (None, None);
        };
        let link = |at: usize| shown.get(at).map(|entry| entry.link());
        (at.checked_sub(1).and_then(link), link(at + 1))
    }

    /// Pages with words of a path, the best first.
    pub fn nearest(&self, path: &str) -> Vec<FrameLink> {
        let wanted = words_of(path);
        let common = |entry: &Entry| wanted.intersection(&words_of(&entry.path)).count();
        let shown = self.entries.iter().filter(|entry| entry.is_shown);
        let mut found: Vec<(usize, &Entry)> = shown.map(|entry| (common(entry), entry)).collect();
        found.retain(|(common, _)| *common > 0);
        found.sort_by_key(|(common, entry)| (std::cmp::Reverse(*common), entry.path.len()));
        found.into_iter().map(|(_, entry)| entry.link()).collect()
    }

    /// The table of contents. `target`: the address of a link among the pages.
    pub fn contents(&self, current: &str, target: &dyn Fn(&ContentRef) -> Option<Href>) -> Vec<ContentsEntry> {
        self.entries_of(&self.pages, current, target)
    }

    fn entries_of(
        &self,
        pages: &[ContentPage],
        current: &str,
        target: &dyn Fn(&ContentRef) -> Option<Href>,
    ) -> Vec<ContentsEntry> {
        let entries = pages.iter().filter_map(|page| match page {
            ContentPage::DocumentPage(page) => {
                let entry = self.by_id(&page.id).filter(|entry| entry.is_shown)?;
                let mut link = entry.link();
                link.title = link_title(page).to_owned();
                link.is_current = page.id == current;
                Some(ContentsEntry {
                    link,
                    is_group: false,
                    below: self.entries_of(&page.pages, current, target),
                })
            }
            ContentPage::GroupPage(group) if !group.hidden => Some(ContentsEntry {
                link: FrameLink {
                    emoji: group.emoji.as_deref().and_then(emoji),
                    icon: group.icon.as_deref().and_then(Icon::named),
                    ..FrameLink::new(&group.title, None)
                },
                is_group: true,
                below: self.entries_of(&group.pages, current, target),
            }),
            ContentPage::LinkPage(link) if !link.hidden => Some(ContentsEntry {
                link: FrameLink {
                    emoji: link.emoji.as_deref().and_then(emoji),
                    icon: link.icon.as_deref().and_then(Icon::named),
                    ..FrameLink::new(link.link_title.as_ref().unwrap_or(&link.title), target(&link.target))
                },
                is_group: false,
                below: Vec::new(),
            }),
            ContentPage::GroupPage(_) | ContentPage::LinkPage(_) | ContentPage::ComputedPage(_) => None,
        });
        entries.collect()
    }
}

impl Entry {
    pub fn link(&self) -> FrameLink {
        FrameLink {
            emoji: self.emoji.clone(),
            icon: self.icon.clone(),
            ..FrameLink::new(&self.title, Some(self.href.clone()))
        }
    }
}

fn entry(page: &DocumentPage, is_shown: bool, above: Vec<FrameLink>, href: Href) -> Entry {
    Entry {
        id: page.id.clone(),
        title: page.title.clone(),
        emoji: page.emoji.as_deref().and_then(emoji),
        icon: page.icon.as_deref().and_then(Icon::named),
        description: page.description.clone().filter(|text| !text.trim().is_empty()),
        path: page.path.clone(),
        href,
        updated: page.updated_at.as_ref().map(|time| time.to_string()),
        is_shown: is_shown && !page.hidden,
        is_listed: !page.no_index && !page.no_robots_index && !page.hidden,
        above,
    }
}

fn link_title(page: &DocumentPage) -> &str {
    page.link_title.as_deref().unwrap_or(&page.title)
}

/// The characters of an emoji in one of its forms.
pub fn emoji(emoji: &str) -> Option<String> {
    emoji_characters(&canonical_emoji_code(emoji)).filter(|characters| !characters.is_empty())
}

/// A path as it stands in an address, decoded and without slashes around it.
pub fn decoded(path: &str) -> String {
    let path = percent_decode_str(path).decode_utf8_lossy();
    path.trim_matches('/').to_owned()
}

/// A path with what links cannot have percent-encoded.
pub fn encoded(path: &str) -> String {
    utf8_percent_encode(path, ESCAPED).to_string()
}

fn words_of(path: &str) -> HashSet<String> {
    let path = percent_decode_str(path).decode_utf8_lossy().to_lowercase();
    let words = path
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 2);
    words.map(str::to_owned).collect()
}
