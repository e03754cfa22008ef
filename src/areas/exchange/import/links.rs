//! Resolution of the links of texts.

use std::collections::HashMap;

use entity::ids::{PageId, ReusableContentId};
use percent_encoding::percent_decode_str;
use rich_text::{
    DocumentAnchors, DocumentLimits, LinkChange, ReferenceRole, extract_anchors, has_scheme, is_anchor_of,
    is_safe_target,
};

use super::{
    Source,
    addresses::AddressTarget,
    files::Files,
    names::{self, LocalTarget},
    page_kind::PageKind,
    texts::SourceText,
};

/// The longest anchor of a reference, in characters, as in the contract.
const MAX_ANCHOR: usize = 320;
/// The most characters of a target that a message shows.
const MAX_SHOWN: usize = 320;

/// Replaces paths of pages and files by references.
pub struct Linker<'a> {
    source: &'a Source,
    files: &'a mut Files,
    reusable_contents: HashMap<String, ReusableContentId>,
    pub resolved: usize,
    pub unresolved: Vec<UnresolvedLink>,
    /// The anchors of texts, by path.
    anchors: HashMap<String, DocumentAnchors>,
}

/// A link that leads nowhere, or that is removed.
pub struct UnresolvedLink {
    /// The path of the text with the link.
    pub path: String,
    pub line: Option<usize>,
    target: String,
    problem: LinkProblem,
}

#[derive(Clone, Copy)]
enum LinkProblem {
    Target,
    Anchor,
    Address,
    /// A text that is included from another space.
    OtherSpace,
    /// An included text whose words cannot stand in the place of its tag.
    Unseen,
    Unsafe,
}

impl UnresolvedLink {
    pub fn message(&self) -> String {
        let mut target: String = self.target.chars().take(MAX_SHOWN).collect();
        if target.len() < self.target.len() {
            target.push('…');
        }
        match self.problem {
            LinkProblem::Target => {
                format!("The link target `{target}` is not a file, page or directory of the import.")
            }
            LinkProblem::Anchor => format!("The page of the link target `{target}` has no such anchor."),
            LinkProblem::Address => format!("The space of the address `{target}` has no page with this path."),
            LinkProblem::OtherSpace => {
                format!("The reusable content `{target}` is one of another space and is not shown.")
            }
            LinkProblem::Unseen => format!(
                "The included text `{target}` is not shown: here it can have no conditions, no reference to itself, and at most 1 MiB."
            ),
            LinkProblem::Unsafe => {
                format!("unsafe-target: The target `{target}` is of a kind that is not allowed and is removed.")
            }
        }
    }
}

impl<'a> Linker<'a> {
    pub(super) fn new(source: &'a Source, files: &'a mut Files) -> Self {
        let mut existing = source.existing.reusable_contents.clone();
        let included = source.texts.included().map(|path| {
            let same = || existing.remove(&source.texts.shared_title(path));
            let known = source.existing.known.contents.get(path).copied().or_else(same);
            (path.clone(), known.unwrap_or_else(|| source.ids.next()))
        });
        Self {
            source,
            files,
            reusable_contents: included.collect(),
            resolved: 0,
            unresolved: Vec::new(),
            anchors: HashMap::new(),
        }
    }

    /// Returns the shared contents with the paths of their texts.
    pub fn reusable_contents(&self) -> Vec<(String, ReusableContentId)> {
        let mut all: Vec<_> = self
            .reusable_contents
            .iter()
            .map(|(path, id)| (path.clone(), *id))
            .collect();
        all.sort_unstable();
        all
    }

    /// Returns the text of a file with resolved targets.
    pub fn resolve_links(&mut self, path: &str, markdown: &str) -> String {
        let changed = rich_text::rewrite_links(markdown, &mut |target, role| match self.resolve(path, target, role) {
            Some(new) => LinkChange::Replace(new),
            None => LinkChange::Keep,
        });
        // The text was parsed before.
        changed.unwrap_or_else(|_| markdown.to_owned())
    }

    /// Resolves a link target of a file. `None`: the target stays as it is.
    pub fn resolve(&mut self, path: &str, target: &str, role: ReferenceRole) -> Option<String> {
        if role == ReferenceRole::Specification || target.starts_with('?') || target.starts_with("//") {
            return None;
        }
        if let Some(anchor) = target.strip_prefix('#') {
            return self.own_anchor(path, target, anchor);
        }
        if !is_safe_target(role, target) {
            self.add_problem(path, target, LinkProblem::Unsafe);
            return None;
        }
        if has_scheme(target) {
            if role == ReferenceRole::ReusableContent {
                self.add_problem(path, target, LinkProblem::OtherSpace);
                return None;
            }
            return self.address(path, target, role);
        }
        let local = self.parse_target(path, target);
        let resolved = local.and_then(|mut local| {
            if role == ReferenceRole::Link {
                self.resolve_anchor((path, target), &mut local);
            }
            self.find(&local, role)
        });
        match &resolved {
            Some(_) => self.resolved += 1,
            None => self.add_problem(path, target, LinkProblem::Target),
        }
        resolved
    }

    /// Parses a path with an anchor. A `#` may also be a part of the name of a file.
    fn parse_target(&self, path: &str, target: &str) -> Option<LocalTarget> {
        let directory = names::directory(path);
        let is_file = |local: &LocalTarget| self.source.listing.contains_key(&local.path);
        let whole = || names::parse_target(directory, &target.replace('#', "%23")).filter(is_file);
        let parsed = names::parse_target(directory, target);
        match target.contains('#') && !parsed.as_ref().is_some_and(is_file) {
            true => whole().or(parsed),
            false => parsed,
        }
    }

    /// Reports the text at `included`, which the text at `path` includes and readers do not see.
    pub fn add_unseen(&mut self, path: &str, included: &str) {
        let line = self
            .source
            .texts
            .get(path)
            .and_then(|text| text.line_of(names::file_name(included)));
        self.unresolved.push(UnresolvedLink {
            path: path.to_owned(),
            line,
            target: included.to_owned(),
            problem: LinkProblem::Unseen,
        });
    }

    fn add_problem(&mut self, path: &str, target: &str, problem: LinkProblem) {
        self.unresolved.push(UnresolvedLink {
            path: path.to_owned(),
            line: self.source.texts.get(path).and_then(|text| text.line_of(target)),
            target: target.to_owned(),
            problem,
        });
    }

    /// Resolves an address of an application that leads to a space here.
    fn address(&mut self, path: &str, address: &str, role: ReferenceRole) -> Option<String> {
        let target = self
            .source
            .addresses
            .resolve(address)
            .filter(|_| role == ReferenceRole::Link)?;
        let found = match target {
            AddressTarget::Reference(reference) => Some(reference),
            AddressTarget::NoPage => None,
            AddressTarget::Imported(path, anchor) => self.imported_page(&path).map(|page| {
                let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
                format!("/pages/{page}{anchor}")
            }),
        };
        match &found {
            Some(_) => self.resolved += 1,
            None => self.add_problem(path, address, LinkProblem::Address),
        }
        found
    }

    /// Returns the page with this path; an empty path is the first page.
    fn imported_page(&self, path: &str) -> Option<PageId> {
        let tree = &self.source.tree;
        let index = if path.is_empty() { 0 } else { tree.of_path(path)? };
        Some(tree.node(index)?.id)
    }

    /// Resolves an older form of an anchor of the text itself, or the anchor of its title.
    fn own_anchor(&mut self, path: &str, target: &str, anchor: &str) -> Option<String> {
        // Shared texts become parts of other pages.
        let page = self.page(path)?;
        let decoded = percent_decode_str(anchor).decode_utf8_lossy().into_owned();
        if anchor.is_empty() {
            return None;
        }
        match self.find_anchor(path, &decoded) {
            Some(Some(found)) => (found != decoded).then(|| format!("#{found}")),
            Some(None) => Some(page),
            None => {
                self.add_problem(path, target, LinkProblem::Anchor);
                None
            }
        }
    }

    /// Replaces an older form of the anchor of a page, and reports a link to a page that lacks the anchor.
    fn resolve_anchor(&mut self, (path, target): (&str, &str), local: &mut LocalTarget) {
        let Some(anchor) = &local.anchor else { return };
        let source = self.source;
        let node = self.page_index(&local.path).and_then(|index| source.tree.node(index));
        let Some(PageKind::File(file)) = node.map(|node| &node.what) else {
            return;
        };
        match self.find_anchor(file, anchor) {
            Some(found) => local.anchor = found,
            None => self.add_problem(path, target, LinkProblem::Anchor),
        }
    }

    /// Returns the anchor that a link to a text means. `Some(None)`: the title, which is the page itself.
    fn find_anchor(&mut self, path: &str, anchor: &str) -> Option<Option<String>> {
        if !self.anchors.contains_key(path) {
            let text = self.source.texts.get(path).map(|text| text.text.markdown.as_str());
            // The text was parsed before.
            let found = extract_anchors(text.unwrap_or_default(), &DocumentLimits::default()).unwrap_or_default();
            self.anchors.insert(path.to_owned(), found);
        }
        let known = self.anchors.get(path)?;
        if let Some(found) = known.find(anchor) {
            return Some(Some(found.to_owned()));
        }
        let title = self.source.texts.get(path).and_then(SourceText::title);
        if title.is_some_and(|title| is_anchor_of(&title, anchor)) {
            return Some(None);
        }
        known.has(anchor).then(|| Some(anchor.to_owned()))
    }

    fn find(&mut self, local: &LocalTarget, role: ReferenceRole) -> Option<String> {
        let path = local.path.as_str();
        match role {
            ReferenceRole::ReusableContent => {
                let id = self.reusable_contents.get(path)?;
                Some(format!("/reusable-contents/{id}"))
            }
            ReferenceRole::Link => self
                .page(path)
                .map(|page| page + &anchor(local))
                .or_else(|| self.file(path)),
            ReferenceRole::Media | ReferenceRole::File => self.file(path),
            ReferenceRole::Specification => None,
        }
    }

    /// Returns the page of a file, a directory, or a file named without its extension.
    fn page(&self, path: &str) -> Option<String> {
        let node = self.source.tree.node(self.page_index(path)?)?;
        Some(format!("/pages/{}", node.id))
    }

    fn page_index(&self, path: &str) -> Option<usize> {
        let (tree, texts) = (&self.source.tree, &self.source.texts);
        let of_directory = || tree.of_file(texts.readme(path)?);
        let of_short = || match self.source.listing.contains_key(path) {
            true => None,
            false => tree.of_file(&format!("{path}.md")),
        };
        tree.of_file(path).or_else(of_directory).or_else(of_short)
    }

    fn file(&mut self, path: &str) -> Option<String> {
        let id = self.files.add(&self.source.ids, &self.source.listing, path)?;
        Some(format!("/files/{id}"))
    }
}

fn anchor(local: &LocalTarget) -> String {
    let anchor = local
        .anchor
        .as_deref()
        .filter(|anchor| anchor.chars().count() <= MAX_ANCHOR);
    anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default()
}
