//! Texts that look like HTML, wherever people can write them.

use serde_json::json;

use crate::support::{
    adaptive::node,
    database::{TestDatabase, on_each_database},
    pages::Reader,
    published::Published,
    texts::{insert, write},
    world::World,
};

use super::pages::customize;

on_each_database![
    texts_never_become_markup,
    addresses_that_browsers_run_are_no_links,
    long_tables_of_contents_are_whole
];

const SCRIPT: &str = "<script>alert(1)</script>\"><img src=x onerror=alert(1)>";

async fn texts_never_become_markup(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    customize(&world, &published, |settings| {
        settings["title"] = json!(SCRIPT);
        settings["header"]["links"] = json!([{ "title": SCRIPT, "to": { "kind": "url", "url": "https://tidewater.example/" },
            "links": [{ "title": SCRIPT, "to": { "kind": "url", "url": "https://tidewater.example/?\"><script>" } }] }]);
        settings["footer"]["copyright"] = json!(SCRIPT);
        settings["footer"]["groups"] = json!([{ "title": SCRIPT, "links": [] }]);
        settings["announcement"] = json!({ "enabled": true, "message": SCRIPT, "style": "info" });
    })
    .await;
    let page = json!({ "operation": "insert_page", "title": SCRIPT, "ref": "x", "description": SCRIPT, "slug": "hostile",
        "document": { "markdown": format!("# {SCRIPT}\n\n{SCRIPT}\n\n```html\n{SCRIPT}\n```\n") } });
    write(&world, node(&published), vec![page]).await;
    let base = &published.address;
    let mut reader = Reader::new(&world);
    let query = url::form_urlencoded::byte_serialize(SCRIPT.as_bytes()).collect::<String>();
    for path in [
        "hostile",
        "",
        "nowhere",
        &format!("~/search?q={query}"),
        "sitemap-pages.xml",
    ] {
        let opened = reader.get(&format!("{base}{path}")).await;
        assert!(
            !opened.text.contains("<script>") && !opened.text.contains("<img"),
            "{path}: {}",
            opened.text
        );
        assert_eq!(
            opened.text.matches("<script").count(),
            opened.text.matches("<script type=\"module\" src=").count()
        );
    }
}

async fn addresses_that_browsers_run_are_no_links(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let text = "[one](javascript:alert(1)) [two](data:text/html,x) <a href=\"javascript:alert(1)\">three</a> ![four](javascript:alert(1))";
    write(&world, node(&published), vec![insert("Links", text)]).await;
    let page = Reader::new(&world).page(&format!("{}links", published.address)).await;
    let (_, main) = page.split_once("<div class=\"text\">").unwrap();
    assert!(!main.contains("=\"javascript:") && !main.contains("=\"data:"), "{main}");
    assert!(main.contains("one") && main.contains("two"), "{main}");
}

async fn long_tables_of_contents_are_whole(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    for part in 0..4 {
        let pages = (0..50).map(|page| insert(&format!("Page {part} {page}"), "Words."));
        write(&world, node(&published), pages.collect()).await;
    }
    let mut reader = Reader::new(&world);
    let page = reader.page(&format!("{}page-3-49", published.address)).await;
    assert_eq!(
        page.matches("<a href=\"/sites/manuals/page-").count(),
        203,
        "links to all pages, to the one before, and to the page as Markdown and as PDF"
    );
    assert!(page.contains("<a href=\"/sites/manuals/page-3-49\" aria-current=\"page\">"));
}
