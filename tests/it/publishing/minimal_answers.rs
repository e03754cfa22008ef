//! Answers without a body, for `Prefer: return=minimal`.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::id,
    sites::add,
    world::World,
};

on_each_database![changes_are_answered_without_a_body, other_preferences_are_ignored];

async fn changes_are_answered_without_a_body(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Gripper G4").await;
    let site = world.new_site("Manuals", &[]).await;
    let section = add(&world, &site, "addSectionToSite", json!({ "spaceId": space["id"] })).await;
    let group = add(&world, &site, "addSectionGroupToSite", json!({ "title": "Group" })).await;
    let body = json!({ "title": "Link", "url": "https://tidewater.example/" });
    let link = add(&world, &site, "addExternalLinkToSite", body).await;
    let item = add(&world, &site, "addSpaceToSite", json!({ "spaceId": space["id"] })).await;
    let request = world
        .admin
        .client
        .call("createChangeRequest")
        .path("spaceId", id(&space));
    let request = request.json(json!({ "subject": "Draft" })).expect(201).await;

    let on_site = |operation| world.on_site(&world.admin, operation, &site);
    let change_request = world.admin.client.call("updateChangeRequestById");
    let calls = [
        change_request
            .path("spaceId", id(&space))
            .path("changeRequestId", id(&request))
            .json(json!({ "subject": "Changed" })),
        on_site("sortSiteStructure").json(json!({ "item": { "type": "site-section", "id": section["id"] } })),
        on_site("addSpaceToSite").json(json!({ "spaceId": space["id"] })),
        on_site("updateSiteSectionById")
            .path("siteSectionId", id(&section))
            .json(json!({ "title": "Changed" })),
        on_site("updateSiteSectionGroupById")
            .path("siteSectionGroupId", id(&group))
            .json(json!({ "title": "Changed" })),
        on_site("updateSiteSpaceById")
            .path("siteSpaceId", id(&item))
            .json(json!({ "hidden": true })),
        on_site("updateSiteExternalLinkById")
            .path("siteExternalLinkId", id(&link))
            .json(json!({ "title": "Changed" })),
        on_site("moveSiteSection")
            .path("siteSectionId", id(&section))
            .json(json!({})),
        on_site("moveSiteSectionGroup")
            .path("siteSectionGroupId", id(&group))
            .json(json!({})),
        on_site("moveSiteSpace").path("siteSpaceId", id(&item)).json(json!({})),
        on_site("addSectionToSite").json(json!({ "spaceId": space["id"] })),
        on_site("addSectionGroupToSite").json(json!({ "title": "Other" })),
        on_site("addExternalLinkToSite").json(json!({ "title": "Other", "url": "https://tidewater.example/" })),
        on_site("addSectionToGroup")
            .path("siteSectionGroupId", id(&group))
            .json(json!({ "sectionId": section["id"] })),
        on_site("duplicateSiteSpace").path("siteSpaceId", id(&item)),
    ];
    for call in calls {
        let answer = call.header("Prefer", "return=minimal").send().await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""));
        assert_eq!(answer.headers["preference-applied"], "return=minimal");
        assert!(!answer.headers.contains_key("content-type"));
    }
    // The changes were made.
    let list = on_site("listSiteSpaces").expect(200).await;
    let mut items = list["items"].as_array().unwrap().iter();
    assert_eq!(items.find(|other| other["id"] == item["id"]).unwrap()["hidden"], true);
    let changed = world.admin.client.call("getChangeRequestById");
    let changed = changed
        .path("spaceId", id(&space))
        .path("changeRequestId", id(&request));
    assert_eq!(changed.expect(200).await["subject"], "Changed");
}

async fn other_preferences_are_ignored(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Gripper G4").await;
    let site = world.new_site("Manuals", &[]).await;
    let section = add(&world, &site, "addSectionToSite", json!({ "spaceId": space["id"] })).await;
    let update = |title: &str| {
        let call = world.on_site(&world.admin, "updateSiteSectionById", &site);
        call.path("siteSectionId", id(&section)).json(json!({ "title": title }))
    };
    for preference in ["return=representation", "respond-async", "return=something"] {
        let answer = update("Changed").header("Prefer", preference).send().await;
        assert_eq!(answer.status, 200, "{preference}");
        assert!(!answer.headers.contains_key("preference-applied"));
    }
    // Errors are answered as ever, and operations that know nothing of it too.
    let refused = update("").header("Prefer", "return=minimal").send().await;
    assert!(
        refused.status == 400 && refused.text.contains("/body/title"),
        "{}",
        refused.text
    );
    let read = world.on_site(&world.admin, "getSiteById", &site);
    read.header("Prefer", "return=minimal").expect(200).await;
}
