//! Operations of specifications on pages of sites, which readers can call.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    adaptive::node,
    database::{TestDatabase, on_each_database},
    pages::Reader,
    published::Published,
    texts::add,
    world::World,
};

on_each_database![
    pages_may_call_the_servers_of_their_operations,
    addresses_of_servers_add_nothing_else_to_the_policy,
];

const OPERATION: &str =
    "{% openapi-operation spec=\"tides\" path=\"/tides\" method=\"get\" %}\n{% endopenapi-operation %}\n";

fn document(servers: &[&str]) -> Value {
    let servers: Vec<Value> = servers.iter().map(|url| json!({ "url": url })).collect();
    let get = json!({ "responses": { "200": { "description": "The tides." } } });
    json!({ "openapi": "3.1.0", "info": { "title": "Tides", "version": "1" }, "servers": servers,
        "paths": { "/tides": { "get": get } } })
}

/// What scripts of a page may connect to.
fn connections(policy: &str) -> &str {
    let mut directives = policy.split("; ");
    directives
        .find_map(|directive| directive.strip_prefix("connect-src "))
        .unwrap()
}

async fn pages_may_call_the_servers_of_their_operations(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let servers = ["https://api.tidewater.example/v1", "http://localhost:8080"];
    world.process_document("tides", &document(&servers)).await;
    let texts = [("Tides", OPERATION), ("Plain", "Words.")];
    add(&world, node(&published), &texts).await;
    let mut reader = Reader::new(&world);
    let address = format!("{}tides", published.address);
    let allowed = "'self' https://api.tidewater.example http://localhost:8080";
    // Twice: pages may be kept.
    for _ in 0..2 {
        let page = reader.get(&address).await;
        assert!(page.text.contains("data-path=\"/tides\""), "{}", page.text);
        assert_eq!(connections(page.header("content-security-policy")), allowed);
        let kept = [("if-none-match", page.header("etag"))];
        let again = reader.send(Method::GET, &address, &kept).await;
        assert_eq!(again.status, 304);
        assert_eq!(connections(again.header("content-security-policy")), allowed);
    }
    for other in ["plain", "~/search?q=tides", "nowhere"] {
        let page = reader.get(&format!("{}{other}", published.address)).await;
        assert_eq!(connections(page.header("content-security-policy")), "'self'", "{other}");
    }
}

async fn addresses_of_servers_add_nothing_else_to_the_policy(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let hostile = [
        "https://x;script-src 'unsafe-inline'",
        "https://x;sandbox/",
        "https://*",
        "https://x, default-src *",
        "javascript:alert(1)",
        "https://tidewater.example/;script-src *",
    ];
    world.process_document("tides", &document(&hostile)).await;
    add(&world, node(&published), &[("Tides", OPERATION), ("Plain", "Words.")]).await;
    let mut reader = Reader::new(&world);
    let page = reader.get(&format!("{}tides", published.address)).await;
    let plain = reader.get(&format!("{}plain", published.address)).await;
    let policy = page.header("content-security-policy");
    assert_eq!(connections(policy), "'self' https://tidewater.example");
    let same = policy.replace(" https://tidewater.example", "");
    assert_eq!(same, plain.header("content-security-policy"));
}
