//! Visitors of sites who sign in by a SAML provider: the way there and back.

use entity::ids::{Id, SamlProviderId, SiteId};
use openapi::error::ApiError;
use poem::{Request, Response};
use url::form_urlencoded::Serializer;

use super::{SignIn, is_path, query, see_other};

use crate::areas::{
    organizations::sign_in::{Beginning, Failure, SignedInVisitor, visits},
    publishing::publishing_auth::saml,
};

impl SignIn {
    /// Leads a visitor to the provider of a site.
    pub(super) async fn begin_visit(&self, provider: SamlProviderId, request: &Request) -> Result<Response, ApiError> {
        let site = SiteId::parse_or_nil(&query(request, "site").unwrap_or_default());
        if !saml::is_way_in(&self.app.kernel, provider, site).await? {
            return self.failed(Failure::Unknown);
        }
        let beginning = Beginning {
            return_to: location(query(request, "location")),
            own: false,
        };
        self.start(provider, Some(site), &beginning).await
    }

    /// Answers the response about a visitor. The browser brings its cookie in the next step, as for sessions.
    pub(super) async fn accept_visit(
        &self,
        provider: SamlProviderId,
        visitor: SignedInVisitor,
    ) -> Result<Response, ApiError> {
        let SignedInVisitor {
            site,
            request,
            name,
            claims,
        } = visitor;
        let token = match saml::token(&self.app.publishing, provider, (site, request), claims).await {
            Ok(token) => token,
            Err(failure) => return self.failed(failure),
        };
        let mut query = Serializer::new(String::new());
        query.append_pair("request", &name).append_pair("token", &token);
        see_other(&format!(
            "{}?{}",
            self.app.kernel.urls.saml_page(provider, "visited"),
            query.finish()
        ))
    }

    /// Leads a visitor to the site, if it is the browser that began.
    pub(super) async fn end_visit(&self, provider: SamlProviderId, request: &Request) -> Result<Response, ApiError> {
        let name = query(request, "request").unwrap_or_default();
        let token = query(request, "token").unwrap_or_default();
        let browser = self.cookies.browser(request);
        let Some(visit) = browser.and_then(|browser| visits::begun(&self.app.kernel, provider, &name, browser)) else {
            return self.failed(Failure::Expired);
        };
        let answered = (visit.site, visit.request);
        let Some(address) = saml::address(&self.app.publishing, provider, answered, &token, &visit.location).await?
        else {
            return self.failed(Failure::Expired);
        };
        let mut response = see_other(address.as_str())?;
        self.cookies.forget_browser(&mut response)?;
        Ok(response)
    }
}

/// A path in the site; anything else is its start.
fn location(path: Option<String>) -> String {
    let path = path.filter(|path| is_path(path) && !path.contains(['?', '#']));
    path.unwrap_or_else(|| "/".to_owned())
}
