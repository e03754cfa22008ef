//! What pages of the web say about themselves, read from servers on this machine.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::timeout,
};

use crate::support::{
    adaptive::node,
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    jobs::PATIENCE,
    pages::Reader,
    published::{Published, find, visitor},
    texts::add,
    world::World,
};

on_each_database![
    pages_describe_themselves,
    targets_other_than_pages_are_links,
    only_frames_of_other_sites_are_shown,
    a_page_is_read_once,
    addresses_inside_are_not_fetched,
    visitors_of_a_site_see_embeds_of_its_spaces,
    pages_of_sites_get_the_titles_of_embeds,
];

const HTML: &str = "200 OK\r\nContent-Type: text/html; charset=utf-8";
const JSON: &str = "200 OK\r\nContent-Type: application/json";

/// A site with these pages: the path, the beginning of the response, and its body, in which `{site}` is the address of the site.
struct Site {
    address: String,
    /// The paths that were asked for.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    async fn new(pages: &[(&str, &str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let pages: HashMap<String, (String, String)> = pages
            .iter()
            .map(|(path, head, body)| {
                let body = body.replace("{site}", &address);
                (String::from(*path), (String::from(*head), body))
            })
            .collect();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = vec![0; 4096];
                let read = stream.read(&mut request).await.unwrap_or_default();
                let request = String::from_utf8_lossy(&request[..read]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let missing = ("404 Not Found".to_owned(), String::new());
                let (head, body) = pages.get(&path).unwrap_or(&missing);
                log.lock().unwrap().push(path);
                let length = body.len();
                let response =
                    format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
                // Whoever asked may have read enough.
                let _ = stream.write_all(response.as_bytes()).await;
            }
        });
        Self { address, asked }
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

async fn world(database: TestDatabase) -> World {
    World::with(database, |flags| {
        flags.allow_private_addresses = Some("127.0.0.1".to_owned())
    })
    .await
}

fn embed<'a>(client: &'a Client, url: &str) -> Call<'a> {
    client.call("getEmbedByUrl").query("url", url)
}

async fn pages_describe_themselves(database: TestDatabase) {
    let world = world(database).await;
    let oembed = r#"{"type": "video", "version": "1.0", "title": "Fingers", "provider_name": "Tidewater Videos",
        "html": "<iframe src='https://player.example/7?a=1&amp;b=2' width='640' height='360'></iframe><script>alert(1)</script>"}"#;
    let site = Site::new(&[
        (
            "/watch/7",
            HTML,
            "<title>Watch</title><link rel=icon href=/icon.png>\
             <link rel=alternate type=application/json+oembed href='{site}/oembed?id=7'>",
        ),
        ("/oembed?id=7", JSON, oembed),
        (
            "/plain",
            HTML,
            "<meta property=og:title content='Grippers &amp; fingers'><meta property=og:site_name content=Tidewater>",
        ),
        ("/moved", "302 Found\r\nLocation: /plain", ""),
        (
            "/broken",
            HTML,
            "<title>Broken</title><link rel=alternate type=application/json+oembed href=/none>",
        ),
    ])
    .await;
    let client = &world.admin.client;
    let rich = embed(client, &site.at("/watch/7")).expect(200).await;
    assert_eq!(rich["icon"], site.at("/icon.png"));
    let html = rich["html"].as_str().unwrap();
    assert!(
        html.starts_with(
            "<iframe src=\"https://player.example/7?a=1&amp;b=2\" title=\"Fingers\" width=\"640\" height=\"360\" "
        ),
        "{html}"
    );
    assert!(!html.contains("script>"), "{html}");
    assert_eq!(
        (&rich["type"], &rich["title"], &rich["site"]),
        (&json!("rich"), &json!("Fingers"), &json!("Tidewater Videos"))
    );

    let link = json!({ "type": "link", "title": "Grippers & fingers", "site": "Tidewater" });
    for path in ["/plain", "/moved", "/plain#part"] {
        assert_eq!(embed(client, &site.at(path)).expect(200).await, link, "{path}");
    }
    let in_space = client.call("getEmbedByUrlInSpace").space(world.space);
    assert_eq!(in_space.query("url", site.at("/plain")).expect(200).await, link);
    let broken = embed(client, &site.at("/broken")).expect(200).await;
    assert_eq!(
        broken,
        json!({ "type": "link", "title": "Broken", "site": "127.0.0.1" })
    );
}

async fn targets_other_than_pages_are_links(database: TestDatabase) {
    let world = world(database).await;
    let large = format!("<title>Large</title>{}", "<p>text ".repeat(500_000));
    let site = Site::new(&[
        (
            "/document.pdf",
            "200 OK\r\nContent-Type: application/pdf",
            "<title>No title</title>",
        ),
        ("/large", HTML, &large),
        ("/around", "302 Found\r\nLocation: /around", ""),
        (
            "/error",
            "500 Internal Server Error\r\nContent-Type: text/html",
            "<title>No title</title>",
        ),
        ("/empty", HTML, ""),
    ])
    .await;
    for path in ["/document.pdf", "/around", "/error", "/empty", "/missing"] {
        let found = embed(&world.admin.client, &site.at(path)).expect(200).await;
        assert_eq!(
            found,
            json!({ "type": "link", "title": format!("127.0.0.1{path}"), "site": "127.0.0.1" })
        );
    }
    assert_eq!(
        embed(&world.admin.client, &site.at("/large")).expect(200).await["title"],
        "Large"
    );
    let closed = embed(&world.admin.client, "http://127.0.0.1:1/page").expect(200).await;
    assert_eq!(closed["title"], "127.0.0.1/page");
}

async fn only_frames_of_other_sites_are_shown(database: TestDatabase) {
    let world = world(database).await;
    let page = |number: usize| format!("<link rel=alternate type=application/json+oembed href=/oembed/{number}>");
    let frames = [
        // The address of this server.
        "<iframe src='https://127.0.0.1/v1/user'></iframe>",
        "<iframe src='javascript:alert(1)'></iframe>",
        "<iframe src='http://player.example/'></iframe>",
        "<script src='https://player.example/x.js'></script>",
    ];
    let mut pages = Vec::new();
    for (number, frame) in frames.iter().enumerate() {
        let oembed = json!({ "type": "rich", "title": "Title", "html": frame }).to_string();
        pages.push((format!("/{number}"), HTML, page(number)));
        pages.push((format!("/oembed/{number}"), JSON, oembed));
    }
    let pages: Vec<_> = pages
        .iter()
        .map(|(path, head, body)| (path.as_str(), *head, body.as_str()))
        .collect();
    let site = Site::new(&pages).await;
    for (number, frame) in frames.iter().enumerate() {
        let found = embed(&world.admin.client, &site.at(&format!("/{number}")))
            .expect(200)
            .await;
        assert_eq!(
            (&found["type"], &found["title"]),
            (&json!("link"), &json!("Title")),
            "{frame}"
        );
    }
}

async fn a_page_is_read_once(database: TestDatabase) {
    let world = world(database).await;
    let site = Site::new(&[("/page", HTML, "<title>Page</title>")]).await;
    let url = site.at("/page");
    let calls = (0..4).map(|_| embed(&world.admin.client, &url).expect(200));
    let found: Vec<Value> = futures_util::future::join_all(calls).await;
    assert!(found.iter().all(|embed| embed["title"] == "Page"));
    let in_space = world
        .stranger
        .client
        .call("getEmbedByUrl")
        .query("url", format!("{url}#part"));
    in_space.expect(200).await;
    assert_eq!(*site.asked.lock().unwrap(), ["/page"]);
}

async fn addresses_inside_are_not_fetched(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Site::new(&[("/inside", HTML, "<title>Inside</title>")]).await;
    let inside = site.at("/inside");
    for (url, title) in [
        (inside.as_str(), "127.0.0.1/inside"),
        ("http://localhost/", "localhost"),
        (
            "http://169.254.169.254/latest/meta-data",
            "169.254.169.254/latest/meta-data",
        ),
        ("http://[::1]/", "[::1]"),
        ("http://[::ffff:10.0.0.1]/", "[::ffff:a00:1]"),
        ("http://2130706433/", "127.0.0.1"),
        ("https://user:password@tidewater.example/", "tidewater.example"),
        ("ftp://tidewater.example/", "tidewater.example"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("javascript:alert(1)", "javascript:alert(1)"),
    ] {
        let found = embed(&world.admin.client, url).expect(200).await;
        assert_eq!(
            (&found["type"], &found["title"]),
            (&json!("link"), &json!(title)),
            "{url}"
        );
    }
    let refused = embed(&world.admin.client, "http://").expect(400).await;
    assert_eq!(refused["error"]["details"][0]["pointer"], "/query/url");
    assert!(site.asked.lock().unwrap().is_empty());
}

async fn visitors_of_a_site_see_embeds_of_its_spaces(database: TestDatabase) {
    let world = world(database).await;
    let published = Published::new(&world, &["One"]).await;
    let found = find(&world, &published.address).await;
    let client = visitor(&world, &found);
    let site = Site::new(&[("/page", HTML, "<title>Page</title>")]).await;
    let call = client
        .call("getEmbedByUrlInSpace")
        .path("spaceId", found["space"].as_str().unwrap());
    assert_eq!(call.query("url", site.at("/page")).expect(200).await["title"], "Page");
    let elsewhere = client
        .call("getEmbedByUrlInSpace")
        .space(world.space)
        .query("url", site.at("/page"));
    elsewhere.expect(404).await;
    embed(&client, &site.at("/page")).expect(401).await;
}

async fn pages_of_sites_get_the_titles_of_embeds(database: TestDatabase) {
    let world = world(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site = Site::new(&[("/page", HTML, "<title>Capstans &lt;b&gt;</title>")]).await;
    let text = format!("{{% embed url=\"{}\" %}}", site.at("/page"));
    add(&world, node(&published), &[("Videos", &text)]).await;
    let mut reader = Reader::new(&world);
    let address = format!("{}videos", published.address);
    let first = reader.page(&address).await;
    assert!(first.contains("<strong>127.0.0.1"), "{first}");
    let later = async {
        while !reader
            .page(&address)
            .await
            .contains("<strong>Capstans &lt;b&gt;</strong>")
        {}
    };
    timeout(PATIENCE, later).await.unwrap();
}
