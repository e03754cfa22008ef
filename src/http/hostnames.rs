//! Whether this server shows something at a hostname: a proxy that makes certificates on demand asks before it makes one.

use openapi::error::ApiError;
use poem::{Request, Response, http::StatusCode};
use url::Url;

use super::page::state;

use crate::{app::App, areas::publishing::published_content::address::Address};

pub const PATH: &str = "/hostnames/allowed";

/// Answers 200 for the hostname of the server and those of published sites, and 404 for any other, in `domain` of the query.
pub async fn answer(app: &App, request: &Request) -> Result<Response, ApiError> {
    let query = request.uri().query().unwrap_or_default();
    let domain = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "domain");
    let shown = match domain {
        Some((_, domain)) => is_shown(app, &domain).await?,
        None => false,
    };
    Ok(match shown {
        true => state(StatusCode::OK, "allowed"),
        false => state(StatusCode::NOT_FOUND, "not shown here"),
    })
}

async fn is_shown(app: &App, domain: &str) -> Result<bool, ApiError> {
    let urls = &app.kernel.urls;
    let sites = urls.sites().of("site");
    let scheme = sites.split_once("://").map_or("https", |(scheme, _)| scheme);
    let url = Url::parse(&format!("{scheme}://{domain}/")).ok();
    // Nothing but a hostname.
    let Some(url) = url.filter(|url| url.host_str() == Some(domain)) else {
        return Ok(false);
    };
    if urls.is_server_host(domain) {
        return Ok(true);
    }
    Ok(Address::find(&app.publishing, &url).await?.is_some())
}
