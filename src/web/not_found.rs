//! Answers where there is no page.

use openapi::{
    error::ApiError,
    operations::site_redirects::{GetSiteRedirectBySourceQuery, SiteRedirectsApi},
};
use poem::{
    Request, Response,
    http::{StatusCode, header},
};
use web::{Body, Frame, FrameLink, NotFound, bare_not_found, words};

use super::{
    answer::{self, HTML, redirect},
    site::Site,
    tree::Tree,
};

use crate::app::App;

/// Pages that could be meant.
const MAX_NEAREST: usize = 5;

/// The frame of the site around the message.
pub struct Around<'a> {
    pub frame: &'a Frame,
    pub tree: &'a Tree,
}

impl Around<'_> {
    pub fn page(&self, path: &str) -> String {
        let nearest: Vec<FrameLink> = self.tree.nearest(path).into_iter().take(MAX_NEAREST).collect();
        self.frame.page(&Body::NotFound(&NotFound { nearest }))
    }
}

/// The same for hosts and sites of which nothing is told.
pub fn bare() -> Response {
    Response::builder()
        .status(StatusCode::NOT_FOUND)
        .header(header::CACHE_CONTROL, "no-store")
        .header(
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'",
        )
        .content_type(HTML)
        .body(bare_not_found(words("en")))
}

/// There is no page at a path: where a redirect of the site leads, or a page that says so.
pub async fn missing(
    app: &App,
    request: &Request,
    site: &Site,
    frame: Option<Around<'_>>,
) -> Result<Response, ApiError> {
    if let Some(target) = redirected(app, site).await? {
        return redirect(&site.local(&target));
    }
    let Some(around) = frame else {
        return Ok(bare());
    };
    Ok(answer::text(
        request,
        StatusCode::NOT_FOUND,
        HTML,
        around.page(&site.rest),
    ))
}

/// Where the redirects of the site lead from the path.
async fn redirected(app: &App, site: &Site) -> Result<Option<String>, ApiError> {
    let query = GetSiteRedirectBySourceQuery {
        source: format!("/{}", site.rest),
        share_key: None,
    };
    match app.publishing.get_site_redirect_by_source(site.access(), query).await {
        Ok(found) => Ok(Some(found.target)),
        Err(error) if error.status().is_client_error() => Ok(None),
        Err(error) => Err(error),
    }
}
