//! Resolution of the links of a new text.

use std::collections::{BTreeMap, HashMap};

use content::{
    objects::{self, Missing},
    pages::{Cover, Page, Pages, usual_height},
};
use entity::ids::{FileId, PageId};
use openapi::models::{ContentRef, ContentRefMedia};
use percent_encoding::percent_decode_str;
use rich_text::{
    FrontMatter, IdPathResolver, LinkChange, LinkResolver, ReferenceRole, has_scheme, is_safe_target, rewrite_links,
};

use super::{
    anchors::PageAnchors,
    parsed::{ChangeRefs, PageText},
    writer::ApplyError,
};

use crate::areas::authoring::{
    included_words,
    page_links::{NamedTargets, PagePaths, ReadableLinks},
};

/// The targets that links of new texts may have.
pub struct Targets<'t> {
    pub paths: PagePaths<'t>,
    pub names: &'t ChangeRefs,
}

/// The Markdown of a text with the ids of pages and files instead of their `ref`s, names and paths. What stands in it as readers got
/// it from the page before is what it was there.
pub fn resolve_links(
    targets: &Targets<'_>,
    page: &Page,
    text: &PageText,
    before: Option<(&Pages<'_>, &Page)>,
    anchors: &mut PageAnchors<'_>,
) -> Result<String, ApplyError> {
    let present_title = before.map(|(_, page)| page.title.as_str());
    let markdown = text.below(&page.title, present_title);
    if !text.has_names {
        return with_included_words(targets.paths.pages, markdown.into_owned());
    }
    let (mut markdown, mut stored) = (markdown, HashMap::new());
    if let Some((pages, page)) = before
        && let Some(document) = page.document()
    {
        let present = pages.objects().text(&document)?;
        let links = readable_links(targets, pages, page, &present)?;
        stored = links.stored_targets(&present);
        markdown = links.restore_includes(&markdown).into();
    }
    let place = targets.paths.pages.path(page)?;
    let mut missing = false;
    let mut change = |target: &str, _: ReferenceRole| {
        if let Some(stored) = stored.get(target) {
            return stored.clone();
        }
        let resolved = resolve(targets, &place, target);
        let with_anchor = |change| with_present_anchor(anchors, (targets.paths.pages, page.id), target, change);
        resolved.and_then(with_anchor).unwrap_or_else(|Missing| {
            missing = true;
            LinkChange::Keep
        })
    };
    let changed = rewrite_links(&markdown, &mut change);
    if missing {
        return Err(ApplyError::Missing);
    }
    // The text was parsed before, so rewriting its links cannot fail.
    with_included_words(targets.paths.pages, changed.unwrap_or_else(|_| markdown.into_owned()))
}

/// The Markdown with the words of reusable contents where no block refers to them.
fn with_included_words(pages: &Pages<'_>, markdown: String) -> Result<String, ApplyError> {
    let mut missing = false;
    let read = |id| {
        let document = match pages.reusable_content(id)? {
            Some(content) => content.document,
            None => return Ok(None),
        };
        let text = document.map(|document| pages.objects().text(&document)).transpose()?;
        Ok(Some(text.unwrap_or_default()))
    };
    let mut load = |id| {
        read(id).unwrap_or_else(|Missing| {
            missing = true;
            None
        })
    };
    let expanded = included_words::expand(&markdown, &mut load);
    match missing {
        true => Err(ApplyError::Missing),
        false => Ok(expanded.markdown),
    }
}

/// The change of a target with the present form of its anchor.
fn with_present_anchor(
    anchors: &mut PageAnchors<'_>,
    (pages, here): (&Pages<'_>, PageId),
    target: &str,
    change: LinkChange,
) -> Result<LinkChange, Missing> {
    let target = match &change {
        LinkChange::Keep => target,
        LinkChange::Replace(new) | LinkChange::ReplaceNamed { target: new, .. } => new,
        LinkChange::ReplaceTag(_) | LinkChange::Unlink => return Ok(change),
    };
    let present = anchors.present_form(pages, here, target)?;
    Ok(present.map_or(change, LinkChange::Replace))
}

/// The links of a stored text as readers get them.
fn readable_links(
    targets: &Targets<'_>,
    pages: &Pages<'_>,
    page: &Page,
    text: &str,
) -> Result<ReadableLinks, ApplyError> {
    let mut named = NamedTargets::default();
    named.add(text);
    let mut included = BTreeMap::new();
    let contents = std::mem::take(&mut named.contents).into_iter();
    let contents = objects::all(contents.map(|id| pages.reusable_content(id)))?
        .into_iter()
        .flatten();
    let texts = contents.filter_map(|content| Some((content.id, content.document?)));
    for (id, markdown) in objects::all(texts.map(|(id, document)| Ok((id, pages.objects().text(&document)?))))? {
        named.add(&markdown);
        included.insert(id, markdown);
    }
    let paths = PagePaths {
        pages,
        computed: targets.paths.computed,
    };
    let place = pages.path(page)?;
    let linked = objects::all(named.pages.into_iter().map(|id| pages.page(id)))?;
    let files = objects::all(named.files.into_iter().map(|id| pages.file(id)))?.into_iter();
    let mut links = ReadableLinks::new(linked.iter().flatten(), files.flatten());
    links.paths = paths.readable_paths(&place, linked.iter().flatten())?;
    links.include(included, text);
    Ok(links)
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
        let found = targets.paths.by_file(path)?;
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
        let found = targets.paths.relative(place, &path)?;
        return Ok(found.map_or(LinkChange::Unlink, to_page));
    }
    Ok(if path.starts_with("./") {
        LinkChange::Unlink
    } else {
        LinkChange::Keep
    })
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
