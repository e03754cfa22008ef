//! What programs read of sites.

use reqwest::Method;
use serde_json::json;

use crate::support::{
    adaptive::node,
    database::{TestDatabase, on_each_database},
    pages::Reader,
    published::Published,
    texts::{add, write},
    world::World,
};

on_each_database![
    pages_are_markdown_for_programs,
    sitemaps_list_the_pages_that_search_engines_may_list,
    robots_are_sent_away_from_unlisted_sites,
    lists_for_language_models_have_titles_and_descriptions,
    all_pages_are_one_text_in_parts,
];

async fn pages_are_markdown_for_programs(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    add(&world, node(&published), &[("Knots", "A **bowline**.")]).await;
    let mut reader = Reader::new(&world);
    let address = format!("{}knots", published.address);
    let file = reader.get(&format!("{address}.md")).await;
    assert_eq!(
        (file.status, file.header("content-type")),
        (200, "text/markdown; charset=utf-8")
    );
    assert!(file.text.contains("# Knots\n\nA **bowline**."), "{}", file.text);
    let accept = [("accept", "text/markdown, text/plain;q=0.5")];
    let negotiated = reader.send(Method::GET, &address, &accept).await;
    assert_eq!(negotiated.text, file.text);
    assert!(negotiated.header("vary").contains("accept"));
    let browser = [("accept", "text/html, text/markdown;q=0.5")];
    let page = reader.send(Method::GET, &address, &browser).await;
    assert!(page.text.starts_with("<!DOCTYPE html>"), "{}", page.text);
}

async fn sitemaps_list_the_pages_that_search_engines_may_list(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let page = |title: &str, members: serde_json::Value| {
        let mut change =
            json!({ "operation": "insert_page", "title": title, "ref": title, "document": { "markdown": "Words." } });
        change
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        change
    };
    let changes = vec![
        page("Open", json!({})),
        page("Hidden", json!({ "hidden": true })),
        page("Unlisted", json!({ "noRobotsIndex": true })),
    ];
    write(&world, node(&published), changes).await;
    let mut reader = Reader::new(&world);
    let base = &published.address;
    let index = reader.get(&format!("{base}sitemap.xml")).await;
    assert_eq!(
        (index.status, index.header("content-type")),
        (200, "application/xml; charset=utf-8")
    );
    for path in ["sitemap-pages.xml", "two/sitemap-pages.xml"] {
        assert!(
            index.text.contains(&format!("<loc>{base}{path}</loc>")),
            "{}",
            index.text
        );
    }
    let pages = reader.page(&format!("{base}sitemap-pages.xml")).await;
    assert!(pages.contains(&format!("<loc>{base}open</loc><lastmod>")), "{pages}");
    assert!(!pages.contains("hidden") && !pages.contains("unlisted"), "{pages}");
    // Readers of their addresses see them.
    assert!(reader.page(&format!("{base}hidden")).await.contains("noindex"));
    assert!(reader.page(&format!("{base}unlisted")).await.contains("noindex"));
    assert!(!reader.page(&format!("{base}open")).await.contains("noindex"));
}

async fn robots_are_sent_away_from_unlisted_sites(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let base = &published.address;
    let mut reader = Reader::new(&world);
    let robots = reader.page(&format!("{base}robots.txt")).await;
    assert_eq!(
        robots,
        format!(
            "User-agent: *\nDisallow: /sites/manuals/~/\nDisallow: /sites/manuals/*.pdf$\nSitemap: {base}sitemap.xml\n"
        )
    );
    published.set(&world, json!({ "visibility": "unlisted" })).await;
    let robots = reader.page(&format!("{base}robots.txt")).await;
    assert_eq!(robots, "User-agent: *\nDisallow: /\n");
    assert!(!reader.page(&format!("{base}sitemap.xml")).await.contains("<loc>"));
    assert!(!reader.page(&format!("{base}sitemap-pages.xml")).await.contains("<loc>"));
    assert!(reader.page(base).await.contains("noindex"));
    for path in ["", "llms.txt", "start.md"] {
        let opened = reader.get(&format!("{base}{path}")).await;
        assert_eq!(opened.header("x-robots-tag"), "noindex", "{path}");
    }
}

async fn lists_for_language_models_have_titles_and_descriptions(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let change = json!({ "operation": "insert_page", "title": "Knots [all]", "ref": "x", "description": "How to tie",
        "document": { "markdown": "Words." } });
    write(&world, node(&published), vec![change]).await;
    let base = &published.address;
    let list = Reader::new(&world).get(&format!("{base}llms.txt")).await;
    assert_eq!(list.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(
        list.text,
        format!(
            "# One\n\n- [Untitled]({base}untitled.md)\n- [Start]({base}start.md)\n- [Knots \\[all\\]]({base}knots-all.md): How to tie\n"
        )
    );
}

async fn all_pages_are_one_text_in_parts(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let pages: Vec<String> = (0..30).map(|page| format!("Page {page}")).collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|page| (page.as_str(), "Words.")).collect();
    add(&world, node(&published), &pages).await;
    let base = &published.address;
    let mut reader = Reader::new(&world);
    let first = reader.page(&format!("{base}llms-full.txt")).await;
    let (text, next) = first.rsplit_once("Next: ").unwrap();
    assert_eq!(next.trim_end(), format!("{base}llms-full.txt?page=2"));
    assert!(text.contains("# Page 0\n\nWords.\n"), "{text}");
    let second = reader.page(next.trim_end()).await;
    assert!(second.contains("# Page 29") && !second.contains("Next:"), "{second}");
    for part in ["0", "x", "99999999999999999999", "4000000000"] {
        reader.page(&format!("{base}llms-full.txt?page={part}")).await;
    }
}
