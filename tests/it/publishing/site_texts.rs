//! Texts of sites in several languages.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, visitor},
    world::World,
};

on_each_database![
    the_structure_is_kept_in_several_languages,
    settings_are_kept_in_several_languages,
];

async fn the_structure_is_kept_in_several_languages(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::in_sections(&world, &["One"]).await;
    let site = &published.site;
    let list = world.on_site(&world.read, "listSiteSections", site).expect(200).await;
    let first = &list["items"][0];
    let body = json!({ "title": "Products", "sections": [first["id"]] });
    let products = world.on_site(&world.create, "addSectionGroupToSite", site);
    let products = products.json(body).expect(201).await;
    let section = || {
        let call = world.on_site(&world.create, "updateSiteSectionById", site);
        call.path("siteSectionId", id(first))
    };
    let group = || {
        let call = world.on_site(&world.create, "updateSiteSectionGroupById", site);
        call.path("siteSectionGroupId", id(&products))
    };
    let title = json!({ "de": "Eins", "pt-br": "Um" });
    let body = json!({ "localizedTitle": title, "localizedDescription": { "de": "Alles über eins" } });
    let changed = section().json(body).expect(200).await;
    assert_eq!(changed["localizedTitle"], title);
    let body = json!({ "localizedTitle": { "de": "Produkte" } });
    group().json(body).expect(200).await;
    let client = visitor(&world, &find(&world, &published.address).await);
    let seen = client
        .call("getSiteStructure")
        .here(&world)
        .path("siteId", id(site))
        .expect(200)
        .await;
    let seen = &seen["structure"][0];
    assert_eq!(seen["localizedTitle"], json!({ "de": "Produkte" }));
    let seen = &seen["children"][0];
    assert_eq!(seen["localizedTitle"], title);
    assert_eq!(seen["localizedDescription"], json!({ "de": "Alles über eins" }));
    let changed = section().json(json!({ "localizedTitle": {} })).expect(200).await;
    assert_eq!(changed.get("localizedTitle"), None);
    assert!(changed.get("localizedDescription").is_some());
    let unknown = json!({ "localizedTitle": { "tlh": "wa'" } });
    for call in [section(), group()] {
        let refused = call.json(unknown.clone()).send().await;
        refused.expect(400);
        refused.has_detail("/body/localizedTitle/tlh", "language");
    }
}

async fn settings_are_kept_in_several_languages(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site = &published.site;
    let of_site = |operation| world.on_site(&world.create, operation, site);
    let mut settings = of_site("getSiteCustomizationById").expect(200).await;
    let (title, message) = (json!({ "de": "Handbücher" }), json!({ "de": "Neu.", "fr": "Nouveau." }));
    let link = json!({ "title": "Help", "localizedTitle": { "de": "Hilfe" }, "to": { "kind": "url", "url": "https://tidewater.example/" } });
    settings["localizedTitle"] = title.clone();
    settings["announcement"] =
        json!({ "enabled": true, "message": "New.", "localizedMessage": message, "style": "info", "link": link });
    settings["header"]["links"] =
        json!([{ "title": "More", "localizedTitle": { "de": "Mehr" }, "to": null, "links": [link] }]);
    settings["footer"]["groups"] = json!([{ "title": "Us", "localizedTitle": { "de": "Wir" }, "links": [link] }]);
    settings["ai"]["localizedGreeting"] = json!({ "de": "Hallo" });
    let call = of_site("updateSiteCustomizationById").json(settings.clone());
    let mut set = call.expect(200).await;
    set.as_object_mut().unwrap().remove("updatedAt");
    assert_eq!(set, settings);
    let client = visitor(&world, &find(&world, &published.address).await);
    let seen = client
        .call("getPublishedContentSite")
        .here(&world)
        .path("siteId", id(site));
    let seen = seen.expect(200).await["customizations"].clone();
    assert_eq!(
        (&seen["site"]["localizedTitle"], &seen["site"]["announcement"]),
        (&title, &settings["announcement"])
    );
    // Texts in other languages are those of the text that they are beside.
    let list = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    let of_item = |operation| of_site(operation).path("siteSpaceId", id(&list["items"][0]));
    let body = json!({ "title": "Manual", "announcement": { "message": "Old." } });
    let changed = of_item("overrideSiteSpaceCustomizationById")
        .json(body)
        .expect(200)
        .await;
    assert_eq!(
        (
            changed.get("localizedTitle"),
            changed["announcement"].get("localizedMessage")
        ),
        (None, None)
    );
    let own = json!({ "fr": "Ancien." });
    let body = json!({ "announcement": { "localizedMessage": own }, "localizedTitle": { "de": "Handbuch" } });
    let changed = of_item("overrideSiteSpaceCustomizationById")
        .json(body)
        .expect(200)
        .await;
    assert_eq!(changed["announcement"]["localizedMessage"], own);
    assert_eq!(
        (&changed["title"], &changed["localizedTitle"]),
        (&json!("Manual"), &json!({ "de": "Handbuch" }))
    );

    let unknown = json!({ "tlh": "x" });
    settings["footer"]["groups"][0]["links"][0]["localizedTitle"] = unknown.clone();
    let overrides = json!({ "localizedTitle": unknown });
    for (call, pointer) in [
        (
            of_site("updateSiteCustomizationById").json(settings),
            "/body/footer/groups/0/links/0/localizedTitle/tlh",
        ),
        (
            of_item("overrideSiteSpaceCustomizationById").json(overrides),
            "/body/localizedTitle/tlh",
        ),
    ] {
        let refused = call.send().await;
        refused.expect(400);
        refused.has_detail(pointer, "language");
    }
}
