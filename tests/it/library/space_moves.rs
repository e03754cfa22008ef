//! Moving spaces among their neighbours.

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    spaces::{create, titles},
    tree::tree_is_right,
    world::{Person, World},
};

on_each_database![
    spaces_move_next_to_each_other,
    a_move_that_cannot_be_is_refused,
    many_moves_into_one_gap_keep_the_order,
    a_restored_space_has_a_place_of_its_own,
];

/// Three spaces in the collection, besides the first.
async fn row(world: &World) -> [NodeId; 3] {
    let mut made = Vec::new();
    for title in ["A", "B", "C"] {
        made.push(
            create(
                &world.admin,
                world,
                json!({ "title": title, "parent": world.collection }),
            )
            .await,
        );
    }
    made.try_into().unwrap()
}

fn next_to(side: &str, space: NodeId) -> Value {
    json!({ "position": { side: { "type": "space", "space": space } } })
}

async fn spaces_move_next_to_each_other(database: TestDatabase) {
    let world = World::new(database).await;
    let [a, b, c] = row(&world).await;
    let moved = async |space: NodeId, body: Value| {
        world
            .admin
            .client
            .call("moveSpace")
            .space(space)
            .json(body)
            .expect(200)
            .await;
        titles(&world.admin, &world).await.join(" ")
    };
    assert_eq!(moved(c, next_to("before", a)).await, "Gripper G4 C A B");
    assert_eq!(moved(world.space, next_to("after", b)).await, "C A B Gripper G4");
    assert_eq!(moved(a, json!({})).await, "C B Gripper G4 A");
    let both =
        json!({ "position": { "after": { "type": "space", "space": c }, "before": { "type": "space", "space": b } } });
    assert_eq!(moved(a, both).await, "C A B Gripper G4");
    // Out to the top level, and back next to somebody without naming the parent.
    let out = world
        .admin
        .client
        .call("moveSpace")
        .space(a)
        .json(json!({ "parent": null }))
        .expect(200)
        .await;
    assert!(out.get("parent").is_none());
    assert_eq!(out["visibility"], "private");
    assert_eq!(moved(a, next_to("after", world.space)).await, "C B Gripper G4 A");
    // Collections are neighbours too.
    let top = create(&world.admin, &world, json!({ "title": "Top" })).await;
    let before = json!({ "position": { "before": { "type": "collection", "collection": world.collection } } });
    let top = world
        .admin
        .client
        .call("moveSpace")
        .space(top)
        .json(before)
        .expect(200)
        .await;
    assert!(top.get("parent").is_none());
}

async fn a_move_that_cannot_be_is_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let [a, b, c] = row(&world).await;
    let send = async |by: &Person, space: NodeId, body: Value| {
        by.client.call("moveSpace").space(space).json(body).send().await
    };
    for body in [next_to("after", b), json!({}), json!({ "parent": world.collection })] {
        assert_eq!(send(&world.admin, c, body.clone()).await.status, 409, "{body}");
    }
    let before = "/body/position/before";
    send(&world.admin, a, next_to("before", a))
        .await
        .has_detail(before, "no-neighbour");
    send(&world.admin, a, next_to("before", world.other_space))
        .await
        .has_detail(before, "no-neighbour");
    let mut elsewhere = next_to("before", b);
    elsewhere["parent"] = Value::Null;
    send(&world.admin, a, elsewhere)
        .await
        .has_detail(before, "no-neighbour");
    let apart =
        json!({ "position": { "after": { "type": "space", "space": c }, "before": { "type": "space", "space": a } } });
    send(&world.admin, b, apart).await.has_detail(before, "not-adjacent");
    send(&world.admin, b, json!({ "parent": "x".repeat(1_000) }))
        .await
        .has_detail("/body/parent", "max-length");
    let wrong_kind = json!({ "position": { "before": { "type": "collection", "collection": b } } });
    send(&world.admin, a, wrong_kind)
        .await
        .has_detail(before, "no-neighbour");
    for parent in [world.other_collection, world.space] {
        assert_eq!(send(&world.admin, a, json!({ "parent": parent })).await.status, 404);
    }
    // Its creator administers it, but may not put it where they cannot create.
    let mine = create(&world.create, &world, json!({ "title": "Mine" })).await;
    let closed = world
        .admin
        .client
        .call("updateCollectionById")
        .collection(world.collection);
    closed.json(json!({ "defaultLevel": "read" })).expect(200).await;
    assert_eq!(
        send(&world.create, mine, json!({ "parent": world.collection }))
            .await
            .status,
        403
    );
    assert_eq!(titles(&world.admin, &world).await.join(" "), "Gripper G4 A B C");
}

async fn many_moves_into_one_gap_keep_the_order(database: TestDatabase) {
    let world = World::new(database).await;
    let [a, b, c] = row(&world).await;
    for _ in 0..40 {
        for space in [c, b] {
            let call = world.admin.client.call("moveSpace").space(space);
            call.json(next_to("after", a)).expect(200).await;
        }
    }
    assert_eq!(titles(&world.admin, &world).await.join(" "), "Gripper G4 A B C");
}

/// Others who came while it was deleted do not take its place.
async fn a_restored_space_has_a_place_of_its_own(database: TestDatabase) {
    let world = World::new(database).await;
    let [a, b, c] = row(&world).await;
    let call = |operation: &str, space: NodeId| world.admin.client.call(operation).space(space);
    for space in [b, c] {
        call("deleteSpaceById", space).expect(204).await;
    }
    let last = json!({ "title": "D", "parent": world.collection });
    let d = create(&world.admin, &world, last).await;
    let between = call("moveSpace", d).json(next_to("after", a));
    between.expect(409).await;
    let before = call("moveSpace", world.space).json(next_to("before", d));
    before.expect(200).await;
    for space in [c, b] {
        call("restoreSpace", space).expect(200).await;
    }
    tree_is_right(&world.app().kernel.db, "after the restores").await;
    let found = titles(&world.admin, &world).await.join(" ");
    assert_eq!(found.replace(" B", "").replace(" C", ""), "A Gripper G4 D");
    call("moveSpace", d).json(next_to("after", c)).expect(200).await;
    assert!(titles(&world.admin, &world).await.join(" ").contains("C D"));
}
