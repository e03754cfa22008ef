//! Pages of sites.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    adaptive::node,
    content::reusable_content,
    database::{TestDatabase, on_each_database},
    pages::Reader,
    published::{Published, id},
    texts::{add, edit, insert, write},
    world::World,
};

on_each_database![
    pages_show_their_text_within_the_frame,
    pages_are_revalidated,
    changes_are_shown_at_once,
    paths_lead_to_pages_and_variants,
    unknown_paths_show_the_nearest_pages,
    redirects_of_sites_are_followed,
    links_lead_to_pages_of_the_site,
    images_and_files_are_shown,
    icons_are_drawn_once_on_a_page,
    customization_is_shown,
    style_sheets_have_the_colors_of_the_site,
    links_of_the_frame_lead_to_pages_of_other_spaces,
    chosen_home_pages_have_the_address_of_the_space,
    other_methods_are_refused,
];

async fn pages_show_their_text_within_the_frame(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    add(
        &world,
        node(&published),
        &[("Moorings", "## Bow lines\n\nUse *two* of them.")],
    )
    .await;
    let mut reader = Reader::new(&world);
    let opened = reader.get(&format!("{}moorings", published.address)).await;
    assert_eq!(
        (opened.status, opened.header("content-type")),
        (200, "text/html; charset=utf-8")
    );
    let policy = opened.header("content-security-policy");
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    let html = opened.text;
    for part in [
        "<title>Moorings | Manuals</title>",
        "<html lang=\"en\" dir=\"ltr\"",
        "<h2 dir=\"auto\" id=\"bow-lines\">Bow lines",
        "Use <em>two</em> of them.",
        // The table of contents, the outline and the page before.
        "<a href=\"/sites/manuals/moorings\" aria-current=\"page\">",
        "<a href=\"#bow-lines\">",
        "<span class=\"previous\"><small>Previous</small><a href=\"/sites/manuals/start\">",
        "href=\"/sites/manuals/moorings.md\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let second = reader.page(&format!("{}start", published.address)).await;
    assert!(second.contains("Of One, for all."), "{second}");
    // The first page has the address of the site.
    let first = reader.page(&published.address).await;
    assert!(
        first.contains(&format!("<link rel=\"canonical\" href=\"{}\">", published.address)),
        "{first}"
    );
}

async fn pages_are_revalidated(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let mut reader = Reader::new(&world);
    let first = reader.get(&published.address).await;
    let kept = [("if-none-match", first.header("etag"))];
    let again = reader.send(Method::GET, &published.address, &kept).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    let head = reader.send(Method::HEAD, &published.address, &[]).await;
    assert_eq!((head.status, head.header("etag")), (200, first.header("etag")));
    add(&world, node(&published), &[("More", "Words.")]).await;
    let changed = reader.send(Method::GET, &published.address, &kept).await;
    assert_eq!(changed.status, 200);
    assert!(changed.text.contains("More"), "{}", changed.text);
}

async fn changes_are_shown_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let space = node(&published);
    let content = reusable_content(world.app(), world.admin.id, space, "Old words.").await;
    let tag = format!("{{% include \"/reusable-contents/{content}\" %}}");
    let pages = add(&world, space, &[("Knots", "First text."), ("Shared", &tag)]).await;
    let mut reader = Reader::new(&world);
    let address = format!("{}knots", published.address);
    let shows = async |reader: &mut Reader, part: &str| {
        // Twice: a page that was kept is the same.
        for _ in 0..2 {
            let page = reader.page(&address).await;
            assert!(page.contains(part), "{part}: {page}");
        }
    };
    shows(&mut reader, "First text.").await;
    write(&world, space, vec![edit(&pages["Knots"], "Second text.")]).await;
    shows(&mut reader, "Second text.").await;
    customize(&world, &published, |settings| settings["title"] = json!("Tide tables")).await;
    shows(&mut reader, "| Tide tables</title>").await;
    customize(&world, &published, |settings| {
        settings["feedback"]["enabled"] = json!(true)
    })
    .await;
    shows(&mut reader, "class=\"feedback\"").await;
    let rename = world
        .admin
        .client
        .call("updateSpaceById")
        .path("spaceId", id(&published.spaces[1]));
    rename.json(json!({ "title": "Renamed" })).expect(200).await;
    shows(&mut reader, "<bdi>Renamed</bdi>").await;
    published.set(&world, json!({ "visibility": "unlisted" })).await;
    shows(&mut reader, "noindex").await;
    published.set_proxy(&world, "tidewater.example/docs").await;
    shows(
        &mut reader,
        "<link rel=\"canonical\" href=\"https://tidewater.example/docs/knots\">",
    )
    .await;
    let shared = format!("{}shared", published.address);
    assert!(reader.page(&shared).await.contains("Old words."));
    assert!(reader.page(&shared).await.contains("Old words."));
}

async fn paths_lead_to_pages_and_variants(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let above = add(&world, node(&published), &[("Engines", "Of engines.")]).await;
    let mut below = insert("Oil", "Black.");
    below["into"] = json!(above["Engines"]);
    write(&world, node(&published), vec![below]).await;
    let mut reader = Reader::new(&world);
    let base = &published.address;
    let bare = reader.get(base.trim_end_matches('/')).await;
    assert_eq!((bare.status, bare.header("location")), (307, "/sites/manuals/"));
    let page = reader.page(&format!("{base}engines/oil")).await;
    assert!(
        page.contains("Black.") && page.contains("<li><a href=\"/sites/manuals/engines\"><bdi>Engines</bdi></a></li>"),
        "{page}"
    );
    assert!(reader.page(&format!("{base}engines/")).await.contains("Of engines."));
    let other = reader.page(&format!("{base}two/start")).await;
    assert!(other.contains("Of Two, for all."), "{other}");
    // Both variants are in the switch.
    assert!(
        other.contains("<a href=\"/sites/manuals/two/\" aria-current=\"page\">"),
        "{other}"
    );
    assert!(
        other.contains("<a href=\"/sites/manuals/\"><bdi>One</bdi></a>"),
        "{other}"
    );
}

async fn unknown_paths_show_the_nearest_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    add(&world, node(&published), &[("Bow lines", "Words.")]).await;
    let mut reader = Reader::new(&world);
    let missing = reader.get(&format!("{}old/bow-knots", published.address)).await;
    assert_eq!(missing.status, 404);
    let (_, main) = missing.text.split_once("<main").unwrap();
    assert!(main.contains("Page not found"), "{main}");
    assert!(main.contains("<a href=\"/sites/manuals/bow-lines\">"), "{main}");
    for other in [
        "http://nobody.example/start",
        &published.address.replace("manuals", "others"),
    ] {
        assert_eq!(reader.get(other).await.status, 404, "{other}");
    }
}

async fn redirects_of_sites_are_followed(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let create = world.on_site(&world.admin, "createSiteRedirect", &published.site);
    let destination = json!({ "kind": "external", "url": "https://tidewater.example/knots" });
    let redirect = json!({ "source": "/knots", "destination": destination });
    create.json(redirect).expect(201).await;
    let mut reader = Reader::new(&world);
    let opened = reader.get(&format!("{}knots", published.address)).await;
    assert_eq!(
        (opened.status, opened.header("location")),
        (307, "https://tidewater.example/knots")
    );
}

async fn links_lead_to_pages_of_the_site(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let other: entity::ids::NodeId = id(&published.spaces[1]).parse().unwrap();
    let far = add(&world, other, &[("Far away", "Words.")]).await;
    let near = add(&world, node(&published), &[("Near by", "## A part\n\nWords.")]).await;
    let text = format!(
        "[one](/pages/{}#a-part), [two](/spaces/{other}/pages/{}), [three](https://tidewater.example/), [four](/spaces/{other})",
        near["Near by"], far["Far away"]
    );
    add(&world, node(&published), &[("Links", &text)]).await;
    let page = Reader::new(&world).page(&format!("{}links", published.address)).await;
    for link in [
        "<a href=\"/sites/manuals/near-by#a-part\">one</a>",
        "<a href=\"/sites/manuals/two/far-away\">two</a>",
        "<a href=\"https://tidewater.example/\" rel=\"noopener\">three</a>",
        "<a href=\"/sites/manuals/two/\">four</a>",
    ] {
        assert!(page.contains(link), "{link}: {page}");
    }
}

async fn images_and_files_are_shown(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let image = json!({ "name": "pixel.png", "ref": "image", "base64": pixel, "contentType": "image/png" });
    let text = json!({ "name": "list.txt", "ref": "list", "base64": "aGVsbG8=", "contentType": "text/plain" });
    let files = json!({ "operation": "insert_files", "files": [image, text] });
    let files = write(&world, node(&published), vec![files]).await;
    let text = format!(
        "![A pixel](/files/{})\n\n{{% file src=\"/files/{}\" %}}\n",
        files["pixel.png"], files["list.txt"]
    );
    write(&world, node(&published), vec![insert("Files", &text)]).await;
    let mut reader = Reader::new(&world);
    let page = reader.page(&format!("{}files", published.address)).await;
    let (_, rest) = page.split_once("<img src=\"").unwrap();
    let (src, rest) = rest.split_once('"').unwrap();
    assert!(src.starts_with("/files/"), "{src}");
    assert!(
        rest.starts_with(" alt=\"A pixel\" loading=\"lazy\" width=\"1\" height=\"1\">"),
        "{rest}"
    );
    let base = published.address.split("/sites/").next().unwrap();
    let image = reader.get(&format!("{base}{src}")).await;
    assert_eq!((image.status, image.header("content-type")), (200, "image/png"));
    assert!(
        rest.contains("<strong>list.txt</strong><small>text/plain · 5 B</small>"),
        "{rest}"
    );
}

async fn icons_are_drawn_once_on_a_page(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::in_sections(&world, &["One", "Two"]).await;
    let sections = world.on_site(&world.admin, "listSiteSections", &published.site);
    let sections = sections.expect(200).await;
    let update = world.on_site(&world.admin, "updateSiteSectionById", &published.site);
    let update = update.path("siteSectionId", id(&sections["items"][1]));
    update.json(json!({ "icon": "ship" })).expect(200).await;
    let mut page = insert(
        "Moorings",
        "<i class=\"fa-anchor\">:anchor:</i> <i class=\"fa-kraken\">:kraken:</i>",
    );
    page["icon"] = json!("anchor");
    write(&world, node(&published), vec![page]).await;
    let page = Reader::new(&world)
        .page(&format!("{}moorings", published.address))
        .await;
    // In the table of contents, in the title and in the text; in the sections.
    for (name, uses) in [("anchor", 3), ("ship", 1), ("kraken", 0)] {
        let used = page.matches(&format!("<use href=\"#~icon-{name}\">")).count();
        let drawn = page.matches(&format!("<symbol id=\"~icon-{name}\"")).count();
        assert_eq!((used, drawn), (uses, uses.min(1)), "{name}: {page}");
    }
}

async fn customization_is_shown(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    customize(&world, &published, |settings| {
        settings["title"] = json!("Tide tables");
        settings["favicon"] = json!({ "emoji": "1f4d8" });
        settings["header"]["links"] = json!([{ "title": "Shop", "to": { "kind": "url", "url": "https://tidewater.example/" },
            "links": [] }]);
        settings["footer"]["copyright"] = json!("Tidewater Labs");
        settings["announcement"] = json!({ "enabled": true, "message": "High water", "style": "warning" });
        settings["pagination"]["enabled"] = json!(false);
    })
    .await;
    add(&world, node(&published), &[("Two", "Words.")]).await;
    let page = Reader::new(&world).page(&published.address).await;
    for part in [
        "| Tide tables</title>",
        "<span aria-hidden=\"true\">📘 </span>Tide tables",
        "<a href=\"https://tidewater.example/\" rel=\"noopener\"><bdi>Shop</bdi></a>",
        "<p class=\"copyright\" dir=\"auto\">Tidewater Labs</p>",
        "<div class=\"announcement warning\" role=\"note\"><span dir=\"auto\">High water</span>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("class=\"pagination\""), "{page}");
}

async fn style_sheets_have_the_colors_of_the_site(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    customize(&world, &published, |settings| {
        settings["styling"]["primaryColor"] = json!({ "light": "#003366", "dark": "#99ccff" });
    })
    .await;
    let mut reader = Reader::new(&world);
    let page = reader.page(&published.address).await;
    let base = published.address.split("/sites/").next().unwrap();
    let sheets: Vec<&str> = page.split("<link rel=\"stylesheet\" href=\"").skip(1).collect();
    assert_eq!(sheets.len(), 2);
    for sheet in &sheets {
        let (href, _) = sheet.split_once('"').unwrap();
        let style = reader.get(&format!("{base}{href}")).await;
        assert_eq!(
            (style.status, style.header("content-type")),
            (200, "text/css; charset=utf-8")
        );
        assert_eq!(style.header("cache-control"), "public, max-age=31536000, immutable");
        assert!(style.text.contains("--primary: light-dark("), "{}", style.text);
    }
    let (theme, _) = sheets[1].split_once('"').unwrap();
    let theme = reader.get(&format!("{base}{theme}")).await;
    assert!(
        theme.text.contains("--primary: light-dark(#003366, #99ccff);"),
        "{}",
        theme.text
    );
    let (script, _) = page
        .split_once("<script type=\"module\" src=\"")
        .unwrap()
        .1
        .split_once('"')
        .unwrap();
    let script = reader.get(&format!("{base}{script}")).await;
    assert_eq!(
        (script.status, script.header("content-type")),
        (200, "text/javascript; charset=utf-8")
    );
}

async fn links_of_the_frame_lead_to_pages_of_other_spaces(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let other: entity::ids::NodeId = id(&published.spaces[1]).parse().unwrap();
    let far = add(&world, other, &[("Far away", "Words.")]).await;
    let to = json!({ "kind": "page", "page": far["Far away"], "space": other.to_string() });
    customize(&world, &published, |settings| {
        settings["header"]["links"] = json!([{ "title": "Far", "to": to, "links": [] }]);
    })
    .await;
    let mut reader = Reader::new(&world);
    let page = reader.page(&published.address).await;
    let (_, rest) = page.split_once("<nav class=\"links\"").unwrap();
    let href = rest
        .split("href=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    let base = published.address.split("/sites/").next().unwrap();
    let opened = reader.get(&format!("{base}{href}")).await;
    assert_eq!(
        (opened.status, opened.header("location")),
        (307, "/sites/manuals/two/far-away")
    );
    let unknown = reader
        .get(&format!("{}~/pages/{other}/{other}", published.address))
        .await;
    assert_eq!(
        (unknown.status, unknown.header("location")),
        (307, "/sites/manuals/two/")
    );
    for unknown in ["x", "x/y"] {
        assert_eq!(
            reader
                .get(&format!("{}~/pages/{unknown}", published.address))
                .await
                .status,
            404
        );
    }
}

async fn chosen_home_pages_have_the_address_of_the_space(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let pages = add(&world, node(&published), &[("Home", "Welcome.")]).await;
    let items = world
        .on_site(&world.admin, "listSiteSpaces", &published.site)
        .expect(200)
        .await;
    let update = world.on_site(&world.admin, "updateSiteSpaceById", &published.site);
    let update = update.path("siteSpaceId", id(&items["items"][0]));
    update.json(json!({ "pageId": pages["Home"] })).expect(200).await;
    let base = &published.address;
    let mut reader = Reader::new(&world);
    let canonical = |page: &str| {
        let (_, rest) = page.split_once("<link rel=\"canonical\" href=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let home = reader.page(base).await;
    assert!(home.contains("Welcome."), "{home}");
    assert_eq!(canonical(&home), *base);
    assert_eq!(canonical(&reader.page(&format!("{base}home")).await), *base);
    assert_eq!(
        canonical(&reader.page(&format!("{base}untitled")).await),
        format!("{base}untitled")
    );
}

async fn other_methods_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let mut reader = Reader::new(&world);
    for method in [Method::PATCH, Method::PUT, Method::DELETE] {
        let opened = reader.send(method, &published.address, &[]).await;
        assert_eq!((opened.status, opened.header("allow")), (405, "GET, HEAD, OPTIONS"));
    }
    let opened = reader.send(Method::OPTIONS, &published.address, &[]).await;
    assert_eq!((opened.status, opened.header("allow")), (204, "GET, HEAD, OPTIONS"));
}

/// Changes the customization of a site.
pub async fn customize(world: &World, published: &Published, change: impl FnOnce(&mut Value)) {
    let read = world.on_site(&world.admin, "getSiteCustomizationById", &published.site);
    let mut settings = read.expect(200).await;
    change(&mut settings);
    let update = world.on_site(&world.admin, "updateSiteCustomizationById", &published.site);
    update.json(settings).expect(200).await;
}
