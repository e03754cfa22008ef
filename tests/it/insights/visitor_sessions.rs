//! The ids of visitors' browsers, which renderers ask for.

use platform::config::Flags;
use reqwest::{Method, Response, header};
use serde_json::Value;

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::Published,
    world::World,
};

on_each_database![browsers_keep_their_ids, hosts_of_sites_read_ids_with_credentials];

const PROPOSED: &str = "1b4e28ba-2fa1-11d2-883f-0016d3cca427R";

async fn world(database: TestDatabase, public_url: &'static str) -> World {
    let flags = move |flags: &mut Flags| {
        flags.public_url = Some(public_url.to_owned());
        flags.sites_url = Some("https://{site}.sites.example".to_owned());
    };
    World::with(database, flags).await
}

async fn ask(world: &World, query: &str, headers: &[(header::HeaderName, &str)]) -> Response {
    let mut request = world.nobody().request(Method::GET, &format!("/__session/2/{query}"));
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    response
}

fn of(response: &Response, name: header::HeaderName) -> Option<&str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

async fn id(response: Response) -> String {
    let body: Value = response.json().await.unwrap();
    body["deviceId"].as_str().unwrap().to_owned()
}

async fn browsers_keep_their_ids(database: TestDatabase) {
    let world = world(database, "https://bindery.tidewater.example").await;
    let proposed = format!("?proposed={PROPOSED}");
    let first = ask(&world, &proposed, &[]).await;
    let cookie = of(&first, header::SET_COOKIE).unwrap().to_owned();
    assert!(
        cookie.ends_with("; Path=/; Max-Age=34560000; HttpOnly; SameSite=None; Secure; Partitioned"),
        "{cookie}"
    );
    assert_eq!(of(&first, header::CACHE_CONTROL), Some("no-store"));
    assert_eq!(id(first).await, PROPOSED);
    let (cookie, _) = cookie.split_once(';').unwrap();
    let again = ask(&world, "?proposed=another", &[(header::COOKIE, cookie)]).await;
    assert_eq!(id(again).await, PROPOSED);
    // What cannot be an id is replaced by one.
    for query in [
        "",
        "?proposed=",
        "?proposed=a%3Bb%0D%0ASet-Cookie:x",
        "?proposed=%C3%BC",
    ] {
        let made = id(ask(&world, query, &[]).await).await;
        assert_eq!(made.len(), 26, "{made}");
        assert_ne!(id(ask(&world, query, &[]).await).await, made);
    }
    let long = format!("?proposed={}", "x".repeat(257));
    assert_eq!(id(ask(&world, &long, &[]).await).await.len(), 26);
}

async fn hosts_of_sites_read_ids_with_credentials(database: TestDatabase) {
    let world = world(database, "http://bindery.tidewater.example").await;
    let published = Published::new(&world, &["One"]).await;
    published.set_proxy(&world, "www.tidewater.example/docs").await;
    for (origin, is_of_site) in [
        ("https://manuals.sites.example", true),
        ("https://www.tidewater.example", true),
        ("https://tidewater.example", false),
        ("https://elsewhere.example", false),
        ("null", false),
    ] {
        let response = ask(&world, "?proposed=browser-1", &[(header::ORIGIN, origin)]).await;
        let allowed = of(&response, header::ACCESS_CONTROL_ALLOW_ORIGIN);
        assert_eq!(allowed, Some(if is_of_site { origin } else { "*" }));
        let credentials = of(&response, header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
        assert_eq!(credentials, is_of_site.then_some("true"), "{origin}");
        assert_eq!(of(&response, header::VARY), Some("origin"), "{origin}");
        let cookie = of(&response, header::SET_COOKIE);
        assert_eq!(cookie.is_some(), is_of_site, "{origin}");
        if let Some(cookie) = cookie {
            assert!(cookie.starts_with("__session=browser-1;"), "{cookie}");
            assert!(cookie.ends_with("SameSite=Lax"), "{cookie}");
        }
    }
}
