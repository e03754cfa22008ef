//! Content by its address.

use entity::{
    ids::{NodeId, RevisionId},
    publishing::sites::SiteVisibility,
};
use openapi::{
    error::ApiError,
    models::{CollectionByUrl, ContentByUrl, PageWithPath, SpaceByUrl},
    operations::urls::{GetContentByUrlQuery, UrlsApi},
};

use url::Url;

use crate::{
    access::{
        Caller, load_node, load_node_where,
        rows::{ChangeRequestRow, CollectionRow, SpaceRow, matching_id_or_number},
    },
    areas::{
        authoring::{change_requests, reader::RevisionReader},
        content::content_urls::{NamedContent, NamedPage},
        library::{collections, spaces},
        publishing::{
            Publishing,
            layout::Drafts,
            published_content::{address::Address, shared_paths::VisitorPages},
        },
    },
};

impl UrlsApi for Publishing {
    async fn get_content_by_url(&self, caller: Caller, query: GetContentByUrlQuery) -> Result<ContentByUrl, ApiError> {
        let named = match self.kernel.urls.named_content(&query.url) {
            Some(named) => Some(named),
            None => published(self, &query.url).await?,
        };
        match named.ok_or_else(unknown)? {
            NamedContent::Collection(id) => collection(self, &caller, id).await,
            NamedContent::Space {
                space,
                change_request: Some(request),
                page,
            } => in_change_request(self, &caller, space, &request, page).await,
            NamedContent::Space {
                space,
                change_request: None,
                page,
            } => in_space(self, &caller, space, page).await,
        }
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("content")
}

/// The place at an address of a published site. Whoever asks is a user, so that the audience of the site does not matter.
async fn published(publishing: &Publishing, url: &str) -> Result<Option<NamedContent>, ApiError> {
    let Ok(url) = Url::parse(url) else {
        return Ok(None);
    };
    let Some(address) = Address::find(publishing, &url).await? else {
        return Ok(None);
    };
    let layout = publishing.visits.layout(&address.site, Drafts::Without).await?;
    let by_link = address.share_link(publishing.visits.keys());
    let by_link = by_link.filter(|_| address.site.visibility == SiteVisibility::ShareLink);
    let path = by_link.map_or(address.rest.as_str(), |(_, rest)| rest);
    let pages = VisitorPages {
        publishing,
        site: &address.site,
        layout: &layout,
        preview_of: None,
        claims: None,
    };
    let place = pages.find(path).await?;
    Ok(place.map(|place| NamedContent::Space {
        space: place.item.space_id,
        change_request: None,
        page: NamedPage::at(&place.rest),
    }))
}

async fn collection(publishing: &Publishing, caller: &Caller, id: NodeId) -> Result<ContentByUrl, ApiError> {
    let found = load_node::<CollectionRow>(&publishing.access, caller, id).await?;
    let found = found.ok_or_else(unknown)?;
    Ok(ContentByUrl::CollectionByUrl(CollectionByUrl {
        collection: collections::view::collection(&publishing.kernel.urls, found.row, Some(found.level)),
    }))
}

async fn in_space(
    publishing: &Publishing,
    caller: &Caller,
    id: NodeId,
    page: Option<NamedPage>,
) -> Result<ContentByUrl, ApiError> {
    let found = load_node::<SpaceRow>(&publishing.access, caller, id).await?;
    let found = found.ok_or_else(unknown)?;
    let page = find_page(publishing, id, found.row.space.revision_id, page).await?;
    Ok(ContentByUrl::SpaceByUrl(SpaceByUrl {
        space: spaces::view_one(&publishing.kernel, found.row, Some(found.level)).await?,
        change_request: None,
        page,
    }))
}

async fn in_change_request(
    publishing: &Publishing,
    caller: &Caller,
    space: NodeId,
    request: &str,
    page: Option<NamedPage>,
) -> Result<ContentByUrl, ApiError> {
    let named = matching_id_or_number(request).ok_or_else(unknown)?;
    let found = load_node_where::<ChangeRequestRow>(&publishing.access, caller, space, named).await?;
    let found = found.ok_or_else(unknown)?;
    let ChangeRequestRow { space: row, request } = found.row;
    let page = find_page(publishing, space, request.revision_id, page).await?;
    Ok(ContentByUrl::SpaceByUrl(SpaceByUrl {
        space: spaces::view_one(&publishing.kernel, row, Some(found.level)).await?,
        change_request: Some(change_requests::load(&publishing.kernel, space, request.id).await?),
        page,
    }))
}

/// The page that an address names, without its text. An address of a page that does not exist leads nowhere.
async fn find_page(
    publishing: &Publishing,
    space: NodeId,
    revision: RevisionId,
    page: Option<NamedPage>,
) -> Result<Option<PageWithPath>, ApiError> {
    let Some(page) = page else {
        return Ok(None);
    };
    let reader = RevisionReader::open(&publishing.authoring, space, revision, None).await?;
    let found = reader
        .page_without_text(|pages| match &page {
            NamedPage::Id(id) => pages.page(*id),
            NamedPage::Path(path) => pages.page_by_path(path),
        })
        .await?;
    found.map(Some).ok_or_else(unknown)
}
