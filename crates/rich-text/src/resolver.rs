//! Resolvers: conversion between link targets in Markdown and references of nodes.

use openapi::models::{
    ContentRef, ContentRefAnchor, ContentRefCollection, ContentRefFile, ContentRefMedia, ContentRefOpenApi,
    ContentRefPage, ContentRefReusableContent, ContentRefSpace, ContentRefTag, ContentRefUrl, ContentRefUser,
};

/// The position of a target, which decides the kinds of references that it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReferenceRole {
    /// A link, mention, button or card.
    Link,
    /// An image: a file or a URL.
    Media,
    /// A download or a drawing.
    File,
    /// Content shared by several pages.
    ReusableContent,
    /// An OpenAPI specification.
    Specification,
}

/// Converts between targets and references.
///
/// `parse_target` must return the same reference for a target that `format_target` returned; rendering fails otherwise.
pub trait LinkResolver: Sync {
    fn parse_target(&self, role: ReferenceRole, target: &str) -> ContentRef;
    /// Formats a reference; `None` if it has no target.
    fn format_target(&self, role: ReferenceRole, reference: &ContentRef) -> Option<String>;
}

/// The schemes of link targets that a reader's browser opens itself, and could run. Any other scheme belongs to an application.
const UNSAFE_LINK_SCHEMES: [&str; 12] = [
    "javascript",
    "data",
    "vbscript",
    "livescript",
    "mocha",
    "jar",
    "blob",
    "filesystem",
    "file",
    "about",
    "view-source",
    "mhtml",
];

/// The schemes of images and of other content that is loaded with a page.
const MEDIA_SCHEMES: [&str; 2] = ["http", "https"];

/// Returns whether a target is relative or has an allowed scheme, as a browser reads it: white space and control characters
/// before the scheme, and line ends and tabs within it, do not count.
pub fn is_safe_target(role: ReferenceRole, target: &str) -> bool {
    let target = target.trim_start_matches(|c: char| c <= ' ');
    let Some((before, _)) = target.split_once(':') else {
        return true;
    };
    let scheme: String = before.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let is_any_of = |schemes: &[&str]| schemes.iter().any(|other| scheme.eq_ignore_ascii_case(other));
    !is_scheme
        || match role {
            ReferenceRole::Link => !is_any_of(&UNSAFE_LINK_SCHEMES),
            ReferenceRole::Media
            | ReferenceRole::File
            | ReferenceRole::ReusableContent
            | ReferenceRole::Specification => is_any_of(&MEDIA_SCHEMES),
        }
}

/// Leaves URLs as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct UrlResolver;

impl LinkResolver for UrlResolver {
    fn parse_target(&self, role: ReferenceRole, target: &str) -> ContentRef {
        match role {
            ReferenceRole::Link => match target.strip_prefix('#') {
                Some(anchor) if is_id_length(anchor) => anchor_reference(None, None, anchor),
                _ => url_reference(target),
            },
            ReferenceRole::Media => url_reference(target),
            ReferenceRole::File => file_reference(None, target),
            ReferenceRole::ReusableContent => reusable_content_reference(None, target),
            ReferenceRole::Specification => specification_reference(target),
        }
    }

    fn format_target(&self, role: ReferenceRole, reference: &ContentRef) -> Option<String> {
        match (role, reference) {
            (ReferenceRole::Link | ReferenceRole::Media, ContentRef::ContentRefUrl(reference)) => {
                Some(reference.url.clone())
            }
            (ReferenceRole::Link, ContentRef::ContentRefAnchor(reference)) if reference.page.is_none() => {
                Some(format!("#{}", reference.anchor))
            }
            (ReferenceRole::File, ContentRef::ContentRefFile(reference)) => Some(reference.file.clone()),
            (ReferenceRole::ReusableContent, ContentRef::ContentRefReusableContent(reference)) => {
                Some(reference.reusable_content.clone())
            }
            (ReferenceRole::Specification, ContentRef::ContentRefOpenApi(reference)) => Some(reference.spec.clone()),
            _ => None,
        }
    }
}

/// Formats references as paths of ids, such as `/spaces/<space>/pages/<page>#<anchor>`, and leaves URLs as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdPathResolver;

impl LinkResolver for IdPathResolver {
    fn parse_target(&self, role: ReferenceRole, target: &str) -> ContentRef {
        parse_id_path(target).unwrap_or_else(|| UrlResolver.parse_target(role, target))
    }

    fn format_target(&self, role: ReferenceRole, reference: &ContentRef) -> Option<String> {
        let in_space = |space: &Option<String>, rest: String| match space {
            Some(space) => format!("/spaces/{space}{rest}"),
            None => rest,
        };
        Some(match reference {
            ContentRef::ContentRefUrl(reference) => reference.url.clone(),
            // The file of a drawing or a download that is missing is a path, not an id.
            ContentRef::ContentRefFile(it) if it.space.is_none() && !is_id(&it.file) => it.file.clone(),
            ContentRef::ContentRefFile(it) => in_space(&it.space, format!("/files/{}", it.file)),
            ContentRef::ContentRefPage(it) => in_space(&it.space, format!("/pages/{}", it.page)),
            ContentRef::ContentRefAnchor(it) => {
                let page = it
                    .page
                    .as_ref()
                    .map(|page| format!("/pages/{page}"))
                    .unwrap_or_default();
                in_space(&it.space, format!("{page}#{}", it.anchor))
            }
            ContentRef::ContentRefUser(it) => format!("/users/{}", it.user),
            ContentRef::ContentRefCollection(it) => format!("/collections/{}", it.collection),
            ContentRef::ContentRefSpace(it) => format!("/spaces/{}", it.space),
            ContentRef::ContentRefReusableContent(it) if it.space.is_none() && !is_id(&it.reusable_content) => {
                it.reusable_content.clone()
            }
            ContentRef::ContentRefReusableContent(it) => {
                in_space(&it.space, format!("/reusable-contents/{}", it.reusable_content))
            }
            ContentRef::ContentRefTag(it) => in_space(&it.space, format!("/tags/{}", it.tag)),
            ContentRef::ContentRefOpenApi(it) if role == ReferenceRole::Specification => it.spec.clone(),
            ContentRef::ContentRefOpenApi(it) => format!("/openapi/{}", it.spec),
        })
    }
}

fn parse_id_path(target: &str) -> Option<ContentRef> {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor).filter(|anchor| is_id_length(anchor))),
        None => (target, None),
    };
    if target.contains('#') && anchor.is_none() {
        return None;
    }
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let (space, segments) = match segments.as_slice() {
        ["spaces", space, rest @ ..] if is_id(space) => (Some(*space), rest),
        segments => (None, segments),
    };
    match (segments, anchor) {
        (["pages", page], Some(anchor)) if is_id(page) => Some(anchor_reference(space, Some(page), anchor)),
        ([], Some(anchor)) if space.is_some() || path.is_empty() => Some(anchor_reference(space, None, anchor)),
        (_, Some(_)) => None,
        ([], None) => space.map(|space| {
            ContentRef::ContentRefSpace(ContentRefSpace {
                kind: Default::default(),
                space: space.to_owned(),
            })
        }),
        (["tags", slug], None) if is_slug(slug) => Some(tag_reference(space, slug)),
        ([kind, id], None) if is_id(id) => reference_to(kind, id, space),
        _ => None,
    }
}

fn reference_to(kind: &str, id: &str, space: Option<&str>) -> Option<ContentRef> {
    let id = id.to_owned();
    match (kind, space) {
        ("pages", space) => Some(ContentRef::ContentRefPage(ContentRefPage {
            kind: Default::default(),
            page: id,
            space: space.map(str::to_owned),
        })),
        ("files", space) => Some(file_reference(space, &id)),
        ("reusable-contents", space) => Some(reusable_content_reference(space, &id)),
        ("users", None) => Some(ContentRef::ContentRefUser(ContentRefUser {
            kind: Default::default(),
            user: id,
        })),
        ("collections", None) => Some(ContentRef::ContentRefCollection(ContentRefCollection {
            kind: Default::default(),
            collection: id,
        })),
        ("openapi", None) => Some(specification_reference(&id)),
        _ => None,
    }
}

fn is_id(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    is_id_length(text) && text.chars().all(allowed)
}

/// Slugs of tags are words of any language.
fn is_slug(text: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    is_id_length(text) && text.chars().all(allowed)
}

fn is_id_length(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= MAX_ID_LENGTH
}

/// Maximum lengths of ids and URLs in the contract.
pub(super) const MAX_ID_LENGTH: usize = 320;
pub(super) const MAX_URL_LENGTH: usize = 2048;

pub(super) fn url_reference(address: &str) -> ContentRef {
    ContentRef::ContentRefUrl(ContentRefUrl {
        kind: Default::default(),
        url: address.to_owned(),
    })
}

fn anchor_reference(space: Option<&str>, page: Option<&str>, anchor: &str) -> ContentRef {
    ContentRef::ContentRefAnchor(ContentRefAnchor {
        kind: Default::default(),
        anchor: anchor.to_owned(),
        space: space.map(str::to_owned),
        page: page.map(str::to_owned),
    })
}

fn file_reference(space: Option<&str>, id: &str) -> ContentRef {
    ContentRef::ContentRefFile(ContentRefFile {
        kind: Default::default(),
        file: id.to_owned(),
        space: space.map(str::to_owned),
    })
}

fn reusable_content_reference(space: Option<&str>, id: &str) -> ContentRef {
    ContentRef::ContentRefReusableContent(ContentRefReusableContent {
        kind: Default::default(),
        reusable_content: id.to_owned(),
        space: space.map(str::to_owned),
    })
}

fn tag_reference(space: Option<&str>, slug: &str) -> ContentRef {
    ContentRef::ContentRefTag(ContentRefTag {
        kind: Default::default(),
        tag: slug.to_owned(),
        space: space.map(str::to_owned),
    })
}

fn specification_reference(id: &str) -> ContentRef {
    ContentRef::ContentRefOpenApi(ContentRefOpenApi {
        kind: Default::default(),
        spec: id.to_owned(),
    })
}

/// The source of an image that a reference is. `None`: an image has no such source.
pub fn into_media(reference: ContentRef) -> Option<ContentRefMedia> {
    match reference {
        ContentRef::ContentRefFile(file) => Some(ContentRefMedia::ContentRefFile(file)),
        ContentRef::ContentRefUrl(url) => Some(ContentRefMedia::ContentRefUrl(url)),
        _ => None,
    }
}

/// The reference that the source of an image is.
pub fn from_media(media: &ContentRefMedia) -> ContentRef {
    match media {
        ContentRefMedia::ContentRefFile(file) => ContentRef::ContentRefFile(file.clone()),
        ContentRefMedia::ContentRefUrl(url) => ContentRef::ContentRefUrl(url.clone()),
    }
}
