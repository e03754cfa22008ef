//! Published sites: the pages that readers open.
//!
//! Who sees what is decided where lookups of addresses decide it; here is only the way from an address to HTML.

mod answer;
mod assets;
mod blocks;
mod content;
mod embeds;
mod events;
pub mod export;
mod feed;
mod feedback;
mod fonts;
mod frame;
mod languages;
mod lists;
mod markdown;
mod mcp;
mod not_found;
mod page;
mod pdf;
mod picture;
mod rendered;
mod route;
mod search;
mod site;
mod specifications;
mod targets;
mod tools;
mod tree;
mod visitor;

use openapi::error::ApiError;
use platform::config::{Settings, SitesMode};
use poem::{Request, Response, http::Method};
use url::Url;

pub use self::rendered::Compressed;
use self::{answer::method_not_allowed, rendered::Kept, site::Opened};

use crate::app::App;

/// Paths that belong to the server itself on every host.
const SERVER: [&str; 9] = [
    "/v1/",
    "/files/",
    "/pdf/",
    "/openapi/",
    "/integration-assets/",
    "/__session/",
    "/healthz",
    "/readyz",
    "/metrics",
];

/// What became of a request.
pub enum Answered {
    By(Response),
    /// The request is none for a site.
    Not(Box<Request>),
}

/// The pages of all sites.
pub struct Web {
    app: App,
    /// `false`: a renderer elsewhere shows the sites.
    is_enabled: bool,
    public: Url,
    scheme: String,
    kept: Kept,
}

impl Web {
    pub fn new(app: App, settings: &Settings) -> Self {
        let sites = Url::parse(&app.kernel.urls.sites().of("site"));
        Self {
            is_enabled: settings.sites == SitesMode::Pages,
            scheme: sites.map_or_else(|_| "http".to_owned(), |url| url.scheme().to_owned()),
            public: settings.public_url.clone(),
            kept: Kept::default(),
            app,
        }
    }

    /// Answers a request for a page of a site, or returns it if the address is none of a site.
    pub async fn answer(&self, request: Request) -> Result<Answered, ApiError> {
        let address = self.address(&request).filter(|_| self.is_enabled);
        let Some(url) = address.filter(|url| self.may_be_of_site(url)) else {
            return Ok(Answered::Not(Box::new(request)));
        };
        match site::open(&self.app, &request, &url).await? {
            Some(opened) => self.show(request, opened).await.map(Answered::By),
            // As a site that does not let the visitor in.
            None if self.is_named(&url) => Ok(Answered::By(not_found::bare())),
            None => Ok(Answered::Not(Box::new(request))),
        }
    }

    async fn show(&self, request: Request, opened: Opened) -> Result<Response, ApiError> {
        let site = match opened {
            Opened::Refused => return Ok(not_found::bare()),
            Opened::Redirect(to) => return answer::redirect_from(request.method(), &to),
            Opened::WithCookie { to, cookie } => return answer::redirect_with_cookie(&to, &cookie),
            Opened::Site(site) => site,
        };
        if site.rest == "~/mcp" {
            return Box::pin(mcp::answer(&self.app, request, &site)).await;
        }
        match *request.method() {
            Method::GET | Method::HEAD => Box::pin(route::answer(&self.app, &self.kept, &request, &site)).await,
            Method::POST if !site.rest.starts_with('~') => Box::pin(feedback::answer(&self.app, request, &site)).await,
            _ => Ok(method_not_allowed(request.method())),
        }
    }

    /// The address that the reader opened. `None`: the host is none.
    fn address(&self, request: &Request) -> Option<Url> {
        let authority = request.uri().authority().map(|authority| authority.as_str());
        let host = request.header("host").or(authority)?;
        let path = request.uri().path_and_query()?.as_str();
        let is_own = self.public.authority() == host;
        let scheme = if is_own { self.public.scheme() } else { &self.scheme };
        let at = |path: &str| Url::parse(&format!("{scheme}://{host}{path}")).ok();
        // A proxy may have removed the path of the server from the address.
        let whole = is_own.then(|| at(&self.app.kernel.urls.public_path(path))).flatten();
        whole.filter(|whole| self.is_named(whole)).or_else(|| at(path))
    }

    /// Returns whether an address can be one of a site, so that most requests ask no database.
    fn may_be_of_site(&self, url: &Url) -> bool {
        let path = url.path();
        let is_of_server = |own: &str| path == own || (own.ends_with('/') && path.starts_with(own));
        if SERVER.into_iter().any(is_of_server) {
            return false;
        }
        let is_own_host = url.host_str() == self.public.host_str();
        !is_own_host || self.is_named(url) || visitor::is_preview(url)
    }

    /// Returns whether an address has the place of the name of a site.
    fn is_named(&self, url: &Url) -> bool {
        let plain = format!("{}{}", url.origin().ascii_serialization(), url.path());
        self.app.kernel.urls.sites().split(&plain).is_some()
    }
}
