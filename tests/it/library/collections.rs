//! Collections: nesting, moving, inheriting, deleting with all they hold.

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::{node_id, sorted, texts},
    world::{Person, World},
};

on_each_database![
    a_collection_is_created_read_and_changed,
    collections_nest_and_lists_say_which,
    collections_do_not_nest_deeper_than_sixteen,
    a_collection_cannot_go_into_itself,
    collections_move_like_spaces,
    default_levels_are_inherited_down_the_tree,
    a_deleted_collection_takes_along_what_it_holds,
    a_collection_is_transferred_with_all_it_holds,
];

async fn create(by: &Person, world: &World, title: &str, parent: Option<NodeId>) -> NodeId {
    let mut body = json!({ "title": title });
    if let Some(parent) = parent {
        body["parent"] = json!(parent);
    }
    node_id(
        &by.client
            .call("createCollection")
            .here(world)
            .json(body)
            .expect(201)
            .await,
    )
}

async fn create_space(world: &World, parent: NodeId) -> NodeId {
    let create = world.admin.client.call("createSpace").here(world);
    node_id(&create.json(json!({ "parent": parent })).expect(201).await)
}

async fn update(world: &World, collection: NodeId, body: Value) -> Value {
    let update = world.admin.client.call("updateCollectionById").collection(collection);
    update.json(body).expect(200).await
}

async fn move_to(world: &World, collection: NodeId, body: Value) -> u16 {
    let call = world.admin.client.call("moveCollection").collection(collection);
    call.json(body).send().await.status
}

/// The level that somebody has on a space, by what they may do.
async fn level(by: &Person, space: NodeId) -> &'static str {
    let answer = by.client.call("getSpaceById").space(space).send().await;
    if answer.status == 404 {
        return "none";
    }
    let may = answer.expect(200)["permissions"].clone();
    let levels = [
        ("admin", "admin"),
        ("review", "review"),
        ("edit", "edit"),
        ("comment", "comment"),
    ];
    let highest = levels.into_iter().find(|(member, _)| may[member] == true);
    highest.map_or("read", |(_, level)| level)
}

async fn a_collection_is_created_read_and_changed(database: TestDatabase) {
    let world = World::new(database).await;
    let create = world.create.client.call("createCollection").here(&world);
    let answer = create.json(json!({ "title": "Guides" })).send().await;
    let created = answer.expect(201);
    assert_eq!(
        answer.headers["location"],
        created["urls"]["location"].as_str().unwrap()
    );
    assert_eq!(created["defaultLevel"], "inherit");
    assert_eq!(
        created["permissions"],
        json!({ "view": true, "admin": true, "viewInviteLinks": true, "create": true })
    );
    let collection = node_id(&created);
    let get = world
        .read
        .client
        .call("getCollectionById")
        .collection(collection)
        .expect(200)
        .await;
    assert_eq!(
        get["permissions"],
        json!({ "view": true, "admin": false, "viewInviteLinks": false, "create": false })
    );
    let change = json!({ "title": "Handbooks", "description": "For everybody.", "defaultLevel": "comment" });
    let changed = update(&world, collection, change.clone()).await;
    for member in ["title", "description", "defaultLevel"] {
        assert_eq!(changed[member], change[member]);
    }
    assert!(
        update(&world, collection, json!({ "description": "" }))
            .await
            .get("description")
            .is_none()
    );
    let without_body = world
        .admin
        .client
        .call("createCollection")
        .here(&world)
        .expect(201)
        .await;
    assert_eq!(without_body["title"], "");
    let low = world.review.client.call("createCollection").here(&world);
    low.json(json!({ "title": "No" })).expect(403).await;
}

async fn collections_nest_and_lists_say_which(database: TestDatabase) {
    let world = World::new(database).await;
    let inner = create(&world.admin, &world, "Inner", Some(world.collection)).await;
    create(&world.admin, &world, "Innermost", Some(inner)).await;
    create(&world.admin, &world, "Second", None).await;
    let list = async |nested: Option<bool>| {
        let mut call = world.read.client.call("listCollectionsInOrganizationById").here(&world);
        if let Some(nested) = nested {
            call = call.query("nested", nested);
        }
        call.expect(200).await
    };
    let all = ["Inner", "Innermost", "Products", "Second"];
    assert_eq!(sorted(&list(None).await, "/title"), all);
    assert_eq!(sorted(&list(Some(true)).await, "/title"), all);
    assert_eq!(texts(&list(Some(false)).await, "/title"), ["Products", "Second"]);
    update(&world, world.collection, json!({ "defaultLevel": null })).await;
    let seen = list(None).await;
    assert_eq!(
        (texts(&seen, "/title"), &seen["count"]),
        (vec!["Second".to_owned()], &json!(1))
    );
}

async fn collections_do_not_nest_deeper_than_sixteen(database: TestDatabase) {
    let world = World::new(database).await;
    let mut deepest = world.collection;
    for depth in 2..=16 {
        deepest = create(&world.admin, &world, &format!("Depth {depth}"), Some(deepest)).await;
    }
    let deeper = world.admin.client.call("createCollection").here(&world);
    deeper.json(json!({ "parent": deepest })).expect(412).await;
    create_space(&world, deepest).await;
    // A tower of two has no room in the last but one.
    let tower = create(&world.admin, &world, "Tower", None).await;
    create(&world.admin, &world, "Top of it", Some(tower)).await;
    let above = world
        .admin
        .client
        .call("getCollectionById")
        .collection(deepest)
        .expect(200)
        .await;
    let last_but_one = above["parent"].as_str().unwrap().to_owned();
    assert_eq!(move_to(&world, tower, json!({ "parent": last_but_one })).await, 412);
    let alone = create(&world.admin, &world, "Alone", None).await;
    assert_eq!(move_to(&world, alone, json!({ "parent": last_but_one })).await, 200);
}

async fn a_collection_cannot_go_into_itself(database: TestDatabase) {
    let world = World::new(database).await;
    let inner = create(&world.admin, &world, "Inner", Some(world.collection)).await;
    let innermost = create(&world.admin, &world, "Innermost", Some(inner)).await;
    for target in [world.collection, inner, innermost] {
        assert_eq!(
            move_to(&world, world.collection, json!({ "parent": target })).await,
            412
        );
    }
    let position = json!({ "position": { "after": { "type": "collection", "collection": innermost } } });
    assert_eq!(move_to(&world, inner, position).await, 412);
}

async fn collections_move_like_spaces(database: TestDatabase) {
    let world = World::new(database).await;
    let second = create(&world.admin, &world, "Second", None).await;
    assert_eq!(move_to(&world, second, json!({})).await, 409);
    assert_eq!(move_to(&world, second, json!({ "parent": null })).await, 409);
    assert_eq!(
        move_to(&world, second, json!({ "parent": world.other_collection })).await,
        404
    );
    let call = world.admin.client.call("moveCollection").collection(second);
    let moved = call.json(json!({ "parent": world.collection })).expect(200).await;
    assert_eq!(moved["parent"], world.collection.to_string());
    let held = json!({ "position": { "before": { "type": "space", "space": world.space } } });
    assert_eq!(move_to(&world, second, held.clone()).await, 200);
    assert_eq!(move_to(&world, second, held).await, 409);
    let third = create(&world.admin, &world, "Third", Some(world.collection)).await;
    let fourth = create(&world.admin, &world, "Fourth", Some(world.collection)).await;
    let sibling = |id: NodeId| json!({ "type": "collection", "collection": id });
    let apart = json!({ "position": { "after": sibling(fourth), "before": sibling(second) } });
    let call = || world.admin.client.call("moveCollection").collection(third);
    let refused = call().json(apart).send().await;
    refused.has_detail("/body/position/before", "not-adjacent");
    let refused = call().json(json!({ "parent": "x".repeat(1_000) })).send().await;
    refused.has_detail("/body/parent", "max-length");
}

async fn default_levels_are_inherited_down_the_tree(database: TestDatabase) {
    let world = World::new(database).await;
    let inner = create(&world.admin, &world, "Inner", Some(world.collection)).await;
    let space = create_space(&world, inner).await;
    assert_eq!(level(&world.edit, space).await, "edit");
    assert_eq!(level(&world.guest, space).await, "none");
    update(&world, world.collection, json!({ "defaultLevel": "comment" })).await;
    assert_eq!(level(&world.edit, space).await, "comment");
    assert_eq!(level(&world.guest, space).await, "comment");
    update(&world, inner, json!({ "defaultLevel": null })).await;
    assert_eq!(level(&world.edit, space).await, "none");
    assert_eq!(level(&world.edit, world.space).await, "comment");
    assert_eq!(level(&world.admin, space).await, "admin");
    // What is set below a change stays.
    update(&world, world.collection, json!({ "defaultLevel": "review" })).await;
    assert_eq!(level(&world.edit, space).await, "none");
    update(&world, inner, json!({ "defaultLevel": "inherit" })).await;
    assert_eq!(level(&world.edit, space).await, "review");
    // A move changes what is inherited.
    assert_eq!(move_to(&world, inner, json!({ "parent": null })).await, 200);
    assert_eq!(level(&world.edit, space).await, "edit");
    assert_eq!(level(&world.guest, space).await, "none");
}

async fn a_deleted_collection_takes_along_what_it_holds(database: TestDatabase) {
    let world = World::new(database).await;
    let inner = create(&world.admin, &world, "Inner", Some(world.collection)).await;
    let space = create_space(&world, inner).await;
    update(&world, inner, json!({ "defaultLevel": null })).await;
    world
        .admin
        .client
        .call("deleteCollectionById")
        .collection(world.collection)
        .expect(204)
        .await;
    for gone in [world.collection, inner] {
        world
            .admin
            .client
            .call("getCollectionById")
            .collection(gone)
            .expect(404)
            .await;
    }
    for gone in [world.space, space] {
        world.admin.client.call("getSpaceById").space(gone).expect(404).await;
    }
    let list = world.admin.client.call("listSpacesInOrganizationById").here(&world);
    assert_eq!(list.expect(200).await["count"], 0);
    // A space brings back the collections above it, and is as closed as before.
    let restored = world.admin.client.call("restoreSpace").space(space).expect(200).await;
    assert_eq!(restored["parent"], inner.to_string());
    for back in [world.collection, inner] {
        world
            .admin
            .client
            .call("getCollectionById")
            .collection(back)
            .expect(200)
            .await;
    }
    world
        .admin
        .client
        .call("getSpaceById")
        .space(world.space)
        .expect(404)
        .await;
    assert_eq!(level(&world.edit, space).await, "none");
    world
        .admin
        .client
        .call("deleteCollectionById")
        .collection("nothing")
        .expect(204)
        .await;
}

async fn a_collection_is_transferred_with_all_it_holds(database: TestDatabase) {
    let world = World::new(database).await;
    let inner = create(&world.admin, &world, "Inner", Some(world.collection)).await;
    let space = create_space(&world, inner).await;
    bindery::areas::organizations::members::add(
        &world.app().kernel,
        world.other_organization,
        world.admin.id,
        Some(entity::organizations::members::MemberRole::Create),
    )
    .await
    .unwrap();
    let with_rules = |rules: Value| {
        let call = world.admin.client.call("updateSpaceById").space(space);
        call.json(json!({ "mergeRules": rules })).expect(200)
    };
    let reviewed = json!({ "rule": "require_specific_reviewers", "users": [world.edit.id] });
    with_rules(json!({ "type": "rules", "rules": [reviewed] })).await;
    let transfer = world.admin.client.call("transferCollection").collection(inner);
    let refused = transfer
        .json(json!({ "organization": world.other_organization }))
        .expect(412)
        .await;
    assert_eq!(refused["error"]["type"], "reviewer-missing");
    with_rules(json!({ "type": "none" })).await;
    let transfer = world.admin.client.call("transferCollection").collection(inner);
    let moved = transfer
        .json(json!({ "organization": world.other_organization }))
        .expect(200)
        .await;
    assert_eq!(moved["organization"], world.other_organization.to_string());
    assert!(moved.get("parent").is_none());
    assert_eq!(moved["permissions"]["admin"], true);
    let held = world
        .other_admin
        .client
        .call("getSpaceById")
        .space(space)
        .expect(200)
        .await;
    assert_eq!(held["organization"], world.other_organization.to_string());
    assert_eq!(held["parent"], inner.to_string());
    world.edit.client.call("getSpaceById").space(space).expect(404).await;
    world
        .edit
        .client
        .call("getSpaceById")
        .space(world.space)
        .expect(200)
        .await;
    let again = world.admin.client.call("transferCollection").collection(inner);
    again
        .json(json!({ "organization": world.other_organization }))
        .expect(409)
        .await;
}
