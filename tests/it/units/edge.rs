//! What every answer has, whatever happens.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use bindery::{
    access::request_context::{REQUEST_ID, RequestIds},
    app::App,
    http::{
        client::TrustedProxies,
        edge::{EXPOSED, Edge, is_well_formed, shown},
        limits::{self, RateLimits},
        metrics::Metrics,
        pages::Pages,
        sign_in::SignIn,
    },
    web::Web,
};
use openapi::input::BodyLimit;
use platform::{
    config::{Flags, RateLimit, Settings},
    db::{Db, DbOptions},
};
use poem::{
    Endpoint, Request, Response, Route,
    endpoint::make_sync,
    http::{HeaderName, Uri},
};
use serde_json::Value;

/// The service without its operations, with one path that panics.
async fn edge(directory: &tempfile::TempDir) -> Edge {
    let data_dir = Some(directory.path().display().to_string());
    let settings = Settings::of_flags(&Flags {
        data_dir,
        ..Flags::default()
    })
    .unwrap();
    let url = format!("sqlite://{}/test.db", directory.path().display());
    let app = App::new(Db::connect(&url, &DbOptions::default()).await.unwrap(), &settings);
    let metrics = Arc::new(Metrics::new(app.kernel.db.clone()));
    let work = app.kernel.work.clone();
    let once = RateLimit {
        requests: NonZeroU32::MIN,
        per: Duration::from_secs(3600),
    };
    Edge {
        api: Arc::new(Route::new().at("/v1/panic", make_sync(|_| -> Response { panic!("on purpose") }))),
        web: Web::new(app.clone(), &settings),
        sign_in: SignIn::new(app.clone(), &settings),
        pages: Pages::new(app.clone(), Arc::clone(&metrics), &settings),
        app,
        ids: RequestIds::new(),
        proxies: TrustedProxies::new(&[]),
        limits: RateLimits::new(once),
        metrics,
        body_limit: BodyLimit(settings.body_limit),
        time_limit: settings.request_timeout,
        work,
    }
}

async fn get(edge: &Edge, path: &'static str) -> (u16, String, Value) {
    let request = Request::builder().uri(Uri::from_static(path)).finish();
    let response = edge.call(request).await.unwrap();
    let id = response.header(REQUEST_ID).unwrap_or_default().to_owned();
    (
        response.status().as_u16(),
        id,
        response.into_body().into_json().await.unwrap(),
    )
}

#[tokio::test]
async fn a_panic_is_an_answer_and_probes_are_never_refused() {
    let directory = tempfile::tempdir().unwrap();
    let edge = edge(&directory).await;
    let (status, id, body) = get(&edge, "/v1/panic").await;
    assert_eq!((status, body["error"]["type"].as_str()), (500, Some("internal")));
    assert_eq!(body["error"]["requestId"], id);
    assert!(!body.to_string().contains("on purpose"));
    assert_eq!(get(&edge, "/v1/panic").await.0, 429);
    assert_eq!(get(&edge, "/healthz").await.0, 200);
}

#[test]
fn escapes_are_two_digits_and_utf8() {
    for good in ["/v1/orgs/abc", "/v1/orgs/a%20b", "/v1/orgs/%C3%BC", "/v1/%e2%82%ac"] {
        assert!(is_well_formed(good), "{good}");
    }
    for bad in [
        "/v1/orgs/%",
        "/v1/orgs/%2",
        "/v1/orgs/%zz",
        "/v1/orgs/%+1",
        "/v1/orgs/%FF",
        "/v1/orgs/%C3",
    ] {
        assert!(!is_well_formed(bad), "{bad}");
    }
}

#[test]
fn the_log_gives_no_access() {
    for (path, written) in [
        ("/files/signature/space/hash/a.png", "/files/…/space/hash/a.png"),
        ("/files/x", "/files/x"),
        ("/pdf/signature/expires/export", "/pdf/…/expires/export"),
        ("/openapi/signature/version", "/openapi/…/version"),
        ("/uploads/signature/expires/key", "/uploads/…/expires/key"),
        ("/openapi/specification", "/openapi/specification"),
        ("/v1/orgs/x", "/v1/orgs/x"),
        ("/v1/orgs/x/invites", "/v1/orgs/x/invites"),
        ("/v1/orgs/x/invites/id", "/v1/orgs/x/invites/…"),
        ("/v1/orgs/x/link-invites/id", "/v1/orgs/x/link-invites/…"),
        ("/v1/orgs/x/invites/id/more", "/v1/orgs/x/invites/…/…"),
        ("/v1/orgs/x/invites%2Fid", "/v1/orgs/x/…"),
        ("/v1/orgs/x/invites%252Fid/y", "/v1/orgs/x/…/…"),
        ("/v1/orgs/x/invites%5Cid", "/v1/orgs/x/…"),
        ("/v1/orgs/x/%69nvites/id", "/v1/orgs/x/%69nvites/…"),
        ("/v1/orgs/x/link-invite%73/id", "/v1/orgs/x/link-invite%73/…"),
        ("/v1/orgs/x/INVITES/id", "/v1/orgs/x/INVITES/…"),
        ("/v1/orgs/x/invites;a=b/id", "/v1/orgs/x/…/…"),
        ("/v1/orgs/x/invites/x/../id", "/v1/orgs/x/invites/…/…/…"),
        ("/v1/orgs/x/%E4%BD%A0", "/v1/orgs/x/%E4%BD%A0"),
        ("//V1/orgs/x/invites//id", "//V1/orgs/x/invites//…"),
        ("/account/join/id", "/account/join/…"),
        ("/sites/manuals", "/sites/manuals"),
        ("/sites/manuals/", "/sites/manuals/"),
        ("/sites/manuals/key/start", "/sites/manuals/…"),
        ("/sites/manuals//key", "/sites/manuals/…"),
        ("/sites/manuals%2Fkey/start", "/sites/…"),
        ("/%73ites/manuals/key", "/%73ites/manuals/…"),
        ("/Sites/manuals/key", "/Sites/manuals/…"),
        ("//sites/manuals/key", "//sites/manuals/…"),
        ("/v1/orgs/x/sites/y/share-links", "/v1/orgs/x/sites/y/share-links"),
        ("/v1/orgs/x/join", "/v1/orgs/x/join"),
        ("/integrations/gauge/installations/x/hook-3417", "/integrations/gauge/…"),
        ("/integrations/gauge", "/integrations/gauge"),
    ] {
        assert_eq!(shown(path), written);
    }
}

#[test]
fn every_header_that_browsers_may_read_exists() {
    for name in [
        limits::LIMIT,
        limits::REMAINING,
        limits::RESET,
        HeaderName::from_static(REQUEST_ID),
    ] {
        assert!(EXPOSED.to_lowercase().contains(name.as_str()), "{name}");
    }
}
