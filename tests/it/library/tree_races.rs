//! Requests that meet in the tree of an organization: whatever the order, it stays a tree.

use bindery::areas::library::tree::purge;
use chrono::TimeDelta;
use entity::{ids::NodeId, library::nodes, organizations::members::MemberRole};
use futures_util::future::join_all;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::support::{
    client::{Answer, Client},
    database::{TestDatabase, on_each_database},
    paths::node_id,
    tree::tree_is_right,
    world::World,
};

on_each_database![
    two_collections_cannot_go_into_each_other,
    one_space_is_taken_by_two_organizations_at_once,
    moves_into_a_deleted_collection_are_deleted_or_stay_out,
    random_work_of_several_people_leaves_a_tree,
    a_space_is_restored_or_purged,
];

/// How often two requests are sent at once, to meet in more than one way.
const ROUNDS: usize = 8;

async fn collection(world: &World, parent: Option<NodeId>) -> NodeId {
    let mut body = json!({ "title": "Another" });
    if let Some(parent) = parent {
        body["parent"] = json!(parent);
    }
    let create = world.admin.client.call("createCollection").here(world);
    node_id(&create.json(body).expect(201).await)
}

async fn two_collections_cannot_go_into_each_other(database: TestDatabase) {
    let world = World::new(database).await;
    for round in 0..ROUNDS {
        let (one, other) = (collection(&world, None).await, collection(&world, None).await);
        let into = async |moved: NodeId, parent: NodeId| {
            let call = world.admin.client.call("moveCollection").collection(moved);
            call.json(json!({ "parent": parent })).send().await.status
        };
        let (first, second) = tokio::join!(into(one, other), into(other, one));
        let mut statuses = [first, second];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412], "round {round}");
        tree_is_right(&world.app().kernel.db, &format!("in round {round}")).await;
    }
}

async fn one_space_is_taken_by_two_organizations_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let create = world.admin.client.call("createOrganization");
    let third = create.json(json!({ "title": "Third" })).expect(201).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    bindery::areas::organizations::members::add(
        &world.app().kernel,
        world.other_organization,
        world.admin.id,
        Some(MemberRole::Admin),
    )
    .await
    .unwrap();
    let to = async |organization: String| {
        let call = world.admin.client.call("transferSpace").space(world.space);
        call.json(json!({ "organization": organization })).send().await.status
    };
    let (first, second) = tokio::join!(to(third.clone()), to(world.other_organization.to_string()));
    let mut statuses = [first, second];
    statuses.sort_unstable();
    // Who comes second finds it in another organization than the one that access was decided in, or takes it from there.
    assert!([[200, 200], [200, 404]].contains(&statuses), "{statuses:?}");
    tree_is_right(&world.app().kernel.db, "after two transfers").await;
    let space = world
        .admin
        .client
        .call("getSpaceById")
        .space(world.space)
        .expect(200)
        .await;
    assert_ne!(space["organization"], world.organization.to_string());
}

async fn moves_into_a_deleted_collection_are_deleted_or_stay_out(database: TestDatabase) {
    let world = World::new(database).await;
    for round in 0..ROUNDS {
        let target = collection(&world, None).await;
        let create = world.admin.client.call("createSpace").here(&world);
        let space = node_id(&create.expect(201).await);
        let delete = world.admin.client.call("deleteCollectionById").collection(target);
        let enter = world.admin.client.call("moveSpace").space(space);
        let create = world.admin.client.call("createSpace").here(&world);
        let (deleted, moved, created) = tokio::join!(
            delete.send(),
            enter.json(json!({ "parent": target })).send(),
            create.json(json!({ "parent": target })).send()
        );
        assert_eq!(deleted.status, 204);
        // A move that comes first is answered with the space, unless the deletion comes between the two.
        assert!([200, 404].contains(&moved.status), "round {round}: {}", moved.text);
        assert!([201, 404].contains(&created.status), "round {round}: {}", created.text);
        tree_is_right(&world.app().kernel.db, &format!("in round {round}")).await;
    }
}

/// What somebody does next: a random operation on random nodes.
async fn act(client: &Client, world: &World, nodes: &Nodes, rng: &mut StdRng) -> Answer {
    let space = *nodes.spaces.choose(rng).unwrap();
    let collection = *nodes.collections.choose(rng).unwrap();
    let parent = match rng.random_range(0..4) {
        0 => Value::Null,
        _ => json!(nodes.collections.choose(rng).unwrap()),
    };
    let organization = [world.organization, world.other_organization][rng.random_range(0..2)];
    let neighbour = nodes.spaces.choose(rng).unwrap();
    let level = ["inherit", "read", "admin"].choose(rng).unwrap();
    match rng.random_range(0..10) {
        0 | 1 => client.call("moveSpace").space(space).json(json!({ "parent": parent })),
        2 => {
            let position = json!({ "after": { "type": "space", "space": neighbour } });
            client
                .call("moveSpace")
                .space(space)
                .json(json!({ "position": position }))
        }
        3 | 4 => client
            .call("moveCollection")
            .collection(collection)
            .json(json!({ "parent": parent })),
        5 => client
            .call("transferSpace")
            .space(space)
            .json(json!({ "organization": organization })),
        6 => client
            .call("transferCollection")
            .collection(collection)
            .json(json!({ "organization": organization })),
        7 => client.call("deleteCollectionById").collection(collection),
        8 => client.call("restoreSpace").space(space),
        _ => client
            .call("updateCollectionById")
            .collection(collection)
            .json(json!({ "defaultLevel": level })),
    }
    .send()
    .await
}

struct Nodes {
    spaces: Vec<NodeId>,
    collections: Vec<NodeId>,
}

async fn random_work_of_several_people_leaves_a_tree(database: TestDatabase) {
    let world = World::new(database).await;
    bindery::areas::organizations::members::add(
        &world.app().kernel,
        world.other_organization,
        world.admin.id,
        Some(MemberRole::Admin),
    )
    .await
    .unwrap();
    let mut nodes = Nodes {
        spaces: vec![world.space, world.other_space],
        collections: vec![world.collection, world.other_collection],
    };
    for i in 0..6 {
        let parent = (i % 2 == 0).then(|| nodes.collections[nodes.collections.len() - 1]);
        let parent = parent.filter(|parent| *parent != world.other_collection);
        nodes.collections.push(collection(&world, parent).await);
        let create = world.admin.client.call("createSpace").here(&world);
        let body = json!({ "title": format!("Space {i}"), "parent": world.collection });
        nodes.spaces.push(node_id(&create.json(body).expect(201).await));
    }
    let nodes = &nodes;
    let people = (0..6).map(|person| {
        let (client, world) = (world.admin.client.clone(), &world);
        async move {
            let mut rng = StdRng::seed_from_u64(person);
            let mut done = 0;
            for _ in 0..40 {
                let answer = act(&client, world, nodes, &mut rng).await;
                assert!(answer.status < 500, "{}", answer.text);
                done += usize::from(answer.status < 300);
            }
            done
        }
    });
    let done: usize = join_all(people).await.into_iter().sum();
    // How many find what they are about depends on who comes first.
    assert!(done > 20, "only {done} of the requests changed something");
    tree_is_right(&world.app().kernel.db, "at the end").await;
    for (person, organization) in [
        (&world.admin, world.organization),
        (&world.other_admin, world.other_organization),
    ] {
        let list = person.client.call("listSpacesInOrganizationById").within(organization);
        let list = list.query("limit", 1000).expect(200).await;
        assert_eq!(list["count"], list["items"].as_array().unwrap().len());
    }
}

/// At the end of the time to restore a space, somebody restores it while it is purged.
async fn a_space_is_restored_or_purged(database: TestDatabase) {
    let world = World::new(database).await;
    let mut restored = 0;
    for round in 0..2 * ROUNDS {
        let create = world.admin.client.call("createSpace").here(&world);
        let space = node_id(&create.expect(201).await);
        let delete = world.admin.client.call("deleteSpaceById").space(space);
        delete.expect(204).await;
        world.clock().advance(TimeDelta::days(7));
        let restore = world.admin.client.call("restoreSpace").space(space);
        let purge = async {
            for _ in 0..round {
                tokio::task::yield_now().await;
            }
            world.clock().advance(TimeDelta::seconds(1));
            purge::purge(&world.app().kernel).await.unwrap();
        };
        let (answer, ()) = tokio::join!(restore.send(), purge);
        let read = world.admin.client.call("getSpaceById").space(space).send().await;
        let row = nodes::Entity::find_by_id(space)
            .one(world.app().kernel.db.read())
            .await
            .unwrap();
        match answer.status {
            200 => assert_eq!(
                (read.status, row.map(|row| row.deleted_at)),
                (200, Some(None)),
                "round {round}"
            ),
            _ => {
                assert_eq!(
                    (answer.status, read.status),
                    (404, 404),
                    "round {round}: {}",
                    answer.text
                );
                // Where the purge came first, the space has been gone since; else the next purge removes it.
                purge::purge(&world.app().kernel).await.unwrap();
                let row = nodes::Entity::find_by_id(space)
                    .one(world.app().kernel.db.read())
                    .await
                    .unwrap();
                assert!(row.is_none(), "round {round}");
            }
        }
        restored += usize::from(answer.status == 200);
        tree_is_right(&world.app().kernel.db, &format!("in round {round}")).await;
    }
    println!("{restored} of {} spaces were restored", 2 * ROUNDS);
}
