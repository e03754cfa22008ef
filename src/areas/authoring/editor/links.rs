//! What the links of a text that is written lead to.

use content::{
    objects::Missing,
    pages::{Cover, Page, Pages, usual_height},
};
use entity::ids::{FileId, PageId};
use openapi::models::{ContentRef, ContentRefMedia};
use percent_encoding::percent_decode_str;
use rich_text::{FrontMatter, IdPathResolver, LinkChange, LinkResolver, ReferenceRole};

use super::{
    steps::{Names, Text},
    writer::Stop,
};

/// The Markdown of a text with the ids of pages and files in the place of their names and paths.
pub fn resolved(pages: &Pages<'_>, page: &Page, text: &Text, names: &Names) -> Result<String, Stop> {
    let markdown = text.below(&page.title);
    if !text.has_names {
        return Ok(markdown.into_owned());
    }
    let place = pages.path(page)?;
    let mut missing = false;
    let mut change = |target: &str, _: ReferenceRole| {
        resolve(pages, &place, target, names).unwrap_or_else(|Missing| {
            missing = true;
            LinkChange::Keep
        })
    };
    let changed = rich_text::rewrite_links(&markdown, &mut change);
    if missing {
        return Err(Stop::Missing);
    }
    // It was read before, so it can be read.
    Ok(changed.unwrap_or_else(|_| markdown.into_owned()))
}

/// What a target of Markdown means on the page with this path.
fn resolve(pages: &Pages<'_>, place: &str, target: &str, names: &Names) -> Result<LinkChange, Missing> {
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
        let found = by_file(pages, path)?;
        return Ok(found.map_or(LinkChange::Unlink, to_page));
    }
    if path.starts_with('/') {
        let is_file = path
            .strip_prefix("/files/")
            .is_some_and(|id| id.parse::<FileId>().is_err());
        return Ok(if is_file { LinkChange::Unlink } else { LinkChange::Keep });
    }
    let name = path.strip_prefix("./").unwrap_or(&path);
    if let Some(file) = names.files.get(name) {
        return Ok(LinkChange::Replace(format!("/files/{file}")));
    }
    if let Some(id) = name.strip_suffix(".md").and_then(|name| names.pages.get(name)) {
        return Ok(to_page(*id));
    }
    if path.ends_with(".md") {
        let found = relative(pages, place, &path)?;
        return Ok(found.map_or(LinkChange::Unlink, to_page));
    }
    Ok(if path.starts_with("./") {
        LinkChange::Unlink
    } else {
        LinkChange::Keep
    })
}

/// Whether an address begins with a scheme such as `https:`.
pub fn has_scheme(target: &str) -> bool {
    let Some((scheme, _)) = target.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// The page of a path with or without `.md`; that of a page with others below it may end in `README.md`.
fn by_file(pages: &Pages<'_>, path: &str) -> Result<Option<PageId>, Missing> {
    let path = path.strip_suffix(".md").unwrap_or(path);
    let path = path.strip_suffix("/README").unwrap_or(path);
    Ok(pages.page_by_path(path)?.map(|page| page.id))
}

/// A page as a file beside this one: a page is a file in the folder of the page above it, or the `README.md` of its own.
fn relative(pages: &Pages<'_>, place: &str, path: &str) -> Result<Option<PageId>, Missing> {
    let folder = place.rsplit_once('/').map_or("", |(folder, _)| folder);
    for folder in [folder, place] {
        if let Some(path) = joined(folder, path)
            && let Some(found) = by_file(pages, &path)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// A path that stands in a folder; none if it leads out of everything.
pub fn joined(folder: &str, path: &str) -> Option<String> {
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()?),
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

/// The cover that front matter gives to a page.
pub(super) fn named_cover(front: &FrontMatter, names: &Names) -> Option<Cover> {
    let target = front.cover.as_deref().filter(|target| !target.is_empty())?;
    let name = target.strip_prefix("./").unwrap_or(target);
    match names.files.get(name) {
        Some(file) => cover(front, &format!("/files/{file}")),
        None => cover(front, target),
    }
}

/// The cover with this picture, as front matter places it.
pub fn cover(front: &FrontMatter, target: &str) -> Option<Cover> {
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
