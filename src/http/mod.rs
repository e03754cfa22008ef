//! HTTP: the operations of the contract, the pages around them, and the layer for all requests.

pub mod api;
pub mod client;
pub mod compression;
mod connections;
mod content_exports;
mod detached;
pub mod documents;
pub mod edge;
mod errors;
pub mod files;
mod git_webhooks;
mod hostnames;
mod integration_assets;
mod integration_endpoints;
pub mod limits;
pub mod metrics;
mod openapi_specs;
pub mod page;
pub mod pages;
mod pdf_exports;
pub mod server;
pub mod sign_in;
pub mod slow_requests;
mod uploads;
mod visitor_session;
mod writable;

use std::sync::Arc;

use openapi::input::BodyLimit;
use platform::config::Settings;
use poem::{Endpoint, Response};

pub use self::api::described;
use self::{client::TrustedProxies, edge::Edge, limits::RateLimits, metrics::Metrics, pages::Pages, sign_in::SignIn};

use crate::{access::request_context::RequestIds, app::App, areas::integrations::running::Serve, web::Web};

/// Returns the whole service.
pub fn service(app: App, settings: &Settings) -> impl Endpoint<Output = Response> + 'static {
    let metrics = Arc::new(Metrics::new(app.kernel.db.clone()));
    let work = app.kernel.work.clone();
    let own_service = app.integrations.runner.own_service.clone();
    let edge = Arc::new(Edge {
        api: Arc::new(api::routes(app.clone())),
        sign_in: SignIn::new(app.clone(), settings),
        web: Web::new(app.clone(), settings),
        pages: Pages::new(app.clone(), Arc::clone(&metrics), settings),
        app,
        ids: RequestIds::new(),
        proxies: TrustedProxies::new(&settings.trusted_proxies),
        limits: settings.rate_limit.and_then(RateLimits::new),
        metrics,
        body_limit: BodyLimit(settings.body_limit),
        time_limit: settings.request_timeout,
        work,
    });
    let serve: Arc<dyn Serve> = edge.clone();
    own_service.set(Arc::downgrade(&serve));
    edge
}
