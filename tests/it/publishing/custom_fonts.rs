//! Fonts of organizations, and the uploads of their files.

use chrono::TimeDelta;
use entity::platform::blobs;
use reqwest::Method;
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use url::Url;

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    fonts::{self, WOFF, WOFF2},
    published::{Published, id},
    world::World,
};

on_each_database![
    fonts_are_made_from_uploads,
    weights_of_fonts_change,
    files_of_fonts_are_checked,
    files_of_fonts_are_served_to_browsers,
    uploads_end,
    organizations_have_few_fonts_and_uploads,
    uploads_of_other_organizations_are_unknown,
    bytes_stay_as_long_as_a_font_has_them,
    sites_have_fonts_as_they_are,
];

fn on<'w>(world: &'w World, operation: &str, font: &Value) -> Call<'w> {
    let call = world.create.client.call(operation).here(world);
    call.path("fontId", id(font))
}

fn path(address: &Value) -> String {
    Url::parse(address.as_str().unwrap()).unwrap().path().to_owned()
}

/// The path of the first file in a weight.
fn file(font: &Value, weight: usize) -> String {
    path(&font["fontFaces"][weight]["sources"][0]["url"])
}

async fn fonts_are_made_from_uploads(database: TestDatabase) {
    let world = World::new(database).await;
    let (regular, bold) = (world.upload_font(WOFF2).await, world.upload_font(WOFF).await);
    let create = world.create.client.call("createCustomFont").here(&world);
    let faces = json!([{ "weight": 700, "storageKey": bold }, { "weight": 400, "storageKey": regular }]);
    let body = json!({ "fontFamily": "Tide Sans", "fontFaces": faces });
    let made = create.json(body).expect(201).await;
    assert_eq!(
        (&made["custom"], &made["fontFamily"], &made["permissions"]),
        (&json!(true), &json!("Tide Sans"), &json!({ "edit": true }))
    );
    let weights: Vec<(&Value, &Value)> = made["fontFaces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|face| (&face["weight"], &face["sources"][0]["format"]))
        .collect();
    assert_eq!(weights, [(&json!(400), &json!("woff2")), (&json!(700), &json!("woff"))]);
    assert_eq!(on(&world, "getCustomFont", &made).expect(200).await, made);
    // Readers see fonts, and change none.
    let list = world.read.client.call("listCustomFonts").here(&world).expect(200).await;
    let listed = &list["items"][0];
    assert_eq!(fonts::chosen(listed), fonts::chosen(&made));
    assert_eq!(listed["permissions"], json!({ "edit": false }));
    let update = on(&world, "updateCustomFont", &made);
    let renamed = update.json(json!({ "fontFamily": "Ebb" })).expect(200).await;
    assert_eq!(renamed["fontFamily"], "Ebb");
    assert_eq!(renamed["fontFaces"], made["fontFaces"]);
    for _ in 0..2 {
        on(&world, "deleteCustomFont", &made).expect(204).await;
    }
    on(&world, "getCustomFont", &made).expect(404).await;
    let update = on(&world, "updateCustomFont", &made);
    update.json(json!({ "fontFamily": "Flood" })).expect(404).await;
}

async fn weights_of_fonts_change(database: TestDatabase) {
    let world = World::new(database).await;
    let font = world.new_font("Tide").await;
    let key = world.upload_font(WOFF).await;
    let update = |faces: Value| on(&world, "updateCustomFont", &font).json(json!({ "fontFaces": faces }));
    let changed = update(json!([
        { "weight": 700, "storageKey": key },
        { "weight": 300, "storageKey": key },
    ]));
    let changed = changed.expect(200).await;
    let weights = |font: &Value| -> Vec<u64> {
        let faces = font["fontFaces"].as_array().unwrap().iter();
        faces.map(|face| face["weight"].as_u64().unwrap()).collect()
    };
    assert_eq!(weights(&changed), [300, 400, 700]);
    assert_eq!(changed["fontFaces"][1], font["fontFaces"][0]);
    let changed = update(json!([
        { "weight": 300, "storageKey": null },
        { "weight": 400, "storageKey": key },
        { "weight": 900, "storageKey": null },
    ]));
    let changed = changed.expect(200).await;
    assert_eq!(weights(&changed), [400, 700]);
    assert_eq!(changed["fontFaces"][0]["sources"][0]["format"], "woff");
    assert_eq!(world.nobody().get(&file(&font, 0)).await.status(), 404);
    let refused = update(json!([{ "weight": 400, "storageKey": null }])).send().await;
    refused.has_detail("/body/fontFaces", "font-weights");
    let twice = json!([{ "weight": 500, "storageKey": key }, { "weight": 500, "storageKey": null }]);
    let refused = update(twice).send().await;
    refused.has_detail("/body/fontFaces/1/weight", "unique");
    let many: Vec<Value> = (1..20)
        .map(|weight| json!({ "weight": weight, "storageKey": key }))
        .collect();
    let refused = update(json!(many)).send().await;
    refused.has_detail("/body/fontFaces", "font-weights");
    let unknown = json!([{ "weight": 500, "storageKey": font["id"] }]);
    let refused = update(unknown).send().await;
    refused.has_detail("/body/fontFaces/0/storageKey", "unknown-upload");
    // Nothing has changed.
    assert_eq!(on(&world, "getCustomFont", &font).expect(200).await, changed);
    for (faces, pointer, rule) in [
        (
            json!([{ "weight": 700, "storageKey": key }]),
            "/body/fontFaces",
            "font-weights",
        ),
        (
            json!([{ "weight": 400, "storageKey": key }, { "weight": 400, "storageKey": key }]),
            "/body/fontFaces/1/weight",
            "unique",
        ),
        (
            json!([{ "weight": 400, "storageKey": "nothing" }]),
            "/body/fontFaces/0/storageKey",
            "unknown-upload",
        ),
    ] {
        let create = world.create.client.call("createCustomFont").here(&world);
        let body = json!({ "fontFamily": "Tide", "fontFaces": faces });
        create.json(body).send().await.has_detail(pointer, rule);
    }
}

async fn files_of_fonts_are_checked(database: TestDatabase) {
    let world = World::new(database).await;
    let upload = fonts::begin(&world.create, world.organization, 16).await;
    let send = async |bytes: &[u8]| fonts::send(&world.create, &upload["url"], bytes).await;
    for bytes in [&b"<svg></svg>"[..], b"", b"wOF", b"wof2 and glyphs", b"OTTO and glyphs"] {
        let answer = send(bytes).await;
        assert_eq!(answer.status(), 400);
        let answer: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        assert_eq!(answer["error"]["details"][0]["pointer"], "/body");
    }
    assert_eq!(send(b"wOF2 and too many").await.status(), 413);
    // The last bytes count.
    assert_eq!(send(WOFF).await.status(), 204);
    assert_eq!(send(WOFF2).await.status(), 204);
    let create = world.create.client.call("createCustomFont").here(&world);
    let faces = json!([{ "weight": 400, "storageKey": upload["key"] }]);
    let font = create.json(json!({ "fontFamily": "Tide", "fontFaces": faces }));
    let font = font.expect(201).await;
    assert_eq!(font["fontFaces"][0]["sources"][0]["format"], "woff2");

    let generate = |body: Value| {
        world
            .create
            .client
            .call("generateStorageUploadURL")
            .here(&world)
            .json(body)
    };
    let file = json!({ "name": "pages.zip", "type": "application/zip", "size": 16 });
    let other = generate(json!({ "file": file, "kind": "organization_file" }))
        .send()
        .await;
    other.has_detail("/body/kind", "enum");
    let large = json!({ "name": "large.woff2", "type": "font/woff2", "size": 100_000_000 });
    let large = generate(json!({ "file": large, "kind": "customization_font" }))
        .send()
        .await;
    large.has_detail("/body/file/size", "maximum");
}

async fn files_of_fonts_are_served_to_browsers(database: TestDatabase) {
    let world = World::new(database).await;
    let font = world.new_font("Tide").await;
    let file = file(&font, 0);
    let answer = world.nobody().get(&file).await;
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "font/woff2");
    assert_eq!(header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(header("cross-origin-resource-policy"), "cross-origin");
    assert_eq!(header("access-control-allow-origin"), "*");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(answer.bytes().await.unwrap(), WOFF2);
    let other = world.new_font("Ebb").await;
    for wrong in [
        file.replace(id(&font), id(&other)).replace(".woff2", ".woff"),
        file.replace(id(&font), "nothing"),
        file.replace(".woff2", ".woff"),
        file.replace(".woff2", ""),
        format!("{file}/x"),
        "/files/fonts/".to_owned(),
    ] {
        assert_eq!(world.nobody().get(&wrong).await.status(), 404, "{wrong}");
    }
    on(&world, "deleteCustomFont", &font).expect(204).await;
    assert_eq!(world.nobody().get(&file).await.status(), 404);
}

async fn uploads_end(database: TestDatabase) {
    let world = World::new(database).await;
    let upload = fonts::begin(&world.create, world.organization, 16).await;
    let address = path(&upload["url"]);
    let put = async |path: &str| {
        let request = world.nobody().request(Method::PUT, path);
        request.body(WOFF2).send().await.unwrap().status().as_u16()
    };
    for wrong in [
        address.replace("/16/", "/17/"),
        address.replace("/uploads/", "/uploads/0"),
        address.replace(upload["key"].as_str().unwrap(), "nothing"),
        format!("{address}/x"),
        "/uploads/".to_owned(),
        "/uploads/x".to_owned(),
    ] {
        assert_eq!(put(&wrong).await, 404, "{wrong}");
    }
    // The address needs no token, and takes nothing but an upload.
    assert_eq!(put(&address).await, 204);
    assert_eq!(world.nobody().get(&address).await.status(), 405);
    let options = world.nobody().request(Method::OPTIONS, &address);
    let options = options.send().await.unwrap();
    assert_eq!(options.headers()["allow"], "OPTIONS, PUT");
    world.clock().advance(TimeDelta::minutes(15));
    assert_eq!(put(&address).await, 404);
    // A day later, what no font was made from is dropped.
    world.clock().advance(TimeDelta::days(1));
    world.app().kernel.blobs.purge().await.unwrap();
    let create = world.create.client.call("createCustomFont").here(&world);
    let faces = json!([{ "weight": 400, "storageKey": upload["key"] }]);
    let late = create
        .json(json!({ "fontFamily": "Late", "fontFaces": faces }))
        .send()
        .await;
    late.has_detail("/body/fontFaces/0/storageKey", "unknown-upload");
}

async fn uploads_of_other_organizations_are_unknown(database: TestDatabase) {
    let world = World::new(database).await;
    let foreign = fonts::upload(&world.other_admin, world.other_organization, WOFF2).await;
    let create = world.create.client.call("createCustomFont").here(&world);
    let faces = json!([{ "weight": 400, "storageKey": foreign }]);
    let answer = create
        .json(json!({ "fontFamily": "Tide", "fontFaces": faces }))
        .send()
        .await;
    answer.has_detail("/body/fontFaces/0/storageKey", "unknown-upload");
}

async fn bytes_stay_as_long_as_a_font_has_them(database: TestDatabase) {
    let world = World::new(database).await;
    let app = world.app();
    let count = async || {
        app.kernel.blobs.purge().await.unwrap();
        blobs::Entity::find().count(app.kernel.db.read()).await.unwrap()
    };
    world.clock().advance(TimeDelta::days(2));
    let before = count().await;
    let key = world.upload_font(b"wOF2 and other glyphs").await;
    let create = world.create.client.call("createCustomFont").here(&world);
    let faces = json!([{ "weight": 400, "storageKey": key }]);
    let font = create.json(json!({ "fontFamily": "Tide", "fontFaces": faces }));
    let font = font.expect(201).await;
    assert_eq!(count().await, before + 1);
    world.clock().advance(TimeDelta::days(2));
    // The upload goes, and the font stays.
    assert_eq!(count().await, before + 1);
    assert_eq!(world.nobody().get(&file(&font, 0)).await.status(), 200);
    on(&world, "deleteCustomFont", &font).expect(204).await;
    assert_eq!(count().await, before);
}

async fn sites_have_fonts_as_they_are(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let [text, heading, mono] = [
        world.new_font("Tide").await,
        world.new_font("Ebb").await,
        world.new_font("Flood").await,
    ];
    let read = || world.on_site(&world.read, "getSiteCustomizationById", &published.site);
    let mut settings = read().expect(200).await;
    settings["styling"]["font"] = fonts::chosen(&text);
    settings["styling"]["headingFont"] = fonts::chosen(&heading);
    settings["styling"]["monospaceFont"] = fonts::chosen(&mono);
    let set = world.on_site(&world.create, "updateSiteCustomizationById", &published.site);
    let set = set.json(settings).expect(200).await;
    let shown = async || {
        let call = world.on_site(&world.read, "getPublishedContentSite", &published.site);
        let mut profile = call.expect(200).await;
        profile["customizations"]["site"]["styling"].take()
    };
    assert_eq!(shown().await, set["styling"]);
    let update = on(&world, "updateCustomFont", &text);
    let changed = update.json(json!({ "fontFamily": "Tide Sans" })).expect(200).await;
    assert_eq!(shown().await["font"], fonts::chosen(&changed));
    for font in [&text, &heading, &mono] {
        on(&world, "deleteCustomFont", font).expect(204).await;
    }
    let styling = shown().await;
    assert_eq!(
        (&styling["font"], styling.get("headingFont"), &styling["monospaceFont"]),
        (&json!("Inter"), None, &json!("IBMPlexMono"))
    );
    // The settings are those that were set.
    assert_eq!(read().expect(200).await, set);
}

async fn organizations_have_few_fonts_and_uploads(database: TestDatabase) {
    let world = World::new(database).await;
    let key = world.upload_font(WOFF2).await;
    let create = || {
        let create = world.create.client.call("createCustomFont").here(&world);
        let faces = json!([{ "weight": 400, "storageKey": key }]);
        create.json(json!({ "fontFamily": "Tide", "fontFaces": faces }))
    };
    // The world has some.
    for _ in 0..50 {
        create().send().await;
    }
    let refused = create().expect(409).await;
    assert_eq!(refused["error"]["type"], "too-many-fonts");
    let mut last = 204;
    for _ in 0..100 {
        let upload = fonts::begin(&world.create, world.organization, WOFF2.len()).await;
        last = fonts::send(&world.create, &upload["url"], WOFF2)
            .await
            .status()
            .as_u16();
    }
    assert_eq!(last, 409);
    let other = fonts::begin(&world.other_admin, world.other_organization, WOFF2.len()).await;
    assert_eq!(
        fonts::send(&world.other_admin, &other["url"], WOFF2).await.status(),
        204
    );
}
