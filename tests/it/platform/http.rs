//! What holds for every request, whatever it asks for.

use std::{io::Read, net::IpAddr, time::Duration};

use flate2::bufread::GzDecoder;
use platform::{config::Flags, db::Backend};
use reqwest::{Method, Response, header::HeaderMap};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{client::Client, database::TestDatabase, service::Service};

struct Site {
    service: Service,
    client: Client,
    token: String,
}

async fn site(adjust: impl FnOnce(&mut Flags)) -> Site {
    let database = TestDatabase::new(Backend::Sqlite);
    let service = Service::start_with(database, adjust).await;
    let token = service.new_token("someone@tidewater.example").await;
    let client = Client::new(&service.base).with_token(&token);
    Site { service, client, token }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).map_or("", |value| value.to_str().unwrap())
}

/// Checks the error body, and returns its type.
async fn error_type(response: Response) -> String {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    assert_eq!(header(&headers, "content-type"), "application/json");
    let body: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    assert_eq!(body["error"]["code"], status);
    assert_eq!(body["error"]["requestId"], header(&headers, "x-request-id"));
    assert!(body["error"]["message"].is_string());
    body["error"]["type"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn refusals_of_the_framework_have_the_error_body() {
    let site = site(|_| {}).await;
    let cases = [
        ("GET", "/v1/nothing", 404, "unknown-route"),
        ("GET", "/nothing", 404, "unknown-route"),
        ("POST", "/docs/nothing", 404, "unknown-route"),
        ("DELETE", "/v1/user", 405, "method-not-allowed"),
        ("PROPFIND", "/v1/user", 405, "method-not-allowed"),
        ("POST", "/openapi.json", 405, "method-not-allowed"),
        ("GET", "/v1/orgs/%zz", 400, "malformed-path"),
        ("GET", "/v1/orgs/%ff", 400, "malformed-path"),
    ];
    for (method, path, status, kind) in cases {
        // Not by the usual client, which would mend the address.
        let answer = raw(
            &site,
            &format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        )
        .await;
        let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert_eq!(body["error"]["code"], status, "{method} {path}");
        assert_eq!(body["error"]["type"], kind, "{method} {path}");
    }
}

#[tokio::test]
async fn operations_that_are_not_offered_say_so() {
    let site = site(|_| {}).await;
    let guide = include_str!("../../../docs/not-offered.md");
    let operations = openapi::document::contract()["x-not-offered"].as_array().unwrap();
    assert_eq!(operations.len(), 78);
    for operation in operations {
        let id = operation["operationId"].as_str().unwrap();
        assert!(guide.contains(&format!("`{id}`")), "{id} is not in docs/not-offered.md");
        let method: Method = operation["method"].as_str().unwrap().to_uppercase().parse().unwrap();
        let path = operation["path"].as_str().unwrap().replace(['{', '}'], "");
        let answer = site.client.request(method, &path).send().await.unwrap();
        assert_eq!(answer.status(), 404, "{id}");
        assert_eq!(error_type(answer).await, "not-offered", "{id}");
    }
}

#[tokio::test]
async fn an_address_says_which_methods_it_has() {
    let site = site(|_| {}).await;
    for (path, allowed) in [
        ("/v1/orgs", "GET, POST, HEAD, OPTIONS"),
        ("/healthz", "GET, HEAD, OPTIONS"),
    ] {
        let refused = site.client.request(Method::PUT, path).send().await.unwrap();
        assert_eq!(header(refused.headers(), "allow"), allowed);
        assert_eq!(error_type(refused).await, "method-not-allowed");
        let options = site.client.request(Method::OPTIONS, path).send().await.unwrap();
        assert_eq!(options.status(), 204);
        assert_eq!(header(options.headers(), "allow"), allowed);
    }
}

#[tokio::test]
async fn bodies_are_plain_json_of_bounded_size() {
    let site = site(|_| {}).await;
    let post = || site.client.request(Method::POST, "/v1/user/tokens");
    let json = || post().header("content-type", "application/json");
    let refused = json()
        .header("content-encoding", "gzip")
        .body("{}")
        .send()
        .await
        .unwrap();
    assert_eq!(
        (refused.status().as_u16(), error_type(refused).await.as_str()),
        (415, "unsupported-media-type")
    );
    let refused = post().body("{}").send().await.unwrap();
    assert_eq!(
        (refused.status().as_u16(), error_type(refused).await.as_str()),
        (415, "unsupported-media-type")
    );
    let large = " ".repeat(site.service.body_limit + 1);
    let refused = json().body(large).send().await.unwrap();
    assert_eq!(
        (refused.status().as_u16(), error_type(refused).await.as_str()),
        (413, "payload-too-large")
    );
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let site = site(|_| {}).await;
    for path in ["/v1/user", "/v1/nothing", "/openapi.json", "/docs/"] {
        let get = site.client.get(path).await;
        let head = site.client.request(Method::HEAD, path).send().await.unwrap();
        assert_eq!(head.status(), get.status(), "{path}");
        for name in ["content-type", "etag", "cache-control"] {
            assert_eq!(head.headers().get(name), get.headers().get(name), "{path} {name}");
        }
        let length = header(head.headers(), "content-length").to_owned();
        assert!(head.bytes().await.unwrap().is_empty());
        // Ids of requests differ, and so may the length of an error that quotes them.
        if get.status().is_success() {
            assert_eq!(length, get.bytes().await.unwrap().len().to_string(), "{path}");
        }
    }
}

#[tokio::test]
async fn every_answer_names_its_request() {
    let site = site(|_| {}).await;
    let with = async |id: &str| {
        site.client
            .request(Method::GET, "/v1/user")
            .header("x-request-id", id)
            .send()
            .await
            .unwrap()
    };
    assert_eq!(
        header(with("from-the-client").await.headers(), "x-request-id"),
        "from-the-client"
    );
    assert_ne!(header(with("two words").await.headers(), "x-request-id"), "two words");
    let (one, other) = (site.client.get("/healthz").await, site.client.get("/healthz").await);
    assert_ne!(one.headers().get("x-request-id"), other.headers().get("x-request-id"));
}

#[tokio::test]
async fn answers_say_how_they_may_be_kept_and_who_may_read_them() {
    let site = site(|_| {}).await;
    let user = site.client.get("/v1/user").await;
    assert_eq!(header(user.headers(), "cache-control"), "private, no-cache");
    assert_eq!(header(user.headers(), "x-content-type-options"), "nosniff");
    assert_eq!(header(user.headers(), "access-control-allow-origin"), "*");
    assert!(header(user.headers(), "access-control-expose-headers").contains("X-Request-Id"));
    let token = site
        .client
        .call("createUserToken")
        .json(serde_json::json!({ "label": "new" }))
        .send()
        .await;
    token.expect(201);
    assert_eq!(header(&token.headers, "cache-control"), "no-store");
}

#[tokio::test]
async fn pages_of_other_origins_may_call() {
    let site = site(|_| {}).await;
    let preflight = site
        .client
        .request(Method::OPTIONS, "/v1/user")
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "PATCH")
        .header("access-control-request-headers", "authorization,content-type");
    let answer = preflight.send().await.unwrap();
    assert_eq!(answer.status(), 204);
    assert_eq!(header(answer.headers(), "access-control-allow-origin"), "*");
    assert!(header(answer.headers(), "access-control-allow-methods").contains("PATCH"));
    assert!(header(answer.headers(), "access-control-allow-headers").contains("Authorization"));
    assert!(answer.headers().get("access-control-allow-credentials").is_none());
}

#[tokio::test]
async fn documents_are_published_with_the_servers_address() {
    let site = site(|flags| flags.public_url = Some("https://docs.tidewater.example/base/".to_owned())).await;
    for path in ["/openapi.json", "/openapi-3.0.json"] {
        let answer = site.client.get(path).await;
        let etag = header(answer.headers(), "etag").to_owned();
        let document: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        assert_eq!(document["servers"][0]["url"], "https://docs.tidewater.example/base");
        let again = site
            .client
            .request(Method::GET, path)
            .header("if-none-match", &etag)
            .send()
            .await
            .unwrap();
        assert_eq!(again.status(), 304);
        assert_eq!(header(again.headers(), "etag"), etag);
        assert!(again.bytes().await.unwrap().is_empty());
    }
    let yaml = site.client.get("/openapi.yaml").await.text().await.unwrap();
    assert!(yaml.starts_with("openapi: 3.1.0\n"), "{}", &yaml[..100]);
}

#[tokio::test]
async fn static_pages_are_sent_compressed_as_they_are_kept() {
    let site = site(|_| {}).await;
    for path in [
        "/openapi.json",
        "/openapi.yaml",
        "/openapi-3.0.json",
        "/docs/",
        "/docs/page.js",
        "/docs/swagger-ui-bundle.js",
        "/docs/swagger-initializer.js",
        "/docs/favicon-32x32.png",
    ] {
        let get = async |coding: &str, kept: &str| {
            let request = site.client.request(Method::GET, path).header("if-none-match", kept);
            let answer = request.header("accept-encoding", coding).send().await.unwrap();
            let headers = answer.headers().clone();
            let vary: Vec<_> = headers.get_all("vary").iter().collect();
            assert_eq!(vary, ["accept-encoding"], "{path} {coding}");
            (answer.status().as_u16(), headers, answer.bytes().await.unwrap())
        };
        let (status, headers, plain) = get("identity", "").await;
        assert_eq!((status, header(&headers, "content-encoding")), (200, ""), "{path}");
        let tag = header(&headers, "etag").to_owned();

        let (status, headers, compressed) = get("gzip, deflate, br, zstd", &tag).await;
        assert_eq!((status, header(&headers, "content-encoding")), (200, "gzip"), "{path}");
        assert_eq!(
            header(&headers, "content-length"),
            compressed.len().to_string(),
            "{path}"
        );
        let mut read = Vec::new();
        GzDecoder::new(compressed.as_ref()).read_to_end(&mut read).unwrap();
        assert_eq!(read, plain, "{path}");

        let tag_of_gzip = header(&headers, "etag").to_owned();
        assert_ne!(tag_of_gzip, tag, "{path}");
        let (status, headers, body) = get("gzip", &tag_of_gzip).await;
        assert_eq!(
            (status, header(&headers, "etag")),
            (304, tag_of_gzip.as_str()),
            "{path}"
        );
        assert!(body.is_empty(), "{path}");
        assert_eq!(get("gzip;q=0", &tag).await.0, 304, "{path}");
        assert_eq!(get("gzip;q=0", &tag_of_gzip).await.0, 200, "{path}");
    }
}

#[tokio::test]
async fn large_answers_are_compressed_for_clients_that_can_read_them() {
    let site = site(|_| {}).await;
    let plain = site.client.get("/openapi.json").await.bytes().await.unwrap().len();
    for coding in ["gzip", "br", "zstd"] {
        let request = site
            .client
            .request(Method::GET, "/openapi.json")
            .header("accept-encoding", coding);
        let answer = request.send().await.unwrap();
        assert_eq!(header(answer.headers(), "content-encoding"), coding);
        assert_eq!(header(answer.headers(), "vary"), "accept-encoding");
        assert!(answer.bytes().await.unwrap().len() < plain / 3);
    }
    let small = site
        .client
        .request(Method::GET, "/v1/user")
        .header("accept-encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(header(small.headers(), "content-encoding"), "");
}

#[tokio::test]
async fn the_docs_page_is_served_from_the_program_itself() {
    let site = site(|_| {}).await;
    // The client follows the redirections.
    for path in ["/", "/docs", "/docs/"] {
        let page = site.client.get(path).await;
        assert!(page.url().path().ends_with("/docs/"), "{path}");
        assert!(header(page.headers(), "content-security-policy").contains("frame-ancestors 'none'"));
        assert!(page.text().await.unwrap().contains("swagger-ui-bundle.js"));
    }
    for (file, content_type) in [
        ("swagger-ui-bundle.js", "text/javascript"),
        ("page.js", "text/javascript"),
        ("contract.js", "text/javascript"),
        ("session.js", "text/javascript"),
        ("page.css", "text/css"),
        ("swagger-ui.css", "text/css"),
    ] {
        let answer = site.client.get(&format!("/docs/{file}")).await;
        assert_eq!(answer.status(), 200, "{file}");
        assert_eq!(header(answer.headers(), "content-type"), content_type, "{file}");
    }
}

#[tokio::test]
async fn health_and_metrics_are_told() {
    let site = site(|_| {}).await;
    assert_eq!(site.client.get("/healthz").await.status(), 200);
    assert_eq!(site.client.get("/readyz").await.status(), 200);
    site.client.call("getAuthenticatedUser").expect(200).await;
    let metrics = site.client.get("/metrics").await.text().await.unwrap();
    for line in [
        "bindery_http_requests_total{operation=\"getAuthenticatedUser\",method=\"GET\",status=\"200\"} 1\n",
        "bindery_http_request_duration_seconds_count{operation=\"getAuthenticatedUser\"} 1\n",
        "bindery_http_requests_in_flight 1\n",
    ] {
        assert!(metrics.contains(line), "{line}{metrics}");
    }
    assert!(metrics.contains("\nbindery_db_statements_total "));
    site.service.app.kernel.db.close().await.unwrap();
    assert_eq!(site.client.get("/readyz").await.status(), 503);
    assert_eq!(site.client.get("/healthz").await.status(), 200);
}

/// What a full disk, or one that has become read-only, does to each.
#[tokio::test]
async fn a_server_that_cannot_write_is_not_ready() {
    let site = site(|_| {}).await;
    let ready = async || {
        site.service.advance(chrono::TimeDelta::seconds(6));
        let answer = site.client.get("/readyz").await;
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    assert_eq!(ready().await.0, 200);
    let blobs = site.service.data().join("blobs");
    std::fs::remove_dir_all(&blobs).unwrap();
    std::fs::write(&blobs, "no directory").unwrap();
    let answer = "{\"status\":\"file store not writable\"}".to_owned();
    assert_eq!(ready().await, (503, answer));
    std::fs::remove_file(&blobs).unwrap();
    std::fs::create_dir(&blobs).unwrap();
    assert_eq!(ready().await.0, 200);

    let read_only =
        |tx: platform::db::Tx| async move { tx.execute_unprepared("PRAGMA query_only = ON").await.map(drop) };
    site.service.app.kernel.db.write(read_only).await.unwrap();
    let answer = "{\"status\":\"database not writable\"}".to_owned();
    assert_eq!(ready().await, (503, answer));
    assert_eq!(site.client.get("/healthz").await.status(), 200);
}

#[tokio::test]
async fn callers_over_the_limit_get_retry_after() {
    let site = site(|flags| flags.rate_limit = Some("3/h".to_owned())).await;
    for remaining in ["2", "1", "0"] {
        let answer = site.client.get("/v1/user").await;
        assert_eq!(answer.status(), 200);
        assert_eq!(header(answer.headers(), "x-ratelimit-limit"), "3");
        assert_eq!(header(answer.headers(), "x-ratelimit-remaining"), remaining);
        assert!(header(answer.headers(), "x-ratelimit-reset").parse::<u32>().unwrap() > 0);
    }
    let refused = site.client.get("/v1/user").await;
    assert_eq!(refused.status(), 429);
    let wait: u32 = header(refused.headers(), "retry-after").parse().unwrap();
    assert!((1100..=1200).contains(&wait), "{wait}");
    assert_eq!(error_type(refused).await, "too-many-requests");
    assert_eq!(site.client.get("/healthz").await.status(), 200);
}

#[tokio::test]
async fn a_lookup_of_an_address_counts_a_tenth() {
    let site = site(|flags| flags.rate_limit = Some("3/h".to_owned())).await;
    const LOOKUP: &str = "/v1/urls/published";
    let get = format!("{LOOKUP}?url=https://docs.tidewater.example/");
    for remaining in ["2"; 10].iter().chain(&["1"; 10]) {
        let answer = site.client.get(&get).await;
        assert_eq!(answer.status(), 404);
        assert_eq!(header(answer.headers(), "x-ratelimit-remaining"), *remaining);
    }
    for _ in 0..10 {
        let call = site.client.request(Method::POST, LOOKUP);
        let answer = call
            .json(&json!({ "url": "https://docs.tidewater.example/" }))
            .send()
            .await;
        assert_eq!(answer.unwrap().status(), 404);
    }
    assert_eq!(site.client.get(&get).await.status(), 429);
    assert_eq!(site.client.get("/v1/user").await.status(), 429);
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_given_up() {
    let site = site(|flags| flags.request_timeout = Some("200ms".to_owned())).await;
    let request = format!(
        "POST /v1/user/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{{",
        site.token
    );
    let answer = raw(&site, &request).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("\"type\":\"timeout\""), "{answer}");
}

/// The status and the body of the answer to these bytes; every answer has the error body and an id.
async fn refusal(site: &Site, request: &str) -> (u16, String) {
    let answer = raw(site, request).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
    let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"));
    let id = body["error"]["requestId"].as_str().unwrap();
    assert!(head.contains(&format!("\r\nx-request-id: {id}\r\n")), "{answer}");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(body["error"]["code"], status, "{answer}");
    (status, body["error"]["type"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn invalid_http_is_refused() {
    let site = site(|_| {}).await;
    let many = "a: b\r\n".repeat(70);
    let large = "a".repeat(40_000);
    for (request, status) in [
        (format!("GET / HTTP/1.1\r\nHost: x\r\n{many}\r\n"), 431),
        (format!("GET / HTTP/1.1\r\nHost: x\r\na: {large}\r\n\r\n"), 431),
        ("GET / HTTP/1.1\r\nbad header: x\r\n\r\n".to_owned(), 400),
        ("nonsense\r\n\r\n".to_owned(), 400),
    ] {
        let short: String = request.chars().take(60).collect();
        let answer = raw(&site, &request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{short}: {answer}");
    }
}

/// The status and the type of a refusal; it has the error body and an id.
async fn http2_refusal(mut answer: poem::http::Response<h2::RecvStream>) -> (u16, String) {
    let status = answer.status().as_u16();
    let id = answer.headers().get("x-request-id").unwrap().clone();
    let body = answer.body_mut().data().await.unwrap().unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["error"]["code"], status);
    assert_eq!(body["error"]["requestId"], id.to_str().unwrap());
    (status, body["error"]["type"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn the_size_of_headers_is_limited_on_http2_too() {
    let site = site(|_| {}).await;
    let address = site.service.base.strip_prefix("http://").unwrap();
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = h2::client::handshake(stream).await.unwrap();
    let driver = tokio::spawn(connection);
    let long = |bytes| "x".repeat(bytes);
    // Headers with one value each, and the path.
    for (values, path) in [
        (vec![long(33_000)], 0),
        (vec![long(1_000); 40], 0),
        // With what HTTP/2 counts for each header.
        (vec![String::new(); 1_000], 0),
        (vec![long(20_000)], 20_000),
    ] {
        sender = sender.ready().await.unwrap();
        let mut request = poem::http::Request::builder().uri(format!("{}/healthz?{}", site.service.base, long(path)));
        for (number, value) in values.iter().enumerate() {
            request = request.header(format!("h-{number}"), value);
        }
        let (answer, _) = sender.send_request(request.body(()).unwrap(), true).unwrap();
        let what = format!("{} headers, a path of {path}", values.len());
        assert_eq!(answer.await.unwrap().status(), 431, "{what}");
    }
    sender = sender.ready().await.unwrap();
    let request = poem::http::Request::get(format!("{}/healthz", site.service.base)).header("h", long(30_000));
    let (answer, _) = sender.send_request(request.body(()).unwrap(), true).unwrap();
    assert_eq!(answer.await.unwrap().status(), 200);
    driver.abort();
}

/// Requests whose bodies do not come.
#[tokio::test]
async fn requests_at_once_are_bounded() {
    let database = TestDatabase::new(Backend::Sqlite);
    let service = Service::start_limited(database, |limits| {
        limits.requests_per_address = 8;
        limits.times.receive = Duration::from_secs(60);
    })
    .await;
    let token = service.new_token("someone@tidewater.example").await;
    let address = service.base.strip_prefix("http://").unwrap();
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = h2::client::handshake(stream).await.unwrap();
    let driver = tokio::spawn(connection);
    let mut streams = Vec::new();
    for _ in 0..12 {
        sender = sender.ready().await.unwrap();
        let request = poem::http::Request::post(format!("{}/v1/user/tokens", service.base))
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json");
        streams.push(sender.send_request(request.body(()).unwrap(), false).unwrap());
    }
    // Later requests are refused at once.
    for (answer, _) in streams.drain(8..) {
        let answer = answer.await.unwrap();
        assert_eq!(answer.headers()["retry-after"], "1");
        assert_eq!(http2_refusal(answer).await, (503, "overloaded".to_owned()));
    }
    let here = Client::new(&service.base).with_token(&token);
    assert_eq!(here.get("/v1/user").await.status(), 503);
    let elsewhere = reqwest::Client::builder().local_address(IpAddr::from([127, 0, 0, 2]));
    let elsewhere = elsewhere.build().unwrap().get(format!("{}/healthz", service.base));
    assert_eq!(elsewhere.send().await.unwrap().status(), 200);
    // The first have been taken in, and are answered when their bodies come.
    for (answer, mut body) in streams.drain(..3) {
        body.send_data("{\"label\": \"x\"}".into(), true).unwrap();
        assert_eq!(answer.await.unwrap().status(), 201);
    }
    assert_eq!(here.get("/v1/user").await.status(), 200);
    driver.abort();
}

#[tokio::test]
async fn forbidden_heads_are_refused_before_the_body() {
    let site = site(|_| {}).await;
    let post = |headers: &str| {
        format!(
            "POST /v1/user/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nConnection: close\r\n{headers}\r\n",
            site.token
        )
    };
    let large = site.service.body_limit + 1;
    for (headers, status, kind) in [
        (
            format!("Content-Length: {large}\r\nExpect: 100-continue\r\n"),
            413,
            "payload-too-large",
        ),
        (
            "Content-Length: 2\r\nExpect: a-miracle\r\n".to_owned(),
            417,
            "expectation-failed",
        ),
        (
            "Content-Length: 2\r\nContent-Encoding: identity\r\nContent-Encoding: gzip\r\n".to_owned(),
            415,
            "unsupported-media-type",
        ),
        (
            "Content-Length: 2\r\nContent-Encoding: identity, br\r\n".to_owned(),
            415,
            "unsupported-media-type",
        ),
    ] {
        // No body follows: whoever waits for it waits for the limit of the whole request.
        let answer = refusal(&site, &post(&headers)).await;
        assert_eq!(answer, (status, kind.to_owned()), "{headers}");
    }
    // The caller who sends it all the same gets to read the answer.
    let announced = post(&format!("Content-Length: {large}\r\n")) + &" ".repeat(large);
    assert_eq!(refusal(&site, &announced).await.0, 413);
    let plain = post("Content-Length: 2\r\nContent-Encoding: Identity\r\n") + "{}";
    assert_eq!(refusal(&site, &plain).await.0, 400);
}

#[tokio::test]
async fn a_refused_body_does_not_end_the_connection() {
    let site = site(|_| {}).await;
    let address = site.service.base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    for (token, status) in [("bnd_unknown", 401), (site.token.as_str(), 404)] {
        let head = format!(
            "POST /v1/spaces/none/change-requests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        assert_eq!(next_status(&mut stream).await, status);
        // It was on its way when the answer was.
        stream.write_all(&[b' '; 1000]).await.unwrap();
    }
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(next_status(&mut stream).await, 200);
}

/// Reads one answer, whose length is announced.
async fn next_status(stream: &mut TcpStream) -> u16 {
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).await.unwrap();
        answer.extend(byte);
    }
    let head = String::from_utf8(answer).unwrap().to_lowercase();
    let length = head
        .split("content-length: ")
        .nth(1)
        .and_then(|rest| rest.split("\r\n").next());
    let mut body = vec![0; length.unwrap().parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    head.split(' ').nth(1).unwrap().parse().unwrap()
}

/// What the server answers to these bytes.
async fn raw(site: &Site, request: &str) -> String {
    let address = site.service.base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}
