//! Published sites: the pages that readers open.
//!
//! Who sees what is decided where lookups of addresses decide it; here is only the way from an address to HTML.

mod answer;
mod assets;
mod frame;
mod lists;
mod not_found;
mod page;
mod route;
mod search;
mod site;
mod specifications;
mod targets;
mod tree;
mod visitor;

use openapi::error::ApiError;
use platform::config::{Settings, SitesMode};
use poem::{Request, Response, http::Method};
use url::Url;

use self::{answer::method_not_allowed, site::Opened};

use crate::app::App;

/// Paths that belong to the server itself on every host.
const SERVER: [&str; 6] = [
    "/v1/",
    "/files/",
    "/pdf/",
    "/openapi/",
    "/integration-assets/",
    "/__session/",
];

/// Paths that belong to the server on its own host and on hosts without a site.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// The pages of all sites.
pub struct Web {
    app: App,
    /// `false`: a renderer elsewhere shows the sites.
    is_enabled: bool,
    public: Url,
    scheme: String,
}

impl Web {
    pub fn new(app: App, settings: &Settings) -> Self {
        let sites = Url::parse(&app.kernel.urls.sites().of("site"));
        Self {
            is_enabled: settings.sites == SitesMode::Pages,
            scheme: sites.map_or_else(|_| "http".to_owned(), |url| url.scheme().to_owned()),
            public: settings.public_url.clone(),
            app,
        }
    }

    /// Answers a request for a page of a site. `None`: the address is none of a site.
    pub async fn answer(&self, request: &Request) -> Result<Option<Response>, ApiError> {
        let Some(url) = self.address(request).filter(|_| self.is_enabled) else {
            return Ok(None);
        };
        if !self.may_be_of_site(&url) {
            return Ok(None);
        }
        let Some(opened) = site::open(&self.app, request, &url).await? else {
            return Ok(None);
        };
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Ok(Some(method_not_allowed(request.method())));
        }
        match opened {
            Opened::Redirect(to) => answer::redirect(&to).map(Some),
            Opened::WithCookie { to, cookie } => answer::redirect_with_cookie(&to, &cookie).map(Some),
            Opened::Refused => Ok(Some(not_found::bare())),
            Opened::Site(site) => Box::pin(route::answer(&self.app, request, *site)).await.map(Some),
        }
    }

    /// The address that the reader opened. `None`: the host is none.
    fn address(&self, request: &Request) -> Option<Url> {
        let host = request.header("host").or_else(|| request.uri().host())?;
        let path = request.uri().path_and_query()?.as_str();
        let scheme = match self.public.authority() == host {
            true => self.public.scheme(),
            false => &self.scheme,
        };
        Url::parse(&format!("{scheme}://{host}{path}")).ok()
    }

    /// Returns whether an address can be one of a site, so that most requests ask no database.
    fn may_be_of_site(&self, url: &Url) -> bool {
        let path = url.path();
        if SERVER.iter().any(|prefix| path.starts_with(prefix)) || PROBES.contains(&path) {
            return false;
        }
        let (plain, urls) = (
            format!("{}{path}", url.origin().ascii_serialization()),
            &self.app.kernel.urls,
        );
        let is_own_host = url.host_str() == self.public.host_str();
        !is_own_host || urls.sites().split(&plain).is_some() || visitor::is_preview(url)
    }
}
