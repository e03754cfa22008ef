//! Sites as files.

use std::{
    fs,
    path::{Component, Path, PathBuf},
    process::Output,
};

use serde_json::{Value, json};

use crate::support::{
    adaptive::node,
    content::PICTURE,
    database::{TestDatabase, on_each_database},
    fonts::{WOFF2, chosen},
    process::command,
    published::{Published, id},
    texts::{add, delete, insert, write},
    world::World,
};

use super::pages::customize;

on_each_database![
    public_sites_become_files_that_lead_to_each_other,
    only_public_sites_are_exported,
    exports_are_replaced_when_the_new_one_is_complete,
];

/// Where the files will be.
const URL: &str = "https://docs.tidewater.example/manuals/";

/// Runs the command beside the server.
fn export(world: &World, url: &str, published: &Published, directory: &Path, arguments: &[&str]) -> Output {
    let directory = directory.to_str().unwrap();
    let own = ["--public-url", world.service.base.as_str()];
    let arguments = [&["export", "site", id(&published.site), directory], &own[..], arguments].concat();
    command(world.service.data(), url, &arguments)
}

fn exported(output: &Output) {
    assert!(output.status.success(), "{output:?}");
}

fn refused(output: &Output, message: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains(message), "{output:?}");
}

/// The files of a directory, by their paths in it.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

fn read(directory: &Path, file: &str) -> String {
    fs::read_to_string(directory.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The values of attributes of a page that are addresses.
fn addresses(html: &str) -> Vec<String> {
    let begins = [" href=\"", " src=\"", " action=\"", " data-index=\""];
    let values = begins.iter().flat_map(|begin| html.split(begin).skip(1));
    let values = values.map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&"));
    values.collect()
}

/// The file to which an address in a file leads.
fn target(directory: &Path, file: &Path, address: &str) -> PathBuf {
    let address = address.split(['?', '#']).next().unwrap();
    let address = percent_encoding::percent_decode_str(address).decode_utf8().unwrap();
    let path = match (address.strip_prefix(URL), address.strip_prefix("/manuals/")) {
        // As web servers show folders.
        (Some(path), _) if path.is_empty() || path.ends_with('/') => directory.join(path).join("index.html"),
        (Some(path), _) => directory.join(path),
        (None, Some(path)) => directory.join(path),
        (None, None) => file.parent().unwrap().join(&*address),
    };
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(whole.pop()),
            part => whole.push(part),
        }
    }
    assert!(whole.starts_with(directory), "{}: {address}", file.display());
    whole
}

/// Every address in the files is that of a file, and none is of another host.
fn check_addresses(directory: &Path) {
    for file in files(directory) {
        let Ok(text) = String::from_utf8(fs::read(&file).unwrap()) else {
            continue;
        };
        let shown = file.display();
        // In Markdown, links stay as they were written.
        let is_markdown = file.extension().is_some_and(|extension| extension == "md");
        for host in text
            .split("://")
            .filter(|_| !is_markdown)
            .skip(1)
            .map(|rest| rest.split('/').next().unwrap())
        {
            let known = ["docs.tidewater.example", "www.sitemaps.org", "www.w3.org"];
            assert!(known.contains(&host), "{shown}: {host}");
        }
        let found = match file.extension().and_then(|extension| extension.to_str()) {
            Some("html") => addresses(&text),
            Some("xml") => {
                let places = text.split("<loc>").skip(1);
                places.map(|rest| rest.split('<').next().unwrap().to_owned()).collect()
            }
            _ => Vec::new(),
        };
        for address in found
            .iter()
            .filter(|address| !address.starts_with('#') && !address.starts_with("data:"))
        {
            // Only the page that is shown at all addresses has absolute paths.
            assert!(
                !address.starts_with('/') || file.ends_with("404.html"),
                "{shown}: {address}"
            );
            assert!(target(directory, &file, address).is_file(), "{shown}: {address}");
        }
    }
}

/// A site with two variants, an image, and links between pages and spaces.
async fn site(world: &World) -> Published {
    let published = Published::new(world, &["One", "Two"]).await;
    let other: entity::ids::NodeId = id(&published.spaces[1]).parse().unwrap();
    let far = add(world, other, &[("Far away", "## Rope & chain\n\nOf both.")]).await;
    let picture = json!({ "name": "a pixel?.png", "ref": "image", "base64": PICTURE, "contentType": "image/png" });
    let list = json!({ "name": "list.txt", "ref": "list", "base64": "aGVsbG8=", "contentType": "text/plain" });
    let files = json!({ "operation": "insert_files", "files": [picture, list] });
    let space = node(&published);
    let files = write(world, space, vec![files]).await;
    let above = add(world, space, &[("Engines", "## Of steam\n\nBoilers.")]).await;
    let text = format!(
        "![A pixel](/files/{})\n\n{{% file src=\"/files/{}\" %}}\n\n[near](/pages/{}#of-steam) [far](/spaces/{other}/pages/{}) \
         [space](/spaces/{other}) [gone](/pages/{space}) [written]({}engines?x=1#of-steam) [nowhere]({}nowhere)",
        files["a pixel?.png"],
        files["list.txt"],
        above["Engines"],
        far["Far away"],
        published.address,
        published.address,
    );
    let long = "\u{6d6a}".repeat(95);
    let picture = format!("[picture]({}engines.png)", published.address);
    add(
        world,
        space,
        &[
            ("index.html", &picture),
            ("404.html", "Words."),
            ("README.md", "Words."),
            (&long, "Words."),
        ],
    )
    .await;
    let mut below = insert("Oil", &text);
    below["into"] = json!(above["Engines"]);
    let hidden = json!({ "operation": "insert_page", "title": "Unlisted", "ref": "unlisted", "hidden": true,
        "document": { "markdown": "Of the unlisted." } });
    let secret = json!({ "operation": "insert_page", "title": "Kept back", "ref": "secret",
        "condition": "visitor.claims.unsigned.partner", "document": { "markdown": "Of what is kept back." } });
    write(world, space, vec![below, hidden, secret]).await;
    let to = json!({ "kind": "page", "page": far["Far away"], "space": other.to_string() });
    let font = world.new_font("Tide").await;
    customize(world, &published, |settings| {
        settings["styling"]["font"] = chosen(&font);
        settings["pdf"]["enabled"] = json!(true);
        settings["header"]["links"] = json!([{ "title": "Far", "to": to, "links": [] }]);
        settings["feedback"]["enabled"] = json!(true);
    })
    .await;
    published
}

async fn public_sites_become_files_that_lead_to_each_other(database: TestDatabase) {
    let url = database.url().to_owned();
    let world = World::new(database).await;
    let published = site(&world).await;
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("files");
    let output = export(&world, &url, &published, &directory, &["--url", URL]);
    exported(&output);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains(" pages, "),
        "{output:?}"
    );
    check_addresses(&directory);

    for file in [
        "index.html",
        "start/index.html",
        "two/index.html",
        "two/far-away/index.html",
        "unlisted/index.html",
    ] {
        let page = read(&directory, file);
        assert!(
            page.starts_with("<!DOCTYPE html>") && !page.contains("class=\"feedback\""),
            "{file}: {page}"
        );
    }
    let assets = files(&directory.join("~/assets"));
    let theme = assets
        .iter()
        .find(|file| file.to_string_lossy().contains("theme-"))
        .unwrap();
    let theme = fs::read_to_string(theme).unwrap();
    let (_, font) = theme.split_once("url(\"").unwrap();
    let font = font.strip_prefix("./../../").unwrap().split('"').next().unwrap();
    assert_eq!(fs::read(directory.join(font)).unwrap(), WOFF2);
    let page = read(&directory, "engines/oil/index.html");
    for part in [
        "<link rel=\"canonical\" href=\"https://docs.tidewater.example/manuals/engines/oil/\">",
        "<link rel=\"alternate\" type=\"text/markdown\" href=\"./../../engines/oil.md\">",
        "<a href=\"./../../engines/index.html#of-steam\">near</a>",
        "<a href=\"./../../two/far-away/index.html\">far</a>",
        "<a href=\"./../../two/index.html\">space</a>",
        "<a href=\"./../../engines/index.html#of-steam\">written</a>",
        "<a href=\"./../../404.html\">nowhere</a>",
        // The address in the header leads on to the page of another space.
        "<a href=\"./../../two/far-away/index.html\"><bdi>Far</bdi></a>",
        "<script defer src=\"./../../~/assets/script-",
        "data-index=\"./../../~/search/pages.js\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let image = page.split("<img src=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(image.ends_with("/a-pixel-.png"), "{image}");
    let image = fs::read(target(&directory, &directory.join("engines/oil/index.html"), image)).unwrap();
    assert!(image.starts_with(b"\x89PNG"), "{image:?}");
    let missing = read(&directory, "404.html");
    assert!(
        missing.contains("Page not found") && missing.contains("\"/manuals/start/index.html\""),
        "{missing}"
    );
    let markdown = read(&directory, "engines/oil.md");
    for part in [
        "# Oil\n\n![A pixel](./../~/files/",
        "{% file src=\"./../~/files/",
        "[near](../engines.md#of-steam) [far](https://docs.tidewater.example/manuals/two/far-away) \
         [space](https://docs.tidewater.example/manuals/two/) [gone](/pages/",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    assert!(read(&directory, "robots.txt").ends_with(&format!("Sitemap: {URL}sitemap.xml\n")));
    assert!(read(&directory, "sitemap.xml").contains(&format!("<loc>{URL}two/sitemap-pages.xml</loc>")));
    assert!(read(&directory, "sitemap-pages.xml").contains(&format!("<loc>{URL}engines/oil/</loc>")));
    assert!(read(&directory, "llms.txt").contains(&format!("- [Engines]({URL}engines.md)\n")));
    for file in ["index.html~/index.html", "404.html~/index.html", "readme.md/index.html"] {
        assert!(directory.join(file).is_file(), "{file}");
    }
    check_index(&read(&directory, "~/search/pages.js"));
    for file in files(&directory) {
        let text = fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&text).to_lowercase();
        assert!(
            !text.contains("kept back") && !text.contains("kept-back"),
            "{}",
            file.display()
        );
    }
}

/// The index has the pages of the space that the address of the site shows.
fn check_index(script: &str) {
    let list = script.lines().next().unwrap();
    let list = list
        .strip_prefix("const sitePages = ")
        .and_then(|rest| rest.strip_suffix(';'));
    let index: Vec<Value> = serde_json::from_str(list.unwrap()).unwrap();
    let titles: Vec<&Value> = index.iter().map(|page| &page["title"]).collect();
    let long = "\u{6d6a}".repeat(95);
    let own = ["index.html", "404.html", "README.md", &long];
    assert_eq!(titles, [&["Untitled", "Start", "Engines", "Oil"][..], &own].concat());
    let engines = &index[2];
    assert_eq!(
        (&engines["href"], &engines["place"], &engines["sections"]),
        (
            &json!("engines/index.html"),
            &json!("One"),
            &json!([["Of steam", "of-steam"]])
        )
    );
    assert_eq!(engines["text"], "Boilers.");
    assert_eq!(index[3]["place"], "One / Engines");
}

async fn only_public_sites_are_exported(database: TestDatabase) {
    let url = database.url().to_owned();
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("files");
    let run = || export(&world, &url, &published, &directory, &[]);
    for visibility in ["unlisted", "share-link", "visitor-auth"] {
        published.set(&world, json!({ "visibility": visibility })).await;
        refused(&run(), "the site is not public");
    }
    let adaptive = json!({ "visibility": "public", "adaptiveContent": { "enabled": true } });
    published.set(&world, adaptive).await;
    refused(&run(), "the site has adaptive content");
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": false } }))
        .await;
    let unpublish = world.on_site(&world.admin, "unpublishSite", &published.site);
    unpublish.expect(200).await;
    refused(&run(), "the site is not published");
    let unknown = world.organization.to_string();
    let unknown = ["export", "site", &unknown, directory.to_str().unwrap()];
    refused(&command(world.service.data(), &url, &unknown), "no site has the id");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

async fn exports_are_replaced_when_the_new_one_is_complete(database: TestDatabase) {
    let url = database.url().to_owned();
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let pages = add(&world, node(&published), &[("Old", "Words.")]).await;
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("files");
    fs::create_dir(&directory).unwrap();
    exported(&export(&world, &url, &published, &directory, &[]));
    assert!(directory.join("old/index.html").is_file());
    refused(
        &export(&world, &url, &published, &directory, &[]),
        "is not empty; --replace",
    );
    write(&world, node(&published), vec![delete(&pages["Old"])]).await;
    // As an export leaves it whose process was killed.
    let unfinished = home.path().join("files.new");
    fs::create_dir(&unfinished).unwrap();
    refused(
        &export(&world, &url, &published, &directory, &["--replace"]),
        "an export that was interrupted",
    );
    assert!(directory.join("old/index.html").is_file());
    fs::remove_dir(&unfinished).unwrap();
    exported(&export(&world, &url, &published, &directory, &["--replace"]));
    assert!(!directory.join("old").exists() && directory.join("start/index.html").is_file());
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    let other = home.path().join("others");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("notes.txt"), "Words.").unwrap();
    refused(
        &export(&world, &url, &published, &other, &["--replace"]),
        "is not an export of a site",
    );
    assert!(other.join("notes.txt").is_file());
}
