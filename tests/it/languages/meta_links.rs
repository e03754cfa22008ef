//! Links between pages and their translations.

use serde_json::{Value, json};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    published::{find, id, visitor},
    translations::{TranslatedSpace, insert},
};

on_each_database![
    translations_of_a_page_are_its_alternates,
    visitors_get_the_alternates_that_the_site_shows,
];

fn reference(space: &str, page: &str) -> Value {
    json!({ "kind": "page", "space": space, "page": page })
}

async fn links(client: &Client, space: &str, page: &str) -> Value {
    let call = client.call("listSpacePageMetaLinks").path("spaceId", space);
    call.path("pageId", page).expect(200).await
}

async fn translations_of_a_page_are_its_alternates(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.first_run().await;
    let (world, page) = (&book.world, &book.pages[0]);
    let member = &world.read.client;
    let expected = |space: &str, other: &str| {
        let alternates = [reference(other, page)];
        json!({ "canonical": reference(space, page), "alternates": alternates })
    };
    let (source, result) = (&book.source, &book.result);
    let of_source = expected(source, result);
    assert_eq!(links(member, source, page).await, of_source);
    assert_eq!(links(member, result, page).await, expected(result, source));

    // A page that is not translated yet has no alternates.
    let new = insert(world, source, "New", "Text.").await;
    let alone = json!({ "canonical": reference(source, &new), "alternates": [] });
    assert_eq!(links(member, source, &new).await, alone);

    let revision = member
        .call("getCurrentRevision")
        .path("spaceId", source)
        .expect(200)
        .await;
    let call = member.call("listRevisionPageMetaLinks").path("spaceId", source);
    let call = call.path("revisionId", id(&revision)).path("pageId", page);
    assert_eq!(call.expect(200).await, of_source);
    let create = world.create.client.call("createChangeRequest").path("spaceId", source);
    let request = create.json(json!({ "subject": "Draft" })).expect(201).await;
    let call = member.call("listChangeRequestPageMetaLinks").path("spaceId", source);
    let call = call.path("changeRequestId", id(&request)).path("pageId", page);
    assert_eq!(call.expect(200).await, of_source);

    // Members without a level on the translation get no link to it.
    let hide = world.admin.client.call("updateSpaceById").path("spaceId", result);
    hide.json(json!({ "defaultLevel": null })).expect(200).await;
    assert_eq!(links(member, source, page).await["alternates"], json!([]));
    assert_eq!(links(&world.admin.client, source, page).await, of_source);
    let call = member.call("listSpacePageMetaLinks").path("spaceId", source);
    call.path("pageId", result).expect(404).await;
}

async fn visitors_get_the_alternates_that_the_site_shows(database: TestDatabase) {
    let book = TranslatedSpace::new(database, None).await;
    book.first_run().await;
    let (world, source) = (&book.world, json!({ "id": book.source }));
    let site = world.new_site("Docs", &[&source]).await;
    let published = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let address = published["urls"]["published"].as_str().unwrap();
    let of_visitor = async || {
        let client = visitor(world, &find(world, address).await);
        links(&client, &book.source, &book.pages[0]).await["alternates"].clone()
    };
    assert_eq!(of_visitor().await, json!([]));
    let add = world.on_site(&world.admin, "addSpaceToSite", &site);
    add.json(json!({ "spaceId": book.result })).expect(201).await;
    assert_eq!(of_visitor().await, json!([reference(&book.result, &book.pages[0])]));
    // Nor is a page an alternate whose condition does not hold.
    let condition = json!({ "operation": "update_page", "page": book.pages[0], "condition": "visitor.claims.staff" });
    book.change(&book.result, json!([condition])).await;
    assert_eq!(of_visitor().await, json!([]));
}
