//! Resolution of the links of a new text.

use content::{
    objects::Missing,
    pages::{Cover, Page, Pages, usual_height},
};
use entity::ids::{FileId, PageId};
use openapi::models::{ContentRef, ContentRefMedia};
use percent_encoding::percent_decode_str;
use rich_text::{
    FrontMatter, IdPathResolver, LinkChange, LinkResolver, ReferenceRole, has_scheme, is_safe_target, joined,
};

use super::{
    parsed::{ChangeRefs, PageText},
    writer::ApplyError,
};

use crate::areas::content::computed::{ComputedTree, is_computed};

/// The targets that links of new texts may have.
pub struct Targets<'t> {
    pub pages: &'t Pages<'t>,
    pub computed: Option<&'t ComputedTree>,
    pub names: &'t ChangeRefs,
}

/// The Markdown of a text with the ids of pages and files instead of their `ref`s, names and paths.
pub fn resolve_links(targets: &Targets<'_>, page: &Page, text: &PageText) -> Result<String, ApplyError> {
    let markdown = text.below(&page.title);
    if !text.has_names {
        return Ok(markdown.into_owned());
    }
    let place = targets.pages.path(page)?;
    let mut missing = false;
    let mut change = |target: &str, _: ReferenceRole| {
        resolve(targets, &place, target).unwrap_or_else(|Missing| {
            missing = true;
            LinkChange::Keep
        })
    };
    let changed = rich_text::rewrite_links(&markdown, &mut change);
    if missing {
        return Err(ApplyError::Missing);
    }
    // The text was parsed before, so rewriting its links cannot fail.
    Ok(changed.unwrap_or_else(|_| markdown.into_owned()))
}

/// Resolves the target of a Markdown link on the page with this path.
fn resolve(targets: &Targets<'_>, place: &str, target: &str) -> Result<LinkChange, Missing> {
    if target.is_empty() || target.starts_with(['#', '?']) || target.starts_with("//") || has_scheme(target) {
        return Ok(LinkChange::Keep);
    }
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    };
    let Ok(path) = percent_decode_str(path).decode_utf8() else {
        return Ok(LinkChange::Keep);
    };
    let to_page = |id: PageId| {
        let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
        LinkChange::Replace(format!("/pages/{id}{anchor}"))
    };
    if let Some(path) = path.strip_prefix("/pages/") {
        if path.parse::<PageId>().is_ok() {
            return Ok(LinkChange::Keep);
        }
        let found = targets.by_file(path)?;
        return Ok(found.map_or(LinkChange::Unlink, to_page));
    }
    if path.starts_with('/') {
        let is_file = path
            .strip_prefix("/files/")
            .is_some_and(|id| id.parse::<FileId>().is_err());
        return Ok(if is_file { LinkChange::Unlink } else { LinkChange::Keep });
    }
    let name = path.strip_prefix("./").unwrap_or(&path);
    if let Some(file) = targets.names.files.get(name) {
        return Ok(LinkChange::Replace(format!("/files/{file}")));
    }
    if let Some(id) = name.strip_suffix(".md").and_then(|name| targets.names.pages.get(name)) {
        return Ok(to_page(*id));
    }
    if path.ends_with(".md") {
        let found = targets.relative(place, &path)?;
        return Ok(found.map_or(LinkChange::Unlink, to_page));
    }
    Ok(if path.starts_with("./") {
        LinkChange::Unlink
    } else {
        LinkChange::Keep
    })
}

impl Targets<'_> {
    /// The page of a path with or without `.md`. The path of a page with subpages may end in `README.md`.
    fn by_file(&self, path: &str) -> Result<Option<PageId>, Missing> {
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
    fn relative(&self, place: &str, path: &str) -> Result<Option<PageId>, Missing> {
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
}

/// The cover that front matter sets. The picture may be the `ref` of an inserted file.
pub(super) fn cover_of_front_matter(front: &FrontMatter, names: &ChangeRefs) -> Option<Cover> {
    let target = front.cover.as_deref().filter(|target| !target.is_empty())?;
    let name = target.strip_prefix("./").unwrap_or(target);
    match names.files.get(name) {
        Some(file) => cover(front, &format!("/files/{file}")),
        None => cover(front, target),
    }
}

/// The cover with this picture, with the position and height of the front matter.
pub fn cover(front: &FrontMatter, target: &str) -> Option<Cover> {
    if !is_safe_target(ReferenceRole::Media, target) {
        return None;
    }
    let picture = match IdPathResolver.parse_target(ReferenceRole::Media, target) {
        ContentRef::ContentRefFile(file) => ContentRefMedia::ContentRefFile(file),
        ContentRef::ContentRefUrl(url) => ContentRefMedia::ContentRefUrl(url),
        _ => return None,
    };
    Some(Cover {
        picture,
        y: front.cover_y.unwrap_or_default(),
        height: front.cover_height.unwrap_or_else(usual_height).clamp(10.0, 700.0),
    })
}
