//! Fonts of pages.

use platform::config::Flags;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    fonts::{chosen, create},
    pages::Reader,
    published::{Published, id},
    world::World,
};

use super::pages::customize;

on_each_database![
    fonts_of_the_organization_are_loaded,
    fonts_of_other_hosts_are_not_loaded,
    names_of_fonts_are_only_names,
];

/// The theme of the page at the address of a site.
async fn theme(reader: &mut Reader, published: &Published) -> String {
    let page = reader.page(&published.address).await;
    let (_, sheet) = page.rsplit_once("<link rel=\"stylesheet\" href=\"").unwrap();
    let (href, _) = sheet.split_once('"').unwrap();
    let base = url::Url::parse(&published.address).unwrap();
    reader.page(base.join(href).unwrap().as_str()).await
}

async fn fonts_of_the_organization_are_loaded(database: TestDatabase) {
    let flags = |flags: &mut Flags| {
        flags.public_url = Some("http://bindery.tidewater.example:8080".to_owned());
        flags.sites_url = Some("https://{site}.sites.example".to_owned());
    };
    let world = World::with(database, flags).await;
    let published = Published::new(&world, &["One"]).await;
    let font = create(&world.create, world.organization, "Tide Sans").await;
    customize(&world, &published, |settings| {
        settings["styling"]["font"] = chosen(&font);
        settings["styling"]["headingFont"] = json!("RobotoSlab");
        settings["styling"]["monospaceFont"] = json!("JetBrainsMono");
    })
    .await;
    let mut reader = Reader::new(&world);
    let style = theme(&mut reader, &published).await;
    for part in [
        "@font-face { font-family: \"Tide Sans\"; font-weight: 400;",
        "format(\"woff2\")",
        "--font: \"Tide Sans\", var(--system);",
        "--heading: \"Roboto Slab\", var(--system-serif);",
        "--mono: \"JetBrains Mono\", var(--system-mono);",
    ] {
        assert!(style.contains(part), "{part}: {style}");
    }
    // The host of the site serves the file.
    let (_, rest) = style.split_once("url(\"").unwrap();
    let (path, _) = rest.split_once('"').unwrap();
    assert!(path.starts_with("/files/fonts/"), "{path}");
    let file = reader.get(&format!("https://manuals.sites.example{path}")).await;
    assert_eq!((file.status, file.header("content-type")), (200, "font/woff2"));

    let delete = world.create.client.call("deleteCustomFont").here(&world);
    delete.path("fontId", id(&font)).expect(204).await;
    let style = theme(&mut reader, &published).await;
    assert!(!style.contains("@font-face"), "{style}");
    assert!(style.contains("--font: \"Inter\", var(--system);"), "{style}");
}

/// A font that is none of the organization.
fn foreign(family: &str, url: &str) -> Value {
    let faces = json!([{ "weight": 400, "sources": [{ "url": url, "format": "woff" }] }]);
    json!({ "id": "tide", "custom": true, "fontFamily": family, "fontFaces": faces })
}

async fn fonts_of_other_hosts_are_not_loaded(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let own = world.nobody().base().to_owned();
    let mut reader = Reader::new(&world);
    for (url, is_loaded) in [
        (format!("{own}/files/tide.woff"), true),
        ("https://tidewater.example/tide.woff".to_owned(), false),
    ] {
        customize(&world, &published, |settings| {
            settings["styling"]["font"] = foreign("Tide", &url);
        })
        .await;
        let style = theme(&mut reader, &published).await;
        assert!(style.contains("--font: \"Tide\", var(--system);"), "{style}");
        assert_eq!(style.contains("url(\"/files/tide.woff\")"), is_loaded, "{url}: {style}");
        assert_eq!(style.contains("@font-face"), is_loaded, "{url}: {style}");
    }
    // A proxy shows the site, and not the files of the server.
    let font = world.new_font("Ebb").await;
    customize(&world, &published, |settings| {
        settings["styling"]["font"] = chosen(&font)
    })
    .await;
    assert!(theme(&mut reader, &published).await.contains("@font-face"));
    published.set_proxy(&world, "tidewater.example/docs").await;
    let proxied = Published {
        address: "http://tidewater.example/docs/".to_owned(),
        ..published
    };
    assert!(!theme(&mut reader, &proxied).await.contains("@font-face"));
}

async fn names_of_fonts_are_only_names(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let mut reader = Reader::new(&world);
    for family in ["\"}</style>", "x; } body{display:none}", "\\", "/*"] {
        let font = create(&world.create, world.organization, family).await;
        customize(&world, &published, |settings| {
            settings["styling"]["font"] = chosen(&font)
        })
        .await;
        let style = theme(&mut reader, &published).await;
        let strings = style.split('"').skip(1).step_by(2);
        let plain = |c: char| c.is_alphanumeric() || " -_./\\".contains(c);
        assert!(strings.clone().count() >= 5, "{style}");
        assert!(strings.flat_map(str::chars).all(plain), "{style}");
        assert!(!style.contains("body") || style.contains("body\\7b "), "{style}");
    }
}
