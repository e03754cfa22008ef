//! Published content, as visitors find it.

use serde_json::json;

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, read, resolve, visitor},
    world::World,
};

on_each_database![
    addresses_lead_to_content,
    unpublished_content_is_not_found,
    share_links_open_sites_until_they_are_off,
    showing_a_site_takes_as_many_statements_whatever_its_size,
];

async fn addresses_lead_to_content(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let base = &published.address;
    let found = find(&world, base).await;
    assert_eq!(found["space"], published.spaces[0]["id"]);
    assert_eq!(found["site"], published.site["id"]);
    assert_eq!(found["organization"], world.organization.to_string());
    assert_eq!((&found["pathname"], &found["complete"]), (&json!("/"), &json!(false)));
    assert_eq!(
        (&found["basePath"], &found["siteBasePath"]),
        (&json!("/sites/manuals/"), &json!("/sites/manuals/"))
    );
    assert_eq!(found["canonicalUrl"], *base);
    let client = visitor(&world, &found);
    let text = read(&client, &found).expect(200).await["markdown"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(text.contains("Of One, for all."), "{text}");

    for (path, space, pathname, base_path, canonical) in [
        ("start", 0, "/start", "/sites/manuals/", "start"),
        ("two", 1, "/", "/sites/manuals/two/", "two/"),
        (
            "two/a%20b/start?q=1#part",
            1,
            "/a%20b/start",
            "/sites/manuals/two/",
            "two/a%20b/start",
        ),
        // The default one has a shorter address.
        ("one/start", 0, "/start", "/sites/manuals/one/", "start"),
    ] {
        let found = find(&world, &format!("{base}{path}")).await;
        assert_eq!(found["space"], published.spaces[space]["id"], "{path}");
        assert_eq!(
            (&found["pathname"], &found["basePath"]),
            (&json!(pathname), &json!(base_path)),
            "{path}"
        );
        assert_eq!(found["canonicalUrl"], format!("{base}{canonical}"), "{path}");
    }
    let body = json!({ "spaceId": published.spaces[1]["id"], "title": "More" });
    let add = world.on_site(&world.admin, "addSectionToSite", &published.site);
    add.json(json!({ "spaceId": published.spaces[0]["id"], "title": "First" }))
        .expect(201)
        .await;
    let add = world.on_site(&world.admin, "addSectionToSite", &published.site);
    let section = add.json(body).expect(201).await;
    let found = find(&world, &format!("{base}more/two/start")).await;
    assert_eq!(found["siteSection"], section["id"]);
    assert_eq!(found["siteSpace"], section["siteSpaces"][0]["id"]);
    assert_eq!(
        (&found["pathname"], &found["complete"]),
        (&json!("/start"), &json!(true))
    );
    assert_eq!(found["basePath"], "/sites/manuals/more/two/");
    assert_eq!(found["canonicalUrl"], format!("{base}more/start"));

    published.set_proxy(&world, "tidewater.example/docs/v1").await;
    let found = find(&world, "https://tidewater.example/docs/v1/more/start").await;
    assert_eq!(found["siteSection"], section["id"]);
    assert_eq!(
        (&found["siteBasePath"], &found["basePath"]),
        (&json!("/docs/v1/"), &json!("/docs/v1/more/"))
    );
    assert_eq!(found["canonicalUrl"], "https://tidewater.example/docs/v1/more/start");
    let former = world.stranger.client.call("getPublishedContentByUrl");
    let former = former.query("url", base).expect(200).await;
    assert_eq!(former["space"], published.spaces[0]["id"]);
}

async fn unpublished_content_is_not_found(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let base = &published.address;
    let found = find(&world, base).await;
    let client = visitor(&world, &found);
    for other in [
        "http://elsewhere.example/sites/manuals/",
        &base.replace("manuals", "other"),
    ] {
        resolve(&world, other, json!({})).expect(404).await;
    }
    world
        .on_site(&world.admin, "unpublishSite", &published.site)
        .expect(200)
        .await;
    resolve(&world, base, json!({})).expect(404).await;
    read(&client, &found).expect(404).await;
    let former = world.stranger.client.call("getPublishedContentByUrl");
    former.query("url", base).expect(404).await;
    let call = world.stranger.client.call("resolvePublishedContentByUrl");
    let redirect = call
        .json(json!({ "url": base, "redirectOnError": true }))
        .expect(200)
        .await;
    assert_eq!(redirect["target"], "application");
    assert!(redirect["redirect"].as_str().unwrap().ends_with("/docs/"));

    world
        .on_site(&world.admin, "publishSite", &published.site)
        .expect(200)
        .await;
    read(&client, &found).expect(200).await;
    let delete = world.admin.client.call("deleteSpaceById");
    delete.path("spaceId", id(&published.spaces[0])).expect(204).await;
    read(&client, &found).expect(404).await;
    resolve(&world, base, json!({})).expect(404).await;
}

async fn share_links_open_sites_until_they_are_off(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let open = find(&world, &published.address).await;
    published.set(&world, json!({ "visibility": "share-link" })).await;
    // Who came while anybody could is out, too.
    read(&visitor(&world, &open), &open).expect(404).await;
    resolve(&world, &published.address, json!({})).expect(404).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &published.site);
    let link = create.json(json!({ "name": "Partners" })).expect(201).await;
    let address = link["urls"]["published"].as_str().unwrap();
    let found = find(&world, &format!("{address}two/start")).await;
    let key = found["shareKey"].as_str().unwrap();
    assert_eq!(found["siteBasePath"], format!("/sites/manuals/{key}/"));
    assert_eq!(
        (&found["pathname"], &found["space"]),
        (&json!("/start"), &published.spaces[1]["id"])
    );
    assert_eq!(found["canonicalUrl"], format!("{address}two/start"));
    let client = visitor(&world, &found);
    read(&client, &found).expect(200).await;

    let other = world.new_site("Other", &[]).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &other);
    let of_other = create.json(json!({ "name": "" })).expect(201).await;
    let of_other = of_other["urls"]["published"]
        .as_str()
        .unwrap()
        .replace("/other/", "/manuals/");
    let forged = format!("{}{}{}/", published.address, id(&link), id(&link));
    for bad in [&of_other, &forged] {
        resolve(&world, bad, json!({})).expect(404).await;
    }
    let switch = async |active: bool| {
        let update = world.on_site(&world.admin, "updateSiteShareLinkById", &published.site);
        update
            .path("shareLinkId", id(&link))
            .json(json!({ "active": active }))
            .expect(200)
            .await;
    };
    switch(false).await;
    resolve(&world, address, json!({})).expect(404).await;
    read(&client, &found).expect(404).await;
    switch(true).await;
    read(&client, &found).expect(200).await;
}

async fn showing_a_site_takes_as_many_statements_whatever_its_size(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let found = find(&world, &published.address).await;
    let client = visitor(&world, &found);
    let on_site = |operation: &str| client.call(operation).here(&world).path("siteId", id(&published.site));
    let measure = async || {
        let taken = async |call: Call<'_>| {
            let before = world.app().kernel.db.statements();
            call.expect(200).await;
            world.app().kernel.db.statements() - before
        };
        // The structure is read once after each change, and content once after the start.
        find(&world, &published.address).await;
        read(&client, &found).expect(200).await;
        [
            taken(resolve(&world, &published.address, json!({}))).await,
            taken(on_site("getPublishedContentSite")).await,
            taken(on_site("getSiteStructure")).await,
            taken(read(&client, &found)).await,
        ]
    };
    let small = measure().await;
    for number in 0..20 {
        let space = world.new_space(&format!("Space {number}")).await;
        let add = world.on_site(&world.admin, "addSpaceToSite", &published.site);
        add.json(json!({ "spaceId": space["id"] })).expect(201).await;
    }
    let large = measure().await;
    println!("resolve, published, structure, page: {small:?} and {large:?} statements");
    assert_eq!(small, large);
    assert!(
        small.iter().zip([2, 5, 2, 3]).all(|(taken, most)| *taken <= most),
        "{small:?}"
    );
}
