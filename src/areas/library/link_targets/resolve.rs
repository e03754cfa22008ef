//! Resolution of references to link targets.

use content::link_set::LinkTarget;
use entity::ids::{NodeId, OpenapiSpecId, PageId};
use openapi::models::ContentRef;
use rich_text::has_scheme;

use crate::kernel::urls::Urls;

/// The target of a reference on a page of a space.
pub fn resolve(urls: &Urls, reference: &ContentRef, (space, page): (NodeId, PageId)) -> LinkTarget {
    let in_space = |named: &Option<String>| match named {
        Some(named) => named.parse().ok(),
        None => Some(space),
    };
    let found = match reference {
        ContentRef::ContentRefUrl(it) if urls.is_own(&it.url) => Some(LinkTarget::InApp),
        ContentRef::ContentRefUrl(it) if leads_somewhere(&it.url) => Some(LinkTarget::Url),
        ContentRef::ContentRefUrl(_) | ContentRef::ContentRefTag(_) => None,
        ContentRef::ContentRefPage(it) => both(in_space(&it.space), it.page.parse().ok(), LinkTarget::Page),
        ContentRef::ContentRefAnchor(it) => match (&it.space, &it.page) {
            (space, Some(page)) => both(in_space(space), page.parse().ok(), LinkTarget::Page),
            (None, None) => Some(LinkTarget::Page(space, page)),
            // Another space cannot have the current page: the reference means the space.
            (Some(space), None) => space.parse().ok().map(LinkTarget::Space),
        },
        ContentRef::ContentRefFile(it) => both(in_space(&it.space), it.file.parse().ok(), LinkTarget::File),
        ContentRef::ContentRefReusableContent(it) => {
            let id = it.reusable_content.parse().ok();
            both(in_space(&it.space), id, LinkTarget::ReusableContent)
        }
        ContentRef::ContentRefSpace(it) => it.space.parse().ok().map(LinkTarget::Space),
        ContentRef::ContentRefCollection(it) => it.collection.parse().ok().map(LinkTarget::Collection),
        ContentRef::ContentRefUser(it) => it.user.parse().ok().map(LinkTarget::User),
        ContentRef::ContentRefOpenApi(_) if slug(reference).is_some() => Some(LinkTarget::NamedSpecification),
        ContentRef::ContentRefOpenApi(it) => it.spec.parse().ok().map(LinkTarget::Specification),
    };
    found.unwrap_or(LinkTarget::Nothing)
}

/// The slug by which a reference names a specification.
pub fn slug(reference: &ContentRef) -> Option<&str> {
    match reference {
        ContentRef::ContentRefOpenApi(it) if it.spec.parse::<OpenapiSpecId>().is_err() => Some(&it.spec),
        _ => None,
    }
}

/// Returns whether an address is absolute, or gets complete by an expression. A relative path that names no page or file
/// leads nowhere.
fn leads_somewhere(address: &str) -> bool {
    has_scheme(address) || address.starts_with("//") || address.contains("{{")
}

fn both<Id>(space: Option<NodeId>, id: Option<Id>, target: impl Fn(NodeId, Id) -> LinkTarget) -> Option<LinkTarget> {
    Some(target(space?, id?))
}
