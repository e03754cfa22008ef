//! The search page of sites.

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

on_each_database![results_lead_to_pages_and_sections, bad_queries_find_nothing];

async fn results_lead_to_pages_and_sections(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    add(&world, node(&published), &[("Knots", "## Bowlines\n\nTie a capstan.")]).await;
    let mut reader = Reader::new(&world);
    let address = format!("{}~/search?q=capstan", published.address);
    let page = reader.page(&address).await;
    for part in [
        "<h1>Search: <bdi>capstan</bdi></h1>",
        "<h2><a href=\"/sites/manuals/knots\"><bdi>Knots</bdi></a></h2>",
        "<a href=\"/sites/manuals/knots#bowlines\">",
        "name=\"q\" value=\"capstan\"",
        "noindex",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let accept = [("accept", "application/json")];
    let found = reader.send(Method::GET, &address, &accept).await;
    let found: Value = serde_json::from_str(&found.text).unwrap();
    assert_eq!(
        found,
        json!({ "pages": [{ "title": "Knots", "href": "/sites/manuals/knots" }] })
    );
    // A typing error.
    let page = reader.page(&format!("{}~/search?q=capstann", published.address)).await;
    assert!(page.contains("/sites/manuals/knots"), "{page}");
}

async fn bad_queries_find_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let mut reader = Reader::new(&world);
    let long = "a".repeat(3000);
    for query in [
        "",
        "q=",
        "q=%00",
        "q=%F0%9F%98%80",
        &format!("q={long}"),
        "q=zzzz",
        "q=one&page=wrong",
    ] {
        let opened = reader.get(&format!("{}~/search?{query}", published.address)).await;
        assert!(
            [200, 400].contains(&opened.status),
            "{query}: {} {}",
            opened.status,
            opened.text
        );
        assert!(
            !opened.text.contains("<ol class=\"results\"><li>"),
            "{query}: {}",
            opened.text
        );
    }
}
