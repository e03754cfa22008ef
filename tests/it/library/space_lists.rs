//! Lists of spaces, and how many there are.

use entity::{ids::OrganizationId, organizations::members::MemberRole};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::sorted,
    spaces::{create, update},
    world::{Person, World},
};

on_each_database![
    lists_show_what_the_caller_sees,
    each_page_says_how_many_spaces_there_are,
];

async fn lists_show_what_the_caller_sees(database: TestDatabase) {
    let world = World::new(database).await;
    let hidden = create(&world.admin, &world, json!({ "title": "Hidden" })).await;
    update(&world.admin, hidden, json!({ "defaultLevel": null })).await;
    let open = create(&world.admin, &world, json!({ "title": "Open" })).await;
    update(&world.admin, open, json!({ "defaultLevel": "read" })).await;
    for (person, expected) in [
        (&world.admin, &["Gripper G4", "Hidden", "Open"][..]),
        (&world.read, &["Gripper G4", "Open"]),
        (&world.guest, &["Open"]),
    ] {
        let list = person
            .client
            .call("listSpacesInOrganizationById")
            .here(&world)
            .expect(200)
            .await;
        assert_eq!(sorted(&list, "/title"), expected, "{}", person.email);
        assert_eq!(list["count"], expected.len(), "{}", person.email);
        let theirs = world.admin.client.call("listSpacesForOrganizationMember").here(&world);
        let theirs = theirs.path("userId", person.id).expect(200).await;
        assert_eq!(sorted(&theirs, "/space/title"), expected, "{}", person.email);
        assert_eq!(theirs["count"], expected.len(), "{}", person.email);
        assert!(
            theirs["items"]
                .as_array()
                .unwrap()
                .iter()
                .all(|item| item["space"]["permissions"]["admin"] == true)
        );
        let own = person.client.call("listSpacesForOrganizationMember").here(&world);
        let own = own.path("userId", person.id).query("order", "asc").expect(200).await;
        assert_eq!(own["items"].as_array().unwrap().len(), expected.len());
    }
    // Another member sees the level of the member on what both of them see.
    let seen = async |by: &Person, of: &Person, status| {
        let list = by.client.call("listSpacesForOrganizationMember").here(&world);
        list.path("userId", of.id).expect(status).await
    };
    let shared = seen(&world.read, &world.admin, 200).await;
    assert_eq!(sorted(&shared, "/space/title"), ["Gripper G4", "Open"]);
    assert_eq!(shared["count"], 2);
    for item in shared["items"].as_array().unwrap() {
        assert_eq!(
            (&item["permission"], &item["space"]["permissions"]["edit"]),
            (&json!("admin"), &json!(false))
        );
    }
    seen(&world.guest, &world.read, 403).await;
    seen(&world.admin, &world.stranger, 404).await;
}

/// The number that each page with one space says.
async fn number(world: &World, organization: OrganizationId) -> u64 {
    let list = world
        .admin
        .client
        .call("listSpacesInOrganizationById")
        .within(organization);
    let first = list.query("limit", 1).expect(200).await;
    let Some(next) = first.pointer("/next/page").and_then(Value::as_str) else {
        return first["count"].as_u64().unwrap();
    };
    let second = world
        .admin
        .client
        .call("listSpacesInOrganizationById")
        .within(organization);
    let second = second.query("limit", 1).query("page", next).expect(200).await;
    assert_eq!(second["count"], first["count"]);
    first["count"].as_u64().unwrap()
}

async fn each_page_says_how_many_spaces_there_are(database: TestDatabase) {
    let world = World::new(database).await;
    let (here, there) = (world.organization, world.other_organization);
    let join = bindery::areas::organizations::members::add(
        &world.app().kernel,
        there,
        world.admin.id,
        Some(MemberRole::Admin),
    );
    join.await.unwrap();
    let (before, elsewhere) = (number(&world, here).await, number(&world, there).await);
    for (title, default_level) in [("Open", json!("read")), ("Closed", Value::Null)] {
        let space = create(&world.admin, &world, json!({ "title": title })).await;
        update(&world.admin, space, json!({ "defaultLevel": default_level })).await;
    }
    let space = create(
        &world.admin,
        &world,
        json!({ "title": "Third", "parent": world.collection }),
    )
    .await;
    let call = |operation: &str| world.admin.client.call(operation).space(space);
    assert_eq!(number(&world, here).await, before + 3);
    call("deleteSpaceById").expect(204).await;
    assert_eq!(number(&world, here).await, before + 2);
    call("restoreSpace").expect(200).await;
    assert_eq!(number(&world, here).await, before + 3);
    call("transferSpace")
        .json(json!({ "organization": there }))
        .expect(200)
        .await;
    assert_eq!(number(&world, here).await, before + 2);
    assert_eq!(number(&world, there).await, elsewhere + 1);
}
