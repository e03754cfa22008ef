//! What visitors see of sites.

use platform::config::Flags;
use reqwest::Method;
use serde_json::json;

use crate::support::{
    adaptive::{AdaptiveSpace, PARTNER, node},
    database::{TestDatabase, on_each_database},
    pages::Reader,
    published::Published,
    texts::add,
    world::World,
};

on_each_database![
    hidden_pages_are_nowhere,
    tokens_of_visitors_are_kept_in_a_cookie,
    share_links_open_sites,
    previews_show_unpublished_sites,
    sites_that_refuse_a_visitor_are_as_none,
    redirects_after_a_token_stay_on_the_host,
];

const SIGNED: &str = "visitor.claims.partner";

async fn hidden_pages_are_nowhere(database: TestDatabase) {
    let world = World::new(database).await;
    let space = AdaptiveSpace::new(&world).await;
    space.page(&world, "Axolotls", PARTNER, "Hidden words.").await;
    let signed = space.page(&world, "Otters", SIGNED, "Signed words.").await;
    assert!(!signed.is_empty());
    let published = &space.published;
    let text = format!("{{% if {SIGNED} %}}\nFor partners.\n{{% endif %}}\n\nFor all.");
    add(&world, node(published), &[("Blocks", &text)]).await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let base = &published.address;
    let lists = [
        "",
        "blocks",
        "sitemap-pages.xml",
        "llms.txt",
        "~/search?q=otters",
        "~/search?q=words",
        "otters",
    ];

    let mut stranger = Reader::new(&world);
    for path in lists {
        let opened = stranger.get(&format!("{base}{path}")).await;
        let (_, shown) = opened.text.split_once("<main").unwrap_or(("", &opened.text));
        let shown = shown.replace("Search: <bdi>otters</bdi>", "");
        for word in [
            "Axolotls",
            "Otters",
            "axolotls",
            "/otters",
            "Signed",
            "Hidden",
            "For partners",
        ] {
            assert!(!shown.contains(word), "{path}: {word}: {shown}");
        }
        assert!(
            !opened.text.contains("Otters") && !opened.text.contains("Axolotls"),
            "{path}"
        );
    }
    assert_eq!(stranger.get(&format!("{base}otters")).await.status, 404);
    assert_eq!(stranger.get(&format!("{base}otters.md")).await.status, 404);

    let mut partner = Reader::new(&world);
    let token = published.token(&world, json!({ "partner": true })).await;
    let first = partner.get(&format!("{base}?jwt_token={token}")).await;
    assert_eq!((first.status, first.header("location")), (307, "/sites/manuals/"));
    for path in ["", "sitemap-pages.xml", "llms.txt", "~/search?q=signed"] {
        let page = partner.page(&format!("{base}{path}")).await;
        assert!(page.contains("tters"), "{path}: {page}");
        assert!(!page.contains("xolotls"), "{path}: {page}");
    }
    assert!(partner.page(&format!("{base}otters")).await.contains("Signed words."));
    assert!(
        partner
            .page(&format!("{base}otters.md"))
            .await
            .contains("Signed words.")
    );
    let blocks = partner.page(&format!("{base}blocks")).await;
    assert!(
        blocks.contains("For partners.") && blocks.contains("For all."),
        "{blocks}"
    );
}

async fn tokens_of_visitors_are_kept_in_a_cookie(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published.set(&world, json!({ "visibility": "visitor-auth" })).await;
    let base = &published.address;
    let mut reader = Reader::new(&world);
    assert_eq!(reader.get(&format!("{base}start")).await.status, 404);
    let token = published.token(&world, json!({})).await;
    let first = reader.get(&format!("{base}start?a=1&jwt_token={token}")).await;
    assert_eq!(
        (first.status, first.header("location")),
        (307, "/sites/manuals/start?a=1")
    );
    assert!(
        first.header("set-cookie").contains("; Path=/sites/manuals/;"),
        "{}",
        first.header("set-cookie")
    );
    assert_eq!(first.header("cache-control"), "no-store");
    reader.page(&format!("{base}start")).await;
    // The cookie is for paths that begin with the address of the site.
    let bare = base.trim_end_matches('/');
    let first = reader.get(&format!("{bare}?jwt_token={token}")).await;
    assert_eq!((first.status, first.header("location")), (307, "/sites/manuals/"));
    // A new key ends all visits.
    let regenerate = world.on_site(&world.admin, "regenerateSitePublishingAuthById", &published.site);
    regenerate.expect(200).await;
    assert_eq!(reader.get(&format!("{base}start")).await.status, 404);
}

async fn share_links_open_sites(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published.set(&world, json!({ "visibility": "share-link" })).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &published.site);
    let link = create.json(json!({ "name": "For all" })).expect(201).await;
    let address = link["urls"]["published"].as_str().unwrap();
    let mut reader = Reader::new(&world);
    assert_eq!(reader.get(&published.address).await.status, 404);
    let page = reader.page(address).await;
    let path = address.split_once("/sites/").unwrap().1;
    assert!(page.contains(&format!("<a href=\"/sites/{path}start\"")), "{page}");
    assert!(page.contains("<meta name=\"robots\" content=\"noindex\">"), "{page}");
    let change = world.on_site(&world.admin, "updateSiteShareLinkById", &published.site);
    let change = change.path("shareLinkId", link["id"].as_str().unwrap());
    change.json(json!({ "active": false })).expect(200).await;
    assert_eq!(reader.get(address).await.status, 404);
}

async fn previews_show_unpublished_sites(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    world
        .on_site(&world.admin, "unpublishSite", &published.site)
        .expect(200)
        .await;
    let mut reader = Reader::new(&world);
    assert_eq!(reader.get(&published.address).await.status, 404);
    let preview = world.on_site(&world.read, "getSitePublishingPreviewById", &published.site);
    let preview = preview.expect(200).await;
    let address = preview["url"].as_str().unwrap();
    let (base, _) = address.split_once("?token=").unwrap();
    assert_eq!(reader.get(base).await.status, 404);
    let first = reader.get(address).await;
    let path = base.split_once("/sites/").unwrap().1;
    assert_eq!(
        (first.status, first.header("location")),
        (307, &*format!("/sites/{path}"))
    );
    let page = reader.page(&format!("{base}start")).await;
    assert!(page.contains("Of One, for all."), "{page}");
    assert!(
        page.contains(&format!("<a href=\"/sites/{path}two/\"><bdi>Two</bdi></a>")),
        "{page}"
    );
    assert!(page.contains("<meta name=\"robots\" content=\"noindex\">"), "{page}");
    let other = reader.page(&format!("{base}two/start")).await;
    assert!(other.contains("Of Two, for all."), "{other}");
}

async fn sites_that_refuse_a_visitor_are_as_none(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published.set(&world, json!({ "visibility": "share-link" })).await;
    let base = &published.address;
    let none = base.replace("manuals", "guessed");
    let mut reader = Reader::new(&world);
    for path in [
        "",
        "start",
        "sitemap.xml",
        "robots.txt",
        "llms.txt",
        "~/search?q=one",
        "start.md",
        "~/mcp",
        "~/assets/x",
    ] {
        for method in [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::OPTIONS] {
            let refused = reader.send(method.clone(), &format!("{base}{path}"), &[]).await;
            let missing = reader.send(method.clone(), &format!("{none}{path}"), &[]).await;
            assert_eq!(refused.status, 404, "{method} {path}");
            assert_eq!(
                (refused.status, &refused.text, refused.header("content-type")),
                (missing.status, &missing.text, missing.header("content-type")),
                "{method} {path}"
            );
        }
    }
}

async fn redirects_after_a_token_stay_on_the_host(database: TestDatabase) {
    let flags = |flags: &mut Flags| flags.sites_url = Some("https://{site}.sites.example".to_owned());
    let world = World::with(database, flags).await;
    let published = Published::new(&world, &["One"]).await;
    let mut reader = Reader::new(&world);
    for path in ["/evil.example/", "//evil.example", "/%5Cevil.example"] {
        let opened = reader.get(&format!("{}{path}?jwt_token=x", published.address)).await;
        let location = opened.header("location");
        assert!(
            location.starts_with('/') && !location.starts_with("//"),
            "{path}: {location}"
        );
    }
}
