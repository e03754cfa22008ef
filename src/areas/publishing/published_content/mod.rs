//! Published content by its address.

pub mod address;
mod located;
mod opening;
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

use self::{address::Address, visitor::Admitted};
pub use self::{
    located::{Here, Located},
    opening::Opening,
    profile::load as profile,
    visitor::{Admission, Visitor},
};

use crate::areas::publishing::{
    Publishing,
    guard::{LookupAccess, ReadableSiteAccess, SiteAccess},
    site_answers,
    visits::Visit,
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
    let Some(Opening { address, admission }) = Opening::at(publishing, &url, visitor, access.preview).await? else {
        return Ok(None);
    };
    match admission {
        Admission::Granted(admitted) => content(publishing, &address, *admitted, pointer).await,
        Admission::Redirected(to) => Ok(Some(redirect(PublishedContentRedirectTarget::External, to))),
        Admission::Refused => Ok(None),
    }
}

/// The content that somebody sees at an address whose site lets them in. `pointer`: the place of their claims in the request.
async fn content(
    publishing: &Publishing,
    address: &Address,
    Admitted { visit, rest, expires }: Admitted,
    pointer: &str,
) -> Result<Option<PublishedContentResult>, ApiError> {
    let site = &address.site;
    let claims = visit.claims_on(site);
    let layout = publishing.visits.visible_layout(site, &claims, visit.drafts()).await?;
    let share_path = publishing.visits.keys().share_path(&visit);
    let canonical = |path: &str| format!("{}{share_path}{path}", address.canonical);
    let here = match Located::at(publishing, site, &visit, &layout, &rest).await? {
        Some(Located::Here(here)) => here,
        Some(Located::Elsewhere(path)) => {
            return Ok(Some(redirect(
                PublishedContentRedirectTarget::Content,
                canonical(&path),
            )));
        }
        None => return Ok(None),
    };
    let Visit {
        share_link, preview_of, ..
    } = visit;
    let site_base_path = format!("{}{share_path}", address.base_path);
    let visit = Visit {
        shown: Some((here.space, here.revision)),
        version: site.version,
        ..visit
    };
    let context_id = visitor::context_id(&visit.claims)?;
    let api_token = publishing.visits.keys().issue(visit, expires);
    Ok(Some(PublishedContentResult::PublishedSiteContent(
        PublishedSiteContent {
            site: site.id.to_string(),
            site_section: here.section.map(|section| section.to_string()),
            site_space: here.item.to_string(),
            space: here.space.to_string(),
            change_request: here.change_request.map(|request| request.to_string()),
            revision: here.is_fixed.then(|| here.revision.to_string()),
            pathname: format!("/{}", here.rest),
            base_path: format!("{site_base_path}{}", here.named),
            site_base_path,
            api_token: api_token.ok_or_else(|| visitor::claims_too_long(pointer))?,
            organization: site.organization_id.to_string(),
            share_key: share_link.map(|link| publishing.visits.keys().share_key(link)),
            complete: here.complete,
            context_id,
            canonical_url: canonical(&here.path_in_site),
            preview: preview_of.map(|_| Default::default()),
        },
    )))
}

fn redirect(target: PublishedContentRedirectTarget, to: String) -> PublishedContentResult {
    PublishedContentResult::PublishedContentRedirect(PublishedContentRedirect { target, redirect: to })
}
