//! The hosts at which sites are shown.

use platform::config::Flags;

use crate::support::{
    adaptive::node,
    database::{TestDatabase, on_each_database},
    pages::Reader,
    published::Published,
    texts::{add, insert, upload, write},
    world::World,
};

on_each_database![
    sites_with_hosts_have_all_their_paths,
    files_come_from_the_host_of_the_site,
    proxied_sites_have_the_path_of_their_proxy,
    servers_below_a_path_show_sites_below_it,
    a_renderer_takes_the_place_of_the_pages,
];

async fn sites_with_hosts_have_all_their_paths(database: TestDatabase) {
    let flags = |flags: &mut Flags| {
        flags.public_url = Some("https://bindery.tidewater.example".to_owned());
        flags.sites_url = Some("https://{site}.sites.example".to_owned());
    };
    let world = World::with(database, flags).await;
    let published = Published::new(&world, &["One"]).await;
    assert_eq!(published.address, "https://manuals.sites.example/");
    // The server has pages at these paths on its own host.
    add(
        &world,
        node(&published),
        &[
            ("Docs", "Of docs."),
            ("Account", "Of accounts."),
            ("Preview", "Of previews."),
        ],
    )
    .await;
    let mut reader = Reader::new(&world);
    for (path, text) in [
        ("", "Untitled"),
        ("start", "Of One, for all."),
        ("docs", "Of docs."),
        ("account", "Of accounts."),
        ("preview", "Of previews."),
    ] {
        let page = reader.page(&format!("{}{path}", published.address)).await;
        assert!(page.contains(text), "{path}: {page}");
    }
    let robots = reader.page("https://manuals.sites.example/robots.txt").await;
    assert!(
        robots.contains("Sitemap: https://manuals.sites.example/sitemap.xml"),
        "{robots}"
    );
    let unknown = reader.get("https://other.sites.example/").await;
    assert_eq!(
        (unknown.status, unknown.header("content-type")),
        (404, "text/html; charset=utf-8")
    );
    let docs = reader.get("https://bindery.tidewater.example/docs/").await;
    assert!(docs.status == 200 && !docs.text.contains("Of docs."), "{}", docs.text);
    assert_eq!(reader.get("https://manuals.sites.example/readyz").await.status, 200);
}

async fn files_come_from_the_host_of_the_site(database: TestDatabase) {
    let flags = |flags: &mut Flags| {
        flags.public_url = Some("http://bindery.tidewater.example:8080/api".to_owned());
        flags.sites_url = Some("https://{site}.sites.example".to_owned());
    };
    let world = World::with(database, flags).await;
    let published = Published::new(&world, &["One"]).await;
    let files = write(&world, node(&published), vec![upload("list.txt")]).await;
    let text = format!("{{% file src=\"/files/{}\" %}}", files["list.txt"]);
    write(&world, node(&published), vec![insert("Files", &text)]).await;
    let mut reader = Reader::new(&world);
    let page = reader.page("https://manuals.sites.example/files").await;
    let (_, rest) = page.split_once("<a class=\"card\" href=\"").unwrap();
    let (href, _) = rest.split_once('"').unwrap();
    assert!(href.starts_with("/files/"), "{href}");
    let file = reader.get(&format!("https://manuals.sites.example{href}")).await;
    assert_eq!((file.status, file.text.as_str()), (200, "hello"));
}

async fn proxied_sites_have_the_path_of_their_proxy(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published.set_proxy(&world, "tidewater.example/docs/v1").await;
    let mut reader = Reader::new(&world);
    let page = reader.page("http://tidewater.example/docs/v1/start").await;
    assert!(page.contains("Of One, for all."), "{page}");
    assert!(
        page.contains("<a href=\"/docs/v1/start\" aria-current=\"page\">"),
        "{page}"
    );
    assert!(
        page.contains("<link rel=\"canonical\" href=\"https://tidewater.example/docs/v1/start\">"),
        "{page}"
    );
}

async fn servers_below_a_path_show_sites_below_it(database: TestDatabase) {
    let flags = |flags: &mut Flags| flags.public_url = Some("https://tidewater.example/bindery".to_owned());
    let world = World::with(database, flags).await;
    let published = Published::new(&world, &["One"]).await;
    assert_eq!(published.address, "https://tidewater.example/bindery/sites/manuals/");
    // The proxy removes the path.
    let page = Reader::new(&world)
        .page("https://tidewater.example/sites/manuals/start")
        .await;
    assert!(page.contains("Of One, for all."), "{page}");
    let current = "<a href=\"/bindery/sites/manuals/start\" aria-current=\"page\">";
    assert!(page.contains(current), "{page}");
}

async fn a_renderer_takes_the_place_of_the_pages(database: TestDatabase) {
    let world = World::with(database, |flags| flags.sites = Some("renderer".to_owned())).await;
    let published = Published::new(&world, &["One"]).await;
    let opened = Reader::new(&world).get(&published.address).await;
    assert_eq!(
        (opened.status, opened.header("content-type")),
        (404, "application/json")
    );
}
