//! The parts of a site by their paths.

use entity::ids::{NodeId, PageId};
use openapi::error::ApiError;
use poem::{Request, Response, http::HeaderValue};

use super::{
    answer::redirect,
    assets, blocks, content, lists,
    not_found::{self, missing},
    page,
    rendered::Kept,
    search,
    site::Site,
};

use crate::{app::App, areas::publishing::published_content::Located};

/// Search engines are told with each answer if they may not list the site.
pub async fn answer(app: &App, kept: &Kept, request: &Request, site: &Site) -> Result<Response, ApiError> {
    let is_listed = lists::is_listed(site);
    let mut response = part(app, kept, request, site).await?;
    if !is_listed {
        let noindex = HeaderValue::from_static("noindex");
        response.headers_mut().insert("x-robots-tag", noindex);
    }
    Ok(response)
}

async fn part(app: &App, kept: &Kept, request: &Request, site: &Site) -> Result<Response, ApiError> {
    if let Some(file) = site.rest.strip_prefix("~/assets/") {
        return assets::answer(app, request, site, file).await;
    }
    if let Some(page) = site.rest.strip_prefix("~/pages/") {
        return page_elsewhere(app, site, page).await;
    }
    if let Some(integration) = site.rest.strip_prefix(blocks::PATH) {
        return blocks::answer(app, request, site, integration).await;
    }
    match site.rest.as_str() {
        "~/search" => return search::answer(app, request, site).await,
        "robots.txt" => return Ok(lists::robots(request, site)),
        "sitemap.xml" => return Ok(lists::sitemap_index(request, site)),
        _ => {}
    }
    // Addresses of sites end with a slash, so that relative links lead into the site.
    if site.rest.is_empty() && !site.url.path().ends_with('/') {
        return redirect(&format!("{}{}", site.base, site.query()));
    }
    let located = site.locate(app, &site.rest).await?;
    match located {
        Some(Located::Here(here)) => page::answer(app, kept, request, site, *here).await,
        Some(Located::Elsewhere(path)) => redirect(&format!("{}{path}{}", site.base, site.query())),
        None => missing(app, request, site, None).await,
    }
}

/// Leads to a page of any space of the site by their ids.
async fn page_elsewhere(app: &App, site: &Site, ids: &str) -> Result<Response, ApiError> {
    let (space, page) = ids.split_once('/').unwrap_or_default();
    let (Ok(space), Ok(page)) = (space.parse::<NodeId>(), page.parse::<PageId>()) else {
        return Ok(not_found::bare());
    };
    let items = site.layout.site_spaces.iter().filter(|item| item.space_id == space);
    let Some(item) = items.min_by_key(|item| item.id) else {
        return Ok(not_found::bare());
    };
    let path = site.layout.path_in_site_space(item, "");
    let Some(Located::Here(here)) = site.locate(app, &path).await? else {
        return Ok(not_found::bare());
    };
    let mut reader = content::reader(app, site, &here).await?;
    // The space itself, if it does not have the page.
    let path = reader.path_of(page).await?.unwrap_or_default();
    redirect(site.path_in(&here, &path).as_str())
}
