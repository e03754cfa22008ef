//! What the targets of links mean.

use openapi::models::{
    ContentRef, ContentRefAnchor, ContentRefCollection, ContentRefFile, ContentRefMedia, ContentRefOpenApi,
    ContentRefPage, ContentRefReusableContent, ContentRefSpace, ContentRefUrl, ContentRefUser,
};

/// Where a target stands, which says what it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A link, a mention, a button, a card.
    Link,
    /// A picture: a file or an address.
    Media,
    /// A file to download or a drawing.
    File,
    /// Content that several pages share.
    Reusable,
    /// An OpenAPI specification.
    Specification,
}

/// Between the targets that stand in Markdown and the references of nodes.
///
/// A target that `target` gives leads back to the same reference through `reference`; one that does not is refused.
pub trait Resolver {
    fn reference(&self, role: Role, target: &str) -> ContentRef;
    /// None if there is no way to write the reference.
    fn target(&self, role: Role, reference: &ContentRef) -> Option<String>;
}

/// Keeps addresses as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Addresses;

impl Resolver for Addresses {
    fn reference(&self, role: Role, target: &str) -> ContentRef {
        match role {
            Role::Link => match target.strip_prefix('#') {
                Some(anchor) if fits_an_id(anchor) => anchor_of(None, None, anchor),
                _ => url(target),
            },
            Role::Media => url(target),
            Role::File => file(None, target),
            Role::Reusable => reusable(None, target),
            Role::Specification => specification(target),
        }
    }

    fn target(&self, role: Role, reference: &ContentRef) -> Option<String> {
        match (role, reference) {
            (Role::Link | Role::Media, ContentRef::ContentRefUrl(reference)) => Some(reference.url.clone()),
            (Role::Link, ContentRef::ContentRefAnchor(reference)) if reference.page.is_none() => {
                Some(format!("#{}", reference.anchor))
            }
            (Role::File, ContentRef::ContentRefFile(reference)) => Some(reference.file.clone()),
            (Role::Reusable, ContentRef::ContentRefReusableContent(reference)) => {
                Some(reference.reusable_content.clone())
            }
            (Role::Specification, ContentRef::ContentRefOpenApi(reference)) => Some(reference.spec.clone()),
            _ => None,
        }
    }
}

/// Writes every reference as a path of ids, such as `/spaces/<space>/pages/<page>#<anchor>`, and addresses as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ids;

impl Resolver for Ids {
    fn reference(&self, role: Role, target: &str) -> ContentRef {
        by_ids(target).unwrap_or_else(|| Addresses.reference(role, target))
    }

    fn target(&self, role: Role, reference: &ContentRef) -> Option<String> {
        let in_space = |space: &Option<String>, rest: String| match space {
            Some(space) => format!("/spaces/{space}{rest}"),
            None => rest,
        };
        Some(match reference {
            ContentRef::ContentRefUrl(reference) => reference.url.clone(),
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
            ContentRef::ContentRefReusableContent(it) => {
                in_space(&it.space, format!("/reusable-contents/{}", it.reusable_content))
            }
            ContentRef::ContentRefOpenApi(it) if role == Role::Specification => it.spec.clone(),
            ContentRef::ContentRefOpenApi(it) => format!("/openapi/{}", it.spec),
        })
    }
}

fn by_ids(target: &str) -> Option<ContentRef> {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor).filter(|anchor| fits_an_id(anchor))),
        None => (target, None),
    };
    if target.contains('#') && anchor.is_none() {
        return None;
    }
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    let (space, steps) = match steps.as_slice() {
        ["spaces", space, rest @ ..] if is_id(space) => (Some(*space), rest),
        steps => (None, steps),
    };
    match (steps, anchor) {
        (["pages", page], Some(anchor)) if is_id(page) => Some(anchor_of(space, Some(page), anchor)),
        ([], Some(anchor)) if space.is_some() || path.is_empty() => Some(anchor_of(space, None, anchor)),
        (_, Some(_)) => None,
        ([], None) => space.map(|space| {
            ContentRef::ContentRefSpace(ContentRefSpace {
                kind: Default::default(),
                space: space.to_owned(),
            })
        }),
        ([kind, id], None) if is_id(id) => one_id(kind, id, space),
        _ => None,
    }
}

fn one_id(kind: &str, id: &str, space: Option<&str>) -> Option<ContentRef> {
    let id = id.to_owned();
    match (kind, space) {
        ("pages", space) => Some(ContentRef::ContentRefPage(ContentRefPage {
            kind: Default::default(),
            page: id,
            space: space.map(str::to_owned),
        })),
        ("files", space) => Some(file(space, &id)),
        ("reusable-contents", space) => Some(reusable(space, &id)),
        ("users", None) => Some(ContentRef::ContentRefUser(ContentRefUser {
            kind: Default::default(),
            user: id,
        })),
        ("collections", None) => Some(ContentRef::ContentRefCollection(ContentRefCollection {
            kind: Default::default(),
            collection: id,
        })),
        ("openapi", None) => Some(specification(&id)),
        _ => None,
    }
}

fn is_id(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    fits_an_id(text) && text.chars().all(allowed)
}

fn fits_an_id(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= ID_LENGTH
}

/// What the contract allows for ids and addresses.
pub(super) const ID_LENGTH: usize = 320;
pub(super) const URL_LENGTH: usize = 2048;

pub(super) fn url(address: &str) -> ContentRef {
    ContentRef::ContentRefUrl(ContentRefUrl {
        kind: Default::default(),
        url: address.to_owned(),
    })
}

fn anchor_of(space: Option<&str>, page: Option<&str>, anchor: &str) -> ContentRef {
    ContentRef::ContentRefAnchor(ContentRefAnchor {
        kind: Default::default(),
        anchor: anchor.to_owned(),
        space: space.map(str::to_owned),
        page: page.map(str::to_owned),
    })
}

fn file(space: Option<&str>, id: &str) -> ContentRef {
    ContentRef::ContentRefFile(ContentRefFile {
        kind: Default::default(),
        file: id.to_owned(),
        space: space.map(str::to_owned),
    })
}

fn reusable(space: Option<&str>, id: &str) -> ContentRef {
    ContentRef::ContentRefReusableContent(ContentRefReusableContent {
        kind: Default::default(),
        reusable_content: id.to_owned(),
        space: space.map(str::to_owned),
    })
}

fn specification(id: &str) -> ContentRef {
    ContentRef::ContentRefOpenApi(ContentRefOpenApi {
        kind: Default::default(),
        spec: id.to_owned(),
    })
}

pub(super) fn media(reference: ContentRef) -> Option<ContentRefMedia> {
    match reference {
        ContentRef::ContentRefFile(file) => Some(ContentRefMedia::ContentRefFile(file)),
        ContentRef::ContentRefUrl(url) => Some(ContentRefMedia::ContentRefUrl(url)),
        _ => None,
    }
}

pub(super) fn of_media(media: &ContentRefMedia) -> ContentRef {
    match media {
        ContentRefMedia::ContentRefFile(file) => ContentRef::ContentRefFile(file.clone()),
        ContentRefMedia::ContentRefUrl(url) => ContentRef::ContentRefUrl(url.clone()),
    }
}
