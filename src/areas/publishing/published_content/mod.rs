//! Published content by its address.

pub mod address;
mod preview;
mod profile;
pub mod shared_paths;
mod visitor;

use openapi::{
    answer::Conditional,
    error::ApiError,
    models::{
        PublishedContentLookup, PublishedContentRedirect, PublishedContentRedirectTarget, PublishedContentResult,
        PublishedContentSite, PublishedSiteContent, SitePreview,
    },
    operations::published_content::{
        GetPublishedContentByUrlQuery, GetPublishedContentSiteHeaders, GetPublishedContentSiteQuery,
        GetSitePublishingPreviewByIdQuery, PublishedContentApi,
    },
};

use url::Url;

use self::{
    address::Address,
    preview::{Preview, Shown},
    shared_paths::{Resolved, VisitorPages},
    visitor::{Admission, Admitted, Visitor},
};

use crate::{
    access::rows::{self, SpaceRow},
    areas::publishing::{
        Publishing,
        guard::{LookupAccess, ReadableSiteAccess, SiteAccess},
        layout::paths::Place,
        site_answers,
        visits::Visit,
    },
};

impl PublishedContentApi for Publishing {
    async fn get_published_content_site(
        &self,
        access: ReadableSiteAccess,
        _: GetPublishedContentSiteQuery,
        headers: GetPublishedContentSiteHeaders,
    ) -> Result<Conditional<PublishedContentSite>, ApiError> {
        let profile = profile::load(self, &access).await?;
        site_answers::answer(&profile, headers.if_none_match.as_deref())
    }

    async fn get_site_publishing_preview_by_id(
        &self,
        access: SiteAccess,
        query: GetSitePublishingPreviewByIdQuery,
    ) -> Result<SitePreview, ApiError> {
        preview::address(self, access, query).await
    }

    async fn get_published_content_by_url(
        &self,
        access: LookupAccess,
        query: GetPublishedContentByUrlQuery,
    ) -> Result<PublishedContentResult, ApiError> {
        let GetPublishedContentByUrlQuery {
            url,
            visitor_auth_token,
            redirect_on_error,
        } = query;
        lookup(
            self,
            access,
            &url,
            Visitor::in_query(visitor_auth_token),
            redirect_on_error,
        )
        .await
    }

    async fn resolve_published_content_by_url(
        &self,
        access: LookupAccess,
        body: PublishedContentLookup,
    ) -> Result<PublishedContentResult, ApiError> {
        let PublishedContentLookup {
            url,
            redirect_on_error,
            visitor,
        } = body;
        lookup(self, access, &url, Visitor::in_body(visitor), redirect_on_error).await
    }
}

async fn lookup(
    publishing: &Publishing,
    access: LookupAccess,
    url: &str,
    visitor: Visitor,
    redirect_on_error: bool,
) -> Result<PublishedContentResult, ApiError> {
    match resolve(publishing, access, url, visitor).await? {
        Some(result) => Ok(result),
        None if redirect_on_error => Ok(redirect(
            PublishedContentRedirectTarget::Application,
            format!("{}/docs/", publishing.kernel.urls.base()),
        )),
        None => Err(ApiError::not_found("published content")),
    }
}

/// The content at an address. `None`: there is none, or the visitor may not read it.
async fn resolve(
    publishing: &Publishing,
    access: LookupAccess,
    url: &str,
    visitor: Visitor,
) -> Result<Option<PublishedContentResult>, ApiError> {
    let Ok(url) = Url::parse(url) else {
        return Ok(None);
    };
    let pointer = visitor.pointer;
    let is_by_preview = access.preview.is_some();
    let found = match Preview::at(publishing, &url, access.preview) {
        Some(preview) => preview.admit(publishing).await?,
        None if is_by_preview => None,
        None => match Address::find(publishing, &url).await? {
            Some(address) => Some((visitor.admit(publishing, &address).await?, address)),
            None => None,
        },
    };
    match found {
        Some((Admission::Granted(admitted), address)) => content(publishing, &address, *admitted, pointer).await,
        Some((Admission::Redirected(to), _)) => Ok(Some(redirect(PublishedContentRedirectTarget::External, to))),
        Some((Admission::Refused, _)) | None => Ok(None),
    }
}

/// The content that somebody sees at an address whose site lets them in. `pointer`: the place of their claims in the request.
async fn content(
    publishing: &Publishing,
    address: &Address,
    admitted: Admitted,
    pointer: &str,
) -> Result<Option<PublishedContentResult>, ApiError> {
    let (db, site) = (publishing.kernel.db.read(), &address.site);
    let claims = admitted.visit.claims_on(site);
    let layout = publishing
        .visits
        .visible_layout(site, &claims, admitted.visit.drafts())
        .await?;
    let Some(place) = Place::find(&layout, &admitted.rest) else {
        return Ok(None);
    };
    let found = rows::find_row::<SpaceRow>(db, site.organization_id, place.item.space_id);
    let Some(SpaceRow { space, .. }) = found.await? else {
        return Ok(None);
    };
    if !preview::may_read(&publishing.kernel, &admitted.visit, space.id).await? {
        return Ok(None);
    }
    let pages = VisitorPages {
        publishing,
        site,
        layout: &layout,
        preview_of: admitted.visit.preview_of,
        claims: Some(&claims),
    };
    let resolved = pages.resolve(place, &admitted.rest).await?;
    let share_path = publishing.visits.keys().share_path(&admitted.visit);
    let canonical = |path: &str| format!("{}{share_path}{path}", address.canonical);
    let (place, complete) = match resolved {
        Resolved::Here { place, complete } => (place, complete),
        Resolved::Elsewhere(path) => {
            return Ok(Some(redirect(
                PublishedContentRedirectTarget::Content,
                canonical(&path),
            )));
        }
    };
    let shown = Shown::at(&publishing.contents, &space, &admitted.visit, &place.rest).await?;
    let path_in_site = pages.path_of(place.item, &shown.rest).await?;
    let Visit {
        share_link, preview_of, ..
    } = admitted.visit;
    let site_base_path = format!("{}{share_path}", address.base_path);
    let visit = Visit {
        shown: Some((space.id, shown.revision)),
        version: site.version,
        ..admitted.visit
    };
    let context_id = visitor::context_id(&visit.claims)?;
    let api_token = publishing.visits.keys().issue(visit, admitted.expires);
    Ok(Some(PublishedContentResult::PublishedSiteContent(
        PublishedSiteContent {
            site: site.id.to_string(),
            site_section: place.item.section_id.map(|section| section.to_string()),
            site_space: place.item.id.to_string(),
            space: space.id.to_string(),
            change_request: shown.change_request.map(|request| request.to_string()),
            revision: shown.is_fixed.then(|| shown.revision.to_string()),
            pathname: format!("/{}", shown.rest),
            base_path: format!("{site_base_path}{}", place.named),
            site_base_path,
            api_token: api_token.ok_or_else(|| visitor::claims_too_long(pointer))?,
            organization: site.organization_id.to_string(),
            share_key: share_link.map(|link| publishing.visits.keys().share_key(link)),
            complete,
            context_id,
            canonical_url: canonical(&path_in_site),
            preview: preview_of.map(|_| Default::default()),
        },
    )))
}

fn redirect(target: PublishedContentRedirectTarget, to: String) -> PublishedContentResult {
    PublishedContentResult::PublishedContentRedirect(PublishedContentRedirect { target, redirect: to })
}
