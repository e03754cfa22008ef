//! Pages in other forms, and in the language of the reader.

use reqwest::Method;
use serde_json::json;

use crate::support::{
    adaptive::node,
    database::{TestDatabase, on_each_database},
    git::{Repository, import, succeeded},
    pages::Reader,
    pdf::make,
    published::{Published, id},
    texts::add,
    world::World,
};

on_each_database![
    pages_and_spaces_are_there_as_pdf,
    sites_may_offer_no_pdf,
    updates_of_a_page_are_a_feed,
    pages_link_to_their_files_in_the_repository,
    readers_get_the_variant_in_their_language,
];

async fn pages_and_spaces_are_there_as_pdf(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    add(&world, node(&published), &[("Moorings", "Use two of them.")]).await;
    let mut reader = Reader::new(&world);
    let page = reader.page(&format!("{}moorings", published.address)).await;
    for (path, title) in [("moorings.pdf", "PDF"), ("all-pages.pdf", "PDF of all pages")] {
        let link = format!("<a href=\"/sites/manuals/{path}\" type=\"application/pdf\" rel=\"nofollow\">{title}</a>");
        assert!(page.contains(&link), "{link}: {page}");
        let address = format!("{}{path}", published.address);
        let waiting = reader.get(&address).await;
        assert_eq!((waiting.status, waiting.header("refresh")), (202, "3"), "{path}");
        assert!(waiting.text.contains("The PDF is being made."), "{}", waiting.text);
        assert_eq!(make(world.app()).await, 1);
        let ready = reader.get(&address).await;
        assert_eq!(ready.status, 307, "{path}");
        let pdf = reader
            .get(&format!("{}{}", world.service.base, ready.header("location")))
            .await;
        assert_eq!((pdf.status, pdf.header("content-type")), (200, "application/pdf"));
    }
    for path in ["nothing.pdf", "start/all-pages.pdf", ".pdf"] {
        let missing = reader.get(&format!("{}{path}", published.address)).await;
        assert_eq!(missing.status, 404, "{path}");
    }
}

async fn sites_may_offer_no_pdf(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let change = world.on_site(&world.admin, "updateSiteCustomizationById", &published.site);
    let mut settings = world
        .on_site(&world.admin, "getSiteCustomizationById", &published.site)
        .expect(200)
        .await;
    settings["pageActions"]["items"] = json!(["markdown"]);
    settings["pdf"]["enabled"] = json!(false);
    change.json(settings).expect(200).await;
    let mut reader = Reader::new(&world);
    let page = reader.page(&published.address).await;
    assert!(page.contains(">Markdown</a>") && !page.contains(".pdf"), "{page}");
    let refused = reader.get(&format!("{}start.pdf", published.address)).await;
    assert_eq!(refused.status, 404);
}

async fn updates_of_a_page_are_a_feed(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let text = &"{% updates format=\"full\" %}\n{% update date=\"2026-11-02\" %}\n## Version <4> & more\n\nIt is *here*.\n{% endupdate %}\n\n\
        {% update date=\"2026-10-01\" %}\nOlder [news](ADDRESSplain).\n{% endupdate %}\n{% endupdates %}".replace("ADDRESS", &published.address);
    add(&world, node(&published), &[("Changes", text), ("Plain", "No news.")]).await;
    let mut reader = Reader::new(&world);
    let page = reader.page(&format!("{}changes", published.address)).await;
    let link = "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/sites/manuals/changes/rss.xml\">";
    assert!(page.contains(link), "{page}");
    let feed = reader.get(&format!("{}changes/rss.xml", published.address)).await;
    assert_eq!(
        (feed.status, feed.header("content-type")),
        (200, "application/rss+xml; charset=utf-8")
    );
    for part in [
        "<channel><title>Changes</title>".to_owned(),
        "<item><title>Version &lt;4&gt; &amp; more</title>".to_owned(),
        format!("<guid>{}changes#2026-11-02</guid>", published.address),
        "<pubDate>Mon, 2 Nov 2026 00:00:00 +0000</pubDate>".to_owned(),
        "It is &lt;em&gt;here&lt;/em&gt;.".to_owned(),
        "<item><title>2026-10-01</title>".to_owned(),
        format!("&lt;a href=&quot;{}plain&quot;&gt;news", published.address),
    ] {
        assert!(feed.text.contains(&part), "{part}: {}", feed.text);
    }
    for path in ["plain/rss.xml", "nothing/rss.xml", "rss.xml"] {
        let missing = reader.get(&format!("{}{path}", published.address)).await;
        assert_eq!(missing.status, 404, "{path}");
    }
}

async fn readers_get_the_variant_in_their_language(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Zwei", "Trois"]).await;
    for (space, language) in published.spaces.iter().zip(["en", "de", "fr"]) {
        let update = world.admin.client.call("updateSpaceById").path("spaceId", id(space));
        update.json(json!({ "language": language })).expect(200).await;
    }
    let mut reader = Reader::new(&world);
    let address = published.address.clone();
    let mut opened = async |accepted: &str, from: &str, path: &str| {
        let headers = [("accept-language", accepted), ("sec-fetch-site", from)];
        let answer = reader.send(Method::GET, &format!("{address}{path}"), &headers).await;
        (answer.status, answer.header("location").to_owned())
    };
    let german = (307, "/sites/manuals/zwei/".to_owned());
    let with_query = (307, "/sites/manuals/zwei/?a=1".to_owned());
    let here = (200, String::new());
    for (accepted, from, path, expected) in [
        ("de-AT,de;q=0.9,en;q=0.8", "none", "", &german),
        ("de", "none", "?a=1", &with_query),
        ("fr;q=0.5, DE;q=0.7, x;q=9e9999", "cross-site", "", &german),
        ("en-GB,de;q=0.9", "none", "", &here),
        ("nl,*;q=0.1", "none", "", &here),
        ("de;q=0", "none", "", &here),
        (",;;q=,=", "none", "", &here),
        // The reader has chosen within the site, or opens a page.
        ("de", "same-origin", "", &here),
        ("de", "none", "start", &here),
    ] {
        assert_eq!(
            &opened(accepted, from, path).await,
            expected,
            "{accepted} {from} {path}"
        );
    }
    // Browsers say less of where the reader comes from to addresses without TLS.
    let within = [("accept-language", "de"), ("referer", &*published.address)];
    assert_eq!(reader.send(Method::GET, &published.address, &within).await.status, 200);
}

async fn pages_link_to_their_files_in_the_repository(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let repository = Repository::of(&[("docs/README.md", "# Grip\n"), ("docs/care & use.md", "# Care\n")]);
    let tree =
        json!({ "force": true, "repoProjectDirectory": "docs", "repoTreeURL": "https://git.example/a/b/tree/main" });
    succeeded(&import(&world, node(&published), &repository, tree).await);
    let link = "<a href=\"https://git.example/a/b/edit/main/docs/care%20&amp;%20use.md\"";
    let mut reader = Reader::new(&world);
    let address = format!("{}care-and-use", published.address);
    assert!(!reader.page(&address).await.contains(link));
    let mut settings = world
        .on_site(&world.admin, "getSiteCustomizationById", &published.site)
        .expect(200)
        .await;
    settings["git"]["showEditLink"] = json!(true);
    settings["pageActions"]["items"] = json!(["git"]);
    let change = world.on_site(&world.admin, "updateSiteCustomizationById", &published.site);
    change.json(settings).expect(200).await;
    let page = reader.page(&address).await;
    assert!(page.contains(link) && page.contains(">Edit this page</a>"), "{page}");
}
