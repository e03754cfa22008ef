//! Spaces: creating, reading, changing, moving, copying, deleting and bringing back, giving away.

use chrono::TimeDelta;
use entity::{ids::NodeId, organizations::members::MemberRole};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::{node_id, texts},
    spaces::{create, titles, update},
    world::{Person, World},
};

on_each_database![
    a_space_is_created_with_what_is_said_and_defaults_for_the_rest,
    creating_needs_create_where_the_space_goes,
    its_creator_administers_a_space,
    members_of_a_space_are_changed_one_by_one,
    an_emoji_or_an_image_stands_for_a_space,
    merge_rules_name_members,
    a_copy_stands_behind_its_original,
    a_copy_needs_create_where_it_goes,
    a_deleted_space_is_gone_for_all_and_can_be_brought_back,
    after_seven_days_nothing_can_be_brought_back,
    a_space_is_transferred_with_its_caller_as_admin,
];

async fn get(by: &Person, space: NodeId) -> Value {
    by.client.call("getSpaceById").space(space).expect(200).await
}

async fn status_of_get(by: &Person, space: NodeId) -> u16 {
    by.client.call("getSpaceById").space(space).send().await.status
}

async fn a_space_is_created_with_what_is_said_and_defaults_for_the_rest(database: TestDatabase) {
    let world = World::new(database).await;
    let create = world.admin.client.call("createSpace").here(&world);
    let answer = create.send().await;
    let plain = answer.expect(201);
    assert_eq!(answer.headers["location"], plain["urls"]["location"].as_str().unwrap());
    assert_eq!(plain["title"], "");
    assert_eq!(plain["visibility"], "private");
    assert_eq!(plain["editMode"], "live");
    assert_eq!(plain["defaultLevel"], "inherit");
    assert_eq!(plain["mergeRules"], json!({ "type": "inherit" }));
    assert!(!plain["emoji"].as_str().unwrap().is_empty());
    assert!(plain.get("parent").is_none() && plain.get("language").is_none());
    let body = json!({
        "title": "Arm A2", "emoji": "🤖", "parent": world.collection, "language": "pt-br", "editMode": "locked",
        "empty": true, "somethingNew": { "a": 1 },
    });
    for (unknown, pointer, code) in [
        (
            json!({ "template": { "id": "handbook" } }),
            "/body/template/id",
            "unknown-template",
        ),
        (
            json!({ "computedSource": {
                "type": "builtin:openapi", "dependencies": { "spec": { "ref": { "kind": "openapi", "spec": "none" } } } } }),
            "/body/computedSource/dependencies/spec",
            "unknown-source",
        ),
    ] {
        let create = world
            .admin
            .client
            .call("createSpace")
            .here(&world)
            .json(unknown)
            .send()
            .await;
        create.has_detail(pointer, code);
    }
    let create = world.admin.client.call("createSpace").here(&world);
    let full = create.json(body).expect(201).await;
    assert_eq!(full["visibility"], "in-collection");
    assert_eq!(full["parent"], world.collection.to_string());
    assert_eq!(
        (&full["emoji"], &full["language"], &full["editMode"]),
        (&json!("🤖"), &json!("pt-br"), &json!("locked"))
    );
    assert_eq!(get(&world.admin, node_id(&full)).await, full);
    for parent in [world.space, world.other_collection] {
        let create = world.admin.client.call("createSpace").here(&world);
        create.json(json!({ "parent": parent })).expect(404).await;
    }
}

async fn creating_needs_create_where_the_space_goes(database: TestDatabase) {
    let world = World::new(database).await;
    let status = async |by: &Person, body: Value| {
        by.client
            .call("createSpace")
            .here(&world)
            .json(body)
            .send()
            .await
            .status
    };
    for (person, at_top, in_collection) in [
        (&world.create, 201, 201),
        (&world.review, 403, 403),
        (&world.read, 403, 403),
        (&world.guest, 403, 404),
    ] {
        assert_eq!(status(person, json!({})).await, at_top, "{}", person.email);
        let body = json!({ "parent": world.collection });
        assert_eq!(status(person, body).await, in_collection, "{}", person.email);
    }
}

async fn its_creator_administers_a_space(database: TestDatabase) {
    let world = World::new(database).await;
    let space = create(&world.create, &world, json!({ "title": "Mine" })).await;
    assert_eq!(get(&world.create, space).await["permissions"]["admin"], true);
    let other = get(&world.review, space).await;
    assert_eq!(other["permissions"]["admin"], false);
    assert_eq!(other["permissions"]["review"], true);
    update(&world.create, space, json!({ "defaultLevel": null })).await;
    assert_eq!(status_of_get(&world.review, space).await, 404);
    assert_eq!(status_of_get(&world.create, space).await, 200);
}

async fn members_of_a_space_are_changed_one_by_one(database: TestDatabase) {
    let world = World::new(database).await;
    let before = get(&world.admin, world.space).await;
    world.clock().advance(TimeDelta::seconds(5));
    let changes = json!({ "title": "Gripper G5", "editMode": "locked", "language": "de", "defaultLevel": "comment" });
    for (member, value) in changes.as_object().unwrap() {
        let after = update(&world.admin, world.space, json!({ member: value })).await;
        assert_eq!(after[member], *value);
    }
    let after = get(&world.admin, world.space).await;
    assert_eq!(after["createdAt"], before["createdAt"]);
    assert!(after["updatedAt"].as_str() > before["updatedAt"].as_str());
    assert_eq!(
        update(&world.admin, world.space, json!({})).await["title"],
        "Gripper G5"
    );
}

async fn an_emoji_or_an_image_stands_for_a_space(database: TestDatabase) {
    let world = World::new(database).await;
    let default = get(&world.admin, world.space).await["emoji"].clone();
    let change = async |body: Value| update(&world.admin, world.space, body).await;
    assert_eq!(change(json!({ "emoji": "1f9be" })).await["emoji"], "1f9be");
    let image = "https://images.tidewater.example/g4.png";
    assert_eq!(change(json!({ "icon": image })).await["urls"]["icon"], image);
    assert!(change(json!({ "emoji": "📗" })).await["urls"].get("icon").is_none());
    change(json!({ "icon": image })).await;
    let cleared = change(json!({ "emoji": null, "icon": null })).await;
    assert_eq!(cleared["emoji"], default);
    assert!(cleared["urls"].get("icon").is_none());
    let both = world.admin.client.call("updateSpaceById").space(world.space);
    let both = both.json(json!({ "emoji": "📗", "icon": image })).send().await;
    both.has_detail("/body", "exclusive");
    assert_eq!(
        change(json!({ "emoji": null, "icon": image })).await["urls"]["icon"],
        image
    );
    for bad in ["no emoji", "<script>", "本", "é", ""] {
        let call = world.admin.client.call("updateSpaceById").space(world.space);
        call.json(json!({ "emoji": bad }))
            .send()
            .await
            .has_detail("/body/emoji", "pattern");
    }
}

async fn merge_rules_name_members(database: TestDatabase) {
    let world = World::new(database).await;
    let rules = |user: String| {
        json!({ "mergeRules": { "type": "rules", "rules": [
        { "rule": "require_specific_reviewers", "users": [user] },
        { "rule": "require_at_least_one_review" },
        { "rule": "custom", "expression": "true" },
    ] } })
    };
    let body = rules(world.edit.id.to_string());
    assert_eq!(
        update(&world.admin, world.space, body.clone()).await["mergeRules"],
        body["mergeRules"]
    );
    let call = world.admin.client.call("updateSpaceById").space(world.space);
    let answer = call.json(rules(world.stranger.id.to_string())).send().await;
    answer.has_detail("/body/mergeRules/rules/0/users/0", "not-a-member");
    // Nobody is named who could not do their part.
    for (rule, user) in [
        ("require_specific_reviewers", &world.read),
        ("require_one_of_specific_reviewers", &world.guest),
        ("allow_bypass", &world.edit),
    ] {
        let rules = json!({ "type": "rules", "rules": [{ "rule": rule, "users": [world.admin.id, user.id] }] });
        let call = world.admin.client.call("updateSpaceById").space(world.space);
        let answer = call.json(json!({ "mergeRules": rules })).send().await;
        answer.has_detail("/body/mergeRules/rules/0/users/1", "no-access");
    }
    for kind in ["none", "inherit"] {
        let body = json!({ "mergeRules": { "type": kind } });
        assert_eq!(
            update(&world.admin, world.space, body.clone()).await["mergeRules"],
            body["mergeRules"]
        );
    }
}

async fn a_copy_stands_behind_its_original(database: TestDatabase) {
    let world = World::new(database).await;
    let last = create(
        &world.admin,
        &world,
        json!({ "title": "Last", "parent": world.collection }),
    )
    .await;
    update(&world.admin, world.space, json!({ "emoji": "1f9be", "language": "sv" })).await;
    let copy = world
        .admin
        .client
        .call("duplicateSpace")
        .space(world.space)
        .expect(201)
        .await;
    let original = get(&world.admin, world.space).await;
    for member in [
        "title",
        "emoji",
        "language",
        "parent",
        "defaultLevel",
        "mergeRules",
        "editMode",
        "visibility",
    ] {
        assert_eq!(copy[member], original[member], "{member}");
    }
    assert_ne!(copy["id"], original["id"]);
    assert_ne!(copy["revision"], original["revision"]);
    let list = world
        .admin
        .client
        .call("listSpacesInCollectionById")
        .collection(world.collection);
    let expected = [
        world.space.to_string(),
        copy["id"].as_str().unwrap().to_owned(),
        last.to_string(),
    ];
    assert_eq!(texts(&list.expect(200).await, "/id"), expected);
}

async fn a_copy_needs_create_where_it_goes(database: TestDatabase) {
    let world = World::new(database).await;
    // Each may create in the space alone; one of them does not even see its collection.
    for person in [&world.guest, &world.read] {
        let give = world
            .admin
            .client
            .call("updateUserPermissionInSpace")
            .space(world.space);
        let give = give.path("userId", person.id).json(json!({ "role": "create" }));
        give.expect(204).await;
        person
            .client
            .call("duplicateSpace")
            .space(world.space)
            .expect(403)
            .await;
    }
    // Whoever may read it copies it where they may create.
    let own = create(&world.create, &world, json!({ "title": "Own" })).await;
    update(&world.create, own, json!({ "defaultLevel": "read" })).await;
    let other = world.member("other", Some(MemberRole::Create)).await;
    assert_eq!(get(&other, own).await["permissions"]["edit"], false);
    let copy = other.client.call("duplicateSpace").space(own).expect(201).await;
    assert_eq!(copy["permissions"]["admin"], true);
    world.read.client.call("duplicateSpace").space(own).expect(403).await;
}

async fn a_deleted_space_is_gone_for_all_and_can_be_brought_back(database: TestDatabase) {
    let world = World::new(database).await;
    let before = get(&world.admin, world.space).await;
    let delete = async |by: &Person| by.client.call("deleteSpaceById").space(world.space).send().await.status;
    assert_eq!(delete(&world.create).await, 403);
    assert_eq!(delete(&world.other_admin).await, 204);
    assert_eq!(status_of_get(&world.admin, world.space).await, 200);
    world
        .admin
        .client
        .call("deleteSpaceById")
        .space(world.space)
        .expect(204)
        .await;
    assert_eq!(status_of_get(&world.admin, world.space).await, 404);
    assert_eq!(delete(&world.admin).await, 204);
    assert!(titles(&world.admin, &world).await.is_empty());
    let restore = async |by: &Person| by.client.call("restoreSpace").space(world.space).send().await.status;
    assert_eq!(restore(&world.create).await, 404);
    assert_eq!(restore(&world.stranger).await, 404);
    let restored = world
        .admin
        .client
        .call("restoreSpace")
        .space(world.space)
        .expect(200)
        .await;
    for member in ["id", "title", "parent", "revision", "createdAt"] {
        assert_eq!(restored[member], before[member], "{member}");
    }
    assert!(restored.get("deletedAt").is_none());
    assert_eq!(titles(&world.admin, &world).await, ["Gripper G4"]);
    assert_eq!(restore(&world.admin).await, 409);
}

async fn after_seven_days_nothing_can_be_brought_back(database: TestDatabase) {
    let world = World::new(database).await;
    let kept = create(&world.admin, &world, json!({})).await;
    world
        .admin
        .client
        .call("deleteSpaceById")
        .space(world.space)
        .expect(204)
        .await;
    world.clock().advance(TimeDelta::days(6));
    world.admin.client.call("deleteSpaceById").space(kept).expect(204).await;
    bindery::areas::library::tree::purge::purge(&world.app().kernel)
        .await
        .unwrap();
    world
        .admin
        .client
        .call("restoreSpace")
        .space(world.space)
        .expect(200)
        .await;
    world
        .admin
        .client
        .call("deleteSpaceById")
        .space(world.space)
        .expect(204)
        .await;
    world.clock().advance(TimeDelta::days(7) + TimeDelta::milliseconds(1));
    world
        .admin
        .client
        .call("restoreSpace")
        .space(world.space)
        .expect(404)
        .await;
    bindery::areas::library::tree::purge::purge(&world.app().kernel)
        .await
        .unwrap();
    world
        .admin
        .client
        .call("restoreSpace")
        .space(world.space)
        .expect(404)
        .await;
}

async fn a_space_is_transferred_with_its_caller_as_admin(database: TestDatabase) {
    let world = World::new(database).await;
    let to = async |by: &Person, organization: String| {
        let call = by.client.call("transferSpace").space(world.space);
        call.json(json!({ "organization": organization })).send().await.status
    };
    let (home, away) = (world.organization.to_string(), world.other_organization.to_string());
    assert_eq!(to(&world.admin, home).await, 409);
    assert_eq!(to(&world.admin, away.clone()).await, 404);
    assert_eq!(to(&world.admin, "nowhere".to_owned()).await, 404);
    let join = async |role| {
        bindery::areas::organizations::members::add(
            &world.app().kernel,
            world.other_organization,
            world.admin.id,
            role,
        )
        .await
        .unwrap();
    };
    join(None).await;
    assert_eq!(to(&world.admin, away.clone()).await, 403);
    let promote = world
        .other_admin
        .client
        .call("updateMemberInOrganizationById")
        .within(world.other_organization);
    promote
        .path("userId", world.admin.id)
        .json(json!({ "role": "create" }))
        .expect(200)
        .await;
    let rules = json!({ "mergeRules": { "type": "rules", "rules": [
        { "rule": "require_specific_reviewers", "users": [world.edit.id] },
    ] } });
    update(&world.admin, world.space, rules).await;
    assert_eq!(to(&world.admin, away.clone()).await, 412);
    update(&world.admin, world.space, json!({ "mergeRules": { "type": "none" } })).await;
    let call = world.admin.client.call("transferSpace").space(world.space);
    let space = call.json(json!({ "organization": away })).expect(200).await;
    assert_eq!(space["organization"], away);
    assert!(space.get("parent").is_none());
    assert_eq!(space["visibility"], "private");
    assert_eq!(space["permissions"]["admin"], true);
    assert_eq!(status_of_get(&world.edit, world.space).await, 404);
    assert_eq!(status_of_get(&world.other_admin, world.space).await, 200);
}
