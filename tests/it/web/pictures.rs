//! Pictures of pages.

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

use super::pages::customize;

on_each_database![
    pages_have_pictures_for_links_to_them,
    sites_choose_a_picture_of_their_own,
    pictures_of_hidden_pages_are_missing,
];

async fn picture(world: &World, address: &str) -> Vec<u8> {
    let path = address.strip_prefix(&world.service.base).unwrap();
    let answer = world.nobody().get(path).await;
    assert_eq!(
        (
            answer.status().as_u16(),
            answer.headers()["content-type"].to_str().unwrap()
        ),
        (200, "image/png")
    );
    let bytes = answer.bytes().await.unwrap();
    let size = imagesize::blob_size(&bytes).unwrap();
    assert_eq!((size.width, size.height), (1200, 630));
    bytes.to_vec()
}

async fn pages_have_pictures_for_links_to_them(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let long = "\"#panic()[ $x$ ".repeat(16);
    add(&world, node(&published), &[("Moorings", "Use two."), (&long, "Words.")]).await;
    let mut reader = Reader::new(&world);
    let page = reader.page(&format!("{}moorings", published.address)).await;
    let address = format!("{}moorings.png", published.address);
    let meta = format!("<meta property=\"og:image\" content=\"{address}\">");
    assert!(page.contains(&meta), "{page}");
    let first = picture(&world, &address).await;
    assert_eq!(picture(&world, &address).await, first);
    let tag = reader.get(&address).await.header("etag").to_owned();
    let kept = reader.send(Method::GET, &address, &[("if-none-match", &tag)]).await;
    assert_eq!(kept.status, 304);
    let home = reader.page(&published.address).await;
    let (_, rest) = home.split_once("og:image\" content=\"").unwrap();
    assert_ne!(picture(&world, rest.split('"').next().unwrap()).await, first);
    let path = page
        .split("/sites/manuals/")
        .find(|part| part.starts_with("panic"))
        .unwrap();
    picture(
        &world,
        &format!("{}{}.png", published.address, path.split('"').next().unwrap()),
    )
    .await;
    for path in [".png", "nothing.png", "moorings.png.png"] {
        let missing = reader.get(&format!("{}{path}", published.address)).await;
        assert_eq!(missing.status, 404, "{path}");
    }
}

async fn sites_choose_a_picture_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let own = "https://tidewater.example/preview.png?a=1&b=2";
    customize(&world, &published, |settings| {
        settings["socialPreview"] = json!({ "url": own })
    })
    .await;
    let page = Reader::new(&world).page(&published.address).await;
    let meta = "<meta property=\"og:image\" content=\"https://tidewater.example/preview.png?a=1&amp;b=2\">";
    assert!(page.contains(meta), "{page}");
}

async fn pictures_of_hidden_pages_are_missing(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let secret = json!({ "operation": "insert_page", "title": "Kept back", "ref": "secret",
        "condition": "visitor.claims.unsigned.partner", "document": { "markdown": "Words." } });
    write(&world, node(&published), vec![secret]).await;
    let mut reader = Reader::new(&world);
    let missing = reader.get(&format!("{}kept-back.png", published.address)).await;
    assert_eq!(missing.status, 404);
}
