//! Published content by its address.

pub mod address;
pub mod place;
mod visitor;

use entity::sites::Model;
use openapi::{
    error::ApiError,
    models::{
        PublishedContentLookup, PublishedContentRedirect, PublishedContentRedirectTarget, PublishedContentResult,
        PublishedSiteContent,
    },
    operations::published_content::{GetPublishedContentByUrlQuery, PublishedContentApi},
};

use self::{
    address::Address,
    place::Place,
    visitor::{Admission, Visitor},
};
use crate::{
    access::{Caller, rows::SpaceRow, visitors::Visit},
    app::App,
    areas::{
        library::tree,
        publishing::structure::{addresses, layout::Layout, store},
    },
};

impl PublishedContentApi for App {
    async fn get_published_content_by_url(
        &self,
        _: Caller,
        query: GetPublishedContentByUrlQuery,
    ) -> Result<PublishedContentResult, ApiError> {
        let GetPublishedContentByUrlQuery {
            url,
            visitor_auth_token,
            redirect_on_error,
        } = query;
        let visitor = Visitor {
            token: visitor_auth_token,
            ..Default::default()
        };
        lookup(self, &url, visitor, redirect_on_error).await
    }

    async fn resolve_published_content_by_url(
        &self,
        _: Caller,
        body: PublishedContentLookup,
    ) -> Result<PublishedContentResult, ApiError> {
        let PublishedContentLookup {
            url,
            redirect_on_error,
            visitor,
        } = body;
        let visitor = visitor.map(Visitor::from).unwrap_or_default();
        lookup(self, &url, visitor, redirect_on_error).await
    }
}

async fn lookup(
    app: &App,
    url: &str,
    visitor: Visitor,
    redirect_on_error: bool,
) -> Result<PublishedContentResult, ApiError> {
    match resolve(app, url, visitor).await? {
        Some(result) => Ok(result),
        None if redirect_on_error => Ok(redirect(
            PublishedContentRedirectTarget::Application,
            format!("{}/docs/", app.urls.base()),
        )),
        None => Err(ApiError::not_found("published content")),
    }
}

/// The content at an address. `None`: there is none, or the visitor may not read it.
async fn resolve(app: &App, url: &str, visitor: Visitor) -> Result<Option<PublishedContentResult>, ApiError> {
    let Some(address) = Address::find(app, url).await? else {
        return Ok(None);
    };
    let site = address.site.clone();
    let admitted = match visitor.admit(app, &address).await? {
        Admission::Granted(admitted) => admitted,
        Admission::Redirected(to) => return Ok(Some(redirect(PublishedContentRedirectTarget::External, to))),
        Admission::Refused => return Ok(None),
    };
    let layout = store::load(app.db.read(), site.id).await?;
    let layout = visible(app, &site, &admitted.claims, layout).await?;
    let Some(place) = Place::find(&layout, &admitted.rest) else {
        return Ok(None);
    };
    let db = app.db.read();
    let found = tree::store::find_row::<SpaceRow>(db, site.organization_id, place.item.space_id).await?;
    let Some(SpaceRow { space, .. }) = found else {
        return Ok(None);
    };
    let visit = Visit {
        organization: site.organization_id,
        site: site.id,
        share_link: admitted.share_link,
        key_number: admitted.key_number,
        shown: (space.id, space.revision_id),
        claims: admitted.claims,
    };
    let context_id = visitor::context_id(&visit.claims)?;
    let token = app.visitors.issue(visit, app.clock.now());
    let api_token = token.ok_or_else(visitor::claims_too_long)?;
    let path_in_site = addresses::path_of_site_space(&layout, place.item);
    let site_base_path = format!("{}{}", address.base_path, admitted.prefix);
    let canonical = format!(
        "{}{}{path_in_site}{}",
        addresses::of_site(&app.urls, &site),
        admitted.prefix,
        place.rest
    );
    Ok(Some(PublishedContentResult::PublishedSiteContent(
        PublishedSiteContent {
            site: site.id.to_string(),
            site_section: place.item.section_id.map(|section| section.to_string()),
            site_space: place.item.id.to_string(),
            space: space.id.to_string(),
            change_request: None,
            revision: Some(space.revision_id.to_string()),
            pathname: format!("/{}", place.rest),
            base_path: format!("{site_base_path}{}", place.named),
            site_base_path,
            api_token,
            organization: site.organization_id.to_string(),
            share_key: admitted.share_key,
            complete: place.complete,
            context_id,
            canonical_url: canonical,
        },
    )))
}

fn redirect(target: PublishedContentRedirectTarget, to: String) -> PublishedContentResult {
    PublishedContentResult::PublishedContentRedirect(PublishedContentRedirect { target, redirect: to })
}

/// The structure without what the conditions hide from the visitor, and without sections that show nothing.
async fn visible(
    app: &App,
    site: &Model,
    claims: &serde_json::Map<String, serde_json::Value>,
    mut layout: Layout,
) -> Result<Layout, ApiError> {
    let of_sections = layout.sections.iter().map(|section| section.condition.as_deref());
    let of_items = layout.site_spaces.iter().map(|item| item.condition.as_deref());
    let conditions: Vec<&str> = of_sections.chain(of_items).flatten().collect();
    let mut holding = app.guard.holding(site, claims, &conditions).await?.into_iter();
    let mut shown = |condition: &Option<String>| condition.is_none() || holding.next() == Some(true);
    layout.sections.retain(|section| shown(&section.condition));
    layout.site_spaces.retain(|item| shown(&item.condition));
    let sections: Vec<_> = layout.sections.iter().map(|section| section.id).collect();
    layout
        .site_spaces
        .retain(|item| item.section_id.is_none_or(|section| sections.contains(&section)));
    let filled: Vec<_> = layout.site_spaces.iter().filter_map(|item| item.section_id).collect();
    layout.sections.retain(|section| filled.contains(&section.id));
    Ok(layout)
}
