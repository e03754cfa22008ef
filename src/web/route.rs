//! The parts of a site by their paths.

use openapi::error::ApiError;
use poem::{Request, Response};

use super::{answer::redirect, assets, lists, not_found::missing, page, search, site::Site};

use crate::{app::App, areas::publishing::published_content::Located};

pub async fn answer(app: &App, request: &Request, site: Site) -> Result<Response, ApiError> {
    if let Some(file) = site.rest.strip_prefix("~/assets/") {
        return assets::answer(app, request, &site, file).await;
    }
    match site.rest.as_str() {
        "~/search" => return search::answer(app, request, &site).await,
        "robots.txt" => return Ok(lists::robots(request, &site)),
        "sitemap.xml" => return Ok(lists::sitemap_index(request, &site)),
        _ => {}
    }
    // Addresses of sites end with a slash, so that relative links lead into the site.
    if site.rest.is_empty() && !site.url.path().ends_with('/') {
        return redirect(&format!("{}{}", site.base, query_of(&site)));
    }
    let located = site.locate(app, &site.rest).await?;
    match located {
        Some(Located::Here(here)) => page::answer(app, request, &site, *here).await,
        Some(Located::Elsewhere(path)) => redirect(&format!("{}{path}", site.base)),
        None => missing(app, request, &site, None).await,
    }
}

fn query_of(site: &Site) -> String {
    site.url.query().map(|query| format!("?{query}")).unwrap_or_default()
}
