//! Addresses of content that [`Urls`] makes, read back.

use std::collections::HashMap;

use entity::ids::{Id, NodeId, PageId};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::kernel::urls::Urls;

/// The content that an address names; it need not exist.
pub enum NamedContent {
    Collection(NodeId),
    Space {
        space: NodeId,
        /// The id or the number.
        change_request: Option<String>,
        page: Option<NamedPage>,
    },
}

pub enum NamedPage {
    Id(PageId),
    Path(String),
}

impl NamedPage {
    /// A page by its path in an address. `None`: the path is empty.
    pub fn at(path: &str) -> Option<Self> {
        let path = percent_decode_str(path).decode_utf8_lossy();
        let path = path.trim_matches('/');
        (!path.is_empty()).then(|| Self::Path(path.to_owned()))
    }
}

impl Urls {
    /// The content at an address in this API or in the web application. `None`: the address is none of content.
    pub fn named_content(&self, address: &str) -> Option<NamedContent> {
        let (url, base) = (Url::parse(address).ok()?, Url::parse(self.base()).ok()?);
        if url.origin() != base.origin() {
            return None;
        }
        let path = url.path().strip_prefix(base.path().trim_end_matches('/'))?;
        match path {
            "/docs" | "/docs/" => in_application(&url),
            _ => in_api(path.strip_prefix("/v1/")?),
        }
    }
}

/// The ids are in the query.
fn in_application(url: &Url) -> Option<NamedContent> {
    let mut ids: HashMap<String, String> = url.query_pairs().into_owned().collect();
    if let Some(collection) = ids.get("collectionId") {
        return Some(NamedContent::Collection(NodeId::parse_or_nil(collection)));
    }
    let page = ids.get("pageId").map(|page| NamedPage::Id(PageId::parse_or_nil(page)));
    Some(NamedContent::Space {
        space: NodeId::parse_or_nil(ids.get("spaceId")?),
        change_request: ids.remove("changeRequestId"),
        page,
    })
}

fn in_api(path: &str) -> Option<NamedContent> {
    let segments: Vec<&str> = path.split('/').collect();
    let (space, rest) = match segments.as_slice() {
        ["collections", collection] => return Some(NamedContent::Collection(NodeId::parse_or_nil(collection))),
        ["spaces", space, rest @ ..] => (NodeId::parse_or_nil(space), rest),
        _ => return None,
    };
    let (change_request, rest) = match rest {
        ["change-requests", request, rest @ ..] => (Some((*request).to_owned()), rest),
        _ => (None, rest),
    };
    let page = match rest {
        [] => None,
        ["content", "page", page] => Some(NamedPage::Id(PageId::parse_or_nil(page))),
        ["content", "path", path @ ..] => Some(NamedPage::at(&path.join("/"))?),
        _ => return None,
    };
    Some(NamedContent::Space {
        space,
        change_request,
        page,
    })
}
