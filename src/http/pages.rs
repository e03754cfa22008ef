//! Pages beside the operations: documentation, OpenAPI documents, health, metrics, files, documents of specifications.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use openapi::error::ApiError;
use platform::{config::Settings, db::is_damaged};
use poem::{
    Request, Response,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
};

use super::{
    content_exports, documents, errors, files, hostnames, integration_assets,
    metrics::Metrics,
    openapi_specs,
    page::{StaticPage, state},
    pdf_exports, visitor_session,
    writable::Writable,
};
use crate::{app::App, areas::exchange::content_exports::PREFIX as EXPORTS, areas::integrations::running::OwnRequest};

const JSON: &str = "application/json";
const YAML: &str = "application/yaml; charset=utf-8";

/// The files of the documentation page that are not those of Swagger UI, with the names under which they are served.
const DOCS_PAGE: [(&str, &str, &str); 5] = [
    ("", "text/html", include_str!("docs_page/index.html")),
    ("page.css", "text/css", include_str!("docs_page/page.css")),
    ("page.js", "text/javascript", include_str!("docs_page/page.js")),
    ("contract.js", "text/javascript", include_str!("docs_page/contract.js")),
    ("session.js", "text/javascript", include_str!("docs_page/session.js")),
];

pub struct Pages {
    app: App,
    metrics: Arc<Metrics>,
    /// The server URL in the documents.
    server: String,
    /// Whether browsers reach the server by TLS.
    is_secure: bool,
    contract: OnceLock<StaticPage>,
    contract_yaml: OnceLock<StaticPage>,
    derived: OnceLock<StaticPage>,
    docs_policy: HeaderValue,
    writable: Writable,
}

impl Pages {
    pub fn new(app: App, metrics: Arc<Metrics>, settings: &Settings) -> Self {
        let server = settings.public_url.as_str().trim_end_matches('/').to_owned();
        Self {
            docs_policy: docs_policy(settings),
            app,
            metrics,
            is_secure: settings.public_url.scheme() == "https",
            server,
            contract: OnceLock::new(),
            contract_yaml: OnceLock::new(),
            derived: OnceLock::new(),
            writable: Writable::default(),
        }
    }

    pub async fn answer(&self, request: &Request) -> Result<Response, ApiError> {
        let path = request.uri().path();
        let headers = request.headers();
        let response = match path {
            "/healthz" => Ok(state(StatusCode::OK, "ok")),
            "/readyz" => Ok(self.readiness().await),
            // They are for the operator, not for scripts.
            "/metrics" if request.data::<OwnRequest>().is_none() => self.metrics().await,
            "/" | "/docs" => Ok(redirect("docs/")),
            hostnames::PATH => hostnames::answer(&self.app, request).await,
            visitor_session::PATH => visitor_session::answer(&self.app, self.is_secure, request).await,
            "/openapi.json" => self.contract()?.answer(headers),
            "/openapi.yaml" => self.contract_yaml()?.answer(headers),
            "/openapi-3.0.json" => self.derived()?.answer(headers),
            _ => self.below(path, request).await,
        };
        let allowed = HeaderValue::from_static("GET, HEAD, OPTIONS");
        match *request.method() {
            Method::GET => response,
            Method::OPTIONS if response.is_ok() => Ok(Response::builder()
                .status(StatusCode::NO_CONTENT)
                .header(header::ALLOW, allowed)
                .finish()),
            _ if response.is_ok() => Ok(errors::method_not_allowed(allowed)),
            _ => response,
        }
    }

    /// Answers what has many paths below one.
    async fn below(&self, path: &str, request: &Request) -> Result<Response, ApiError> {
        if let Some(file) = path.strip_prefix("/docs/") {
            return self.docs(file, request.headers());
        }
        if let Some(file) = path.strip_prefix("/files/") {
            return files::answer(&self.app, file, request).await;
        }
        if let Some(export) = path.strip_prefix("/pdf/") {
            return pdf_exports::answer(&self.app, export, request).await;
        }
        if let Some(export) = path.strip_prefix(EXPORTS) {
            return content_exports::answer(&self.app, export).await;
        }
        if let Some(image) = path.strip_prefix("/integration-assets/") {
            return integration_assets::answer(&self.app, image, request).await;
        }
        match path.strip_prefix("/openapi/") {
            Some(document) => openapi_specs::answer(&self.app, document, request).await,
            None => Err(errors::unknown_route()),
        }
    }

    /// Documents are created at the first request, so that the server starts faster.
    fn contract(&self) -> Result<&StaticPage, ApiError> {
        once(&self.contract, || json(&documents::contract(&self.server)))
    }

    fn contract_yaml(&self) -> Result<&StaticPage, ApiError> {
        once(&self.contract_yaml, || {
            let text = documents::yaml(&documents::contract(&self.server))?;
            Ok(StaticPage::new(YAML, text.as_bytes())?)
        })
    }

    fn derived(&self) -> Result<&StaticPage, ApiError> {
        once(&self.derived, || json(&documents::derived(&self.server)?))
    }

    fn docs(&self, file: &str, headers: &HeaderMap) -> Result<Response, ApiError> {
        let page = match DOCS_PAGE.iter().find(|(name, ..)| *name == file) {
            Some((_, content_type, text)) => StaticPage::new(content_type, text.as_bytes()),
            None => {
                let found = utoipa_swagger_ui::serve(file, Arc::default());
                let found = found.map_err(|e| ApiError::internal(e.to_string()))?;
                let found = found.ok_or_else(errors::unknown_route)?;
                match (found.gzpipped, found.bytes) {
                    (true, Cow::Borrowed(bytes)) => Ok(StaticPage::from_gzip(&found.content_type, bytes.into())),
                    (_, bytes) => StaticPage::new(&found.content_type, &bytes),
                }
            }
        };
        let page = page.map_err(|e| ApiError::internal(e.to_string()))?;
        let mut response = page.answer(headers)?;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, self.docs_policy.clone());
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        Ok(response)
    }

    async fn metrics(&self) -> Result<Response, ApiError> {
        // Without a database, the others are needed most.
        if let Ok(failing) = self.app.exchange.failing_git_syncs().await {
            self.metrics.set_git_syncs_failing(failing);
        }
        if let Ok(last) = self.app.kernel.backups.last().await {
            self.metrics.set_last_backup(last);
        }
        let text = self.metrics.text().map_err(ApiError::internal)?;
        let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        Ok(Response::builder()
            .content_type(kind)
            .header(header::CACHE_CONTROL, "no-store")
            .body(text))
    }

    /// The server is ready while events wait for the engine of insights, but the operator should know.
    async fn insights_state(&self) -> Response {
        match self.app.insights.inbox.is_late().await {
            Ok(false) => state(StatusCode::OK, "ready"),
            Ok(true) => state(StatusCode::OK, "ready, insight events wait"),
            Err(error) => {
                tracing::warn!(%error, "cannot count the insight events that wait");
                state(StatusCode::SERVICE_UNAVAILABLE, "database unavailable")
            }
        }
    }

    async fn readiness(&self) -> Response {
        if is_damaged() {
            return state(StatusCode::SERVICE_UNAVAILABLE, "database damaged");
        }
        let db = &self.app.kernel.db;
        let pending = match db.ping().await {
            Ok(()) => db.pending_migrations().await,
            Err(e) => Err(e),
        };
        match pending {
            Ok(pending) if pending.is_empty() => match self.writable.check(&self.app).await {
                Ok(()) => self.insights_state().await,
                Err(what) => state(StatusCode::SERVICE_UNAVAILABLE, what),
            },
            Ok(_) => state(StatusCode::SERVICE_UNAVAILABLE, "migrations pending"),
            Err(error) => {
                tracing::warn!(%error, "cannot use the database");
                state(StatusCode::SERVICE_UNAVAILABLE, "database unavailable")
            }
        }
    }
}

/// The documentation page loads nothing from other origins and cannot be framed. Its requests go to this server, under the
/// opened origin or the one in the document.
fn docs_policy(settings: &Settings) -> HeaderValue {
    let server = settings.public_url.origin().ascii_serialization();
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
         connect-src 'self' {server}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    );
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'self'"))
}

fn once(
    place: &OnceLock<StaticPage>,
    make: impl FnOnce() -> anyhow::Result<StaticPage>,
) -> Result<&StaticPage, ApiError> {
    if let Some(page) = place.get() {
        return Ok(page);
    }
    let page = make().map_err(|e| ApiError::internal(format!("{e:#}")))?;
    Ok(place.get_or_init(|| page))
}

fn json(document: &serde_json::Value) -> anyhow::Result<StaticPage> {
    Ok(StaticPage::new(JSON, &serde_json::to_vec(document)?)?)
}

fn redirect(to: &'static str) -> Response {
    Response::builder()
        .status(StatusCode::TEMPORARY_REDIRECT)
        .header(header::LOCATION, to)
        .finish()
}
