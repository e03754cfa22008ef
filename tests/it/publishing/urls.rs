//! Content by its address.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    published::{Published, id},
    world::{Person, World},
};

on_each_database![
    addresses_in_answers_lead_back_to_what_they_are_of,
    addresses_of_published_sites_lead_to_spaces_and_pages,
    hidden_content_is_not_found,
];

fn at<'a>(person: &'a Person, url: &Value) -> Call<'a> {
    person
        .client
        .call("getContentByUrl")
        .query("url", url.as_str().unwrap())
}

async fn addresses_in_answers_lead_back_to_what_they_are_of(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world
        .admin
        .client
        .call("getSpaceById")
        .space(world.space)
        .expect(200)
        .await;
    let collection = world
        .admin
        .client
        .call("getCollectionById")
        .collection(world.collection);
    let collection = collection.expect(200).await;
    let request = world.change_request(&world.admin, "Typo").await;
    let page = world
        .admin
        .client
        .call("getPageById")
        .space(world.space)
        .path("pageId", world.own("pageId"));
    let page = page.expect(200).await;
    for member in ["location", "app"] {
        assert_eq!(
            at(&world.admin, &collection["urls"][member]).expect(200).await,
            json!({ "collection": collection })
        );
        assert_eq!(
            at(&world.admin, &space["urls"][member]).expect(200).await["space"]["id"],
            space["id"]
        );
        let found = at(&world.admin, &request["urls"][member]).expect(200).await;
        assert_eq!(
            (&found["changeRequest"], &found["space"]["id"]),
            (&request, &space["id"])
        );
        assert_eq!(found.get("page"), None);
    }
    let found = at(&world.admin, &page["urls"]["app"]).expect(200).await;
    assert_eq!(found["page"]["id"], page["id"]);
    assert_eq!(found["page"].get("document"), None);
    let base = &world.service.base;
    let path = page["path"].as_str().unwrap();
    let space = world.space;
    let number = &request["number"];
    for address in [
        format!("{base}/v1/spaces/{space}/content/page/{}", id(&page)),
        format!("{base}/v1/spaces/{space}/content/path/{path}"),
        format!("{base}/v1/spaces/{space}/change-requests/{number}/content/path/{path}"),
    ] {
        let found = at(&world.admin, &json!(address)).expect(200).await;
        assert_eq!(found["page"]["id"], page["id"], "{address}");
        assert_eq!(
            found.get("changeRequest").is_some(),
            address.contains("change-requests")
        );
    }
    for nowhere in [
        format!("{base}/v1/spaces/{space}/content/path/nowhere"),
        format!("{base}/v1/spaces/{space}/content/page/x"),
        format!("{base}/v1/spaces/{space}/change-requests/999"),
        format!("{base}/v1/spaces/{space}/comments"),
        format!("{base}/v1/orgs/{}", world.organization),
        format!("{base}/docs/"),
        format!("{base}.evil.example/v1/spaces/{space}"),
        "nothing".to_owned(),
        String::new(),
    ] {
        at(&world.admin, &json!(nowhere)).expect(404).await;
    }
}

async fn addresses_of_published_sites_lead_to_spaces_and_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let base = &published.address;
    let found = at(&world.admin, &json!(base)).expect(200).await;
    assert_eq!(found["space"]["id"], published.spaces[0]["id"]);
    assert_eq!(found.get("page"), None);
    let found = at(&world.admin, &json!(format!("{base}two/start"))).expect(200).await;
    assert_eq!(
        (&found["space"]["id"], &found["page"]["title"]),
        (&published.spaces[1]["id"], &json!("Start"))
    );
    at(&world.admin, &json!(format!("{base}two/nowhere"))).expect(404).await;
    published.set(&world, json!({ "visibility": "share-link" })).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &published.site);
    let link = create.json(json!({ "name": "Partners" })).expect(201).await;
    let address = format!("{}two/start", link["urls"]["published"].as_str().unwrap());
    let found = at(&world.admin, &json!(address)).expect(200).await;
    assert_eq!(found["space"]["id"], published.spaces[1]["id"]);
    // Readers of a site are not yet readers of the space.
    at(&world.stranger, &json!(address)).expect(404).await;
    world
        .on_site(&world.admin, "unpublishSite", &published.site)
        .expect(200)
        .await;
    at(&world.admin, &json!(address)).expect(404).await;
}

async fn hidden_content_is_not_found(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Hidden").await;
    let update = world.admin.client.call("updateSpaceById").path("spaceId", id(&space));
    update.json(json!({ "defaultLevel": null })).expect(200).await;
    for member in ["location", "app"] {
        for person in [&world.read, &world.guest, &world.stranger, &world.other_admin] {
            at(person, &space["urls"][member]).expect(404).await;
        }
    }
}
