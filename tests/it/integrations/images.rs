//! Icons and preview images of integrations.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use url::Url;

use crate::support::{
    database::{TestDatabase, on_each_database},
    integrations::{manifest, with},
    world::World,
};

on_each_database![
    images_are_served_without_a_token,
    images_of_other_kinds_are_refused,
    images_have_a_size,
];

/// The beginning of a PNG of 640 x 480 pixels, and something else.
fn png(number: u8, bytes: usize) -> Vec<u8> {
    let start = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0";
    let mut image = start.to_vec();
    image.resize(bytes.max(start.len() + 1), number);
    image
}

fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn path(address: &Value) -> String {
    Url::parse(address.as_str().unwrap()).unwrap().path().to_owned()
}

async fn images_are_served_without_a_token(database: TestDatabase) {
    let world = World::new(database).await;
    let previews = [base64(&png(2, 0)), base64(&png(3, 0))];
    let made = world
        .publish(
            "gauge",
            json!({ "icon": base64(&png(1, 0)), "previewImages": previews }),
        )
        .await;
    let (icon, assets) = (path(&made["urls"]["icon"]), path(&made["urls"]["assets"]));
    assert!(icon.starts_with(&assets) && icon.ends_with(".png"), "{icon}");
    let images = [
        &made["urls"]["icon"],
        &made["previewImages"][0],
        &made["previewImages"][1],
    ];
    for (number, address) in (1..).zip(images) {
        let answer = world.nobody().get(&path(address)).await;
        assert_eq!(answer.status(), 200);
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), "image/png");
        assert_eq!(header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert!(header("content-security-policy").starts_with("sandbox"));
        assert_eq!(answer.bytes().await.unwrap(), png(number, 0));
    }
    // Only under the name of the integration, and in its own form.
    world.publish("other", json!({})).await;
    for wrong in [
        icon.replace("/gauge/", "/other/"),
        icon.replace("/gauge/", "/nothing/"),
        icon.replace(".png", ".svg"),
        icon.replace(".png", ""),
        format!("{assets}x.png"),
        assets,
    ] {
        assert_eq!(world.nobody().get(&wrong).await.status(), 404, "{wrong}");
    }
    // The next version has none.
    let next = world.publish("gauge", json!({})).await;
    assert!(next["urls"].get("icon").is_none() && next["previewImages"] == json!([]));
    assert_eq!(world.nobody().get(&icon).await.status(), 404);
    // One image may be there twice.
    let same = base64(&png(4, 0));
    let twice = world
        .publish("gauge", json!({ "icon": same, "previewImages": [same, same] }))
        .await;
    assert_eq!(twice["previewImages"][0], twice["urls"]["icon"]);
}

async fn images_of_other_kinds_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let svg = base64(b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"><script/></svg>");
    let cases = [
        (svg, "image"),
        (base64(b"<!doctype html>"), "image"),
        (base64(b""), "image"),
        // No size.
        (base64(b"\x89PNG\r\n\x1a\n"), "image"),
        ("A".to_owned(), "base64"),
    ];
    for (image, code) in cases {
        let body = json!({ "icon": image, "previewImages": [base64(&png(1, 0)), image] });
        let call = world
            .admin
            .client
            .call("publishIntegration")
            .path("integrationName", "gauge");
        let answer = call.json(with(manifest(world.organization), body)).send().await;
        answer.has_detail("/body/icon", code);
        answer.has_detail("/body/previewImages/1", code);
        assert_eq!(answer.details().len(), 2);
    }
    let read = world.admin.client.call("getIntegrationByName");
    read.path("integrationName", "gauge").expect(404).await;
}

async fn images_have_a_size(database: TestDatabase) {
    let world = World::with(database, |flags| flags.body_limit = Some("6MiB".to_owned())).await;
    let send = async |member: &str, bytes: usize| {
        let image = base64(&png(1, bytes));
        let image = if member == "icon" { json!(image) } else { json!([image]) };
        let call = world
            .admin
            .client
            .call("publishIntegration")
            .path("integrationName", "gauge");
        call.json(with(manifest(world.organization), json!({ member: image })))
            .send()
            .await
    };
    send("icon", 250 * 1024).await.expect(200);
    send("icon", 250 * 1024 + 1).await.has_detail("/body/icon", "image");
    send("icon", 251 * 1024).await.has_detail("/body/icon", "max-length");
    send("previewImages", 1024 * 1024).await.expect(200);
    send("previewImages", 1024 * 1024 + 1)
        .await
        .has_detail("/body/previewImages/0", "image");
}
