//! Transfers, restores, deletions and the purge of one space that meet: one of them wins, and no space is left half done.

use std::collections::BTreeMap;

use bindery::areas::{library::tree::purge, organizations::members};
use chrono::TimeDelta;
use entity::{
    content::revisions,
    ids::{NodeId, OrganizationId},
    library::{nodes, spaces},
    organizations::members::MemberRole,
};
use futures_util::future::join_all;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::node_id,
    tree::tree_is_right,
    world::World,
};

on_each_database![
    a_deleted_space_is_restored_once,
    a_space_is_transferred_or_deleted,
    a_deleted_space_moves_with_its_collection_or_is_restored,
    a_restore_and_a_purge_leave_all_or_nothing,
    racing_writes_leave_no_space_half_done,
];

const ROUNDS: usize = 8;

/// A world whose admin administers both organizations.
async fn world(database: TestDatabase) -> World {
    let world = World::new(database).await;
    let role = Some(MemberRole::Admin);
    members::add(&world.app().kernel, world.other_organization, world.admin.id, role)
        .await
        .unwrap();
    world
}

async fn new_space(world: &World, parent: Option<NodeId>) -> NodeId {
    let create = world.admin.client.call("createSpace").here(world);
    let body = match parent {
        Some(parent) => json!({ "parent": parent }),
        None => json!({}),
    };
    node_id(&create.json(body).expect(201).await)
}

async fn new_collection(world: &World) -> NodeId {
    let create = world.admin.client.call("createCollection").here(world);
    node_id(&create.json(json!({ "title": "Around" })).expect(201).await)
}

async fn call(world: &World, operation: &str, space: NodeId) -> u16 {
    world.admin.client.call(operation).space(space).send().await.status
}

async fn transfer(world: &World, space: NodeId, to: OrganizationId) -> u16 {
    let call = world.admin.client.call("transferSpace").space(space);
    call.json(json!({ "organization": to })).send().await.status
}

async fn row(world: &World, node: NodeId) -> Option<nodes::Model> {
    let found = nodes::Entity::find_by_id(node).one(world.app().kernel.db.read());
    found.await.unwrap()
}

/// The number of events of an action about a node, in both organizations.
async fn events(world: &World, action: &str, node: NodeId) -> u64 {
    let mut count = 0;
    for organization in [world.organization, world.other_organization] {
        let list = world
            .admin
            .client
            .call("listOrganizationAuditEvents")
            .within(organization);
        let list = list.query("action", action).query("target", node).expect(200).await;
        count += list["count"].as_u64().unwrap();
    }
    count
}

async fn a_deleted_space_is_restored_once(database: TestDatabase) {
    let world = world(database).await;
    for round in 0..ROUNDS {
        let space = new_space(&world, None).await;
        call(&world, "deleteSpaceById", space).await;
        let restore = || call(&world, "restoreSpace", space);
        let (one, two, three) = tokio::join!(restore(), restore(), restore());
        let mut statuses = [one, two, three];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409, 409], "round {round}");
        assert_eq!(events(&world, "spaces.restoreSpace", space).await, 1, "round {round}");
        tree_is_right(&world.app().kernel.db, &format!("in round {round}")).await;
    }
}

async fn a_space_is_transferred_or_deleted(database: TestDatabase) {
    let world = world(database).await;
    let mut seen: BTreeMap<(u16, u16), usize> = BTreeMap::new();
    for round in 0..2 * ROUNDS {
        let space = new_space(&world, None).await;
        let (transferred, deleted) = tokio::join!(
            transfer(&world, space, world.other_organization),
            call(&world, "deleteSpaceById", space)
        );
        *seen.entry((transferred, deleted)).or_default() += 1;
        assert!([200, 404].contains(&transferred), "round {round}: {transferred}");
        // Access to the space in the first organization has ended, if the transfer came between.
        assert!([204, 403].contains(&deleted), "round {round}: {deleted}");
        let found = row(&world, space).await.unwrap();
        assert_eq!(found.deleted_at.is_some(), deleted == 204, "round {round}");
        let moved = found.organization_id == world.other_organization;
        assert_eq!(
            events(&world, "spaces.transferSpace", space).await,
            if moved { 2 } else { 0 }
        );
        // A space that was deleted right after its transfer is answered with 404 as well.
        assert!(moved || transferred == 404, "round {round}");
        assert!(!moved || transferred == 200 || deleted == 204, "round {round}");
        tree_is_right(&world.app().kernel.db, &format!("in round {round}")).await;
    }
    println!("transferred and deleted: {seen:?}");
}

async fn a_deleted_space_moves_with_its_collection_or_is_restored(database: TestDatabase) {
    let world = world(database).await;
    let mut seen: BTreeMap<(u16, u16), usize> = BTreeMap::new();
    for round in 0..2 * ROUNDS {
        let collection = new_collection(&world).await;
        let space = new_space(&world, Some(collection)).await;
        call(&world, "deleteSpaceById", space).await;
        let move_away = async {
            let call = world.admin.client.call("transferCollection").collection(collection);
            let body = json!({ "organization": world.other_organization });
            call.json(body).send().await.status
        };
        let (restored, moved) = tokio::join!(call(&world, "restoreSpace", space), move_away);
        *seen.entry((restored, moved)).or_default() += 1;
        assert_eq!(moved, 200, "round {round}");
        assert!([200, 404].contains(&restored), "round {round}: {restored}");
        let found = row(&world, space).await.unwrap();
        assert_eq!(found.organization_id, world.other_organization, "round {round}");
        // A space that moved away right after it was restored is answered with 404 as well.
        let events = events(&world, "spaces.restoreSpace", space).await;
        assert_eq!(found.deleted_at.is_none(), events == 1, "round {round}");
        assert!(restored == 404 || found.deleted_at.is_none(), "round {round}");
        tree_is_right(&world.app().kernel.db, &format!("in round {round}")).await;
    }
    println!("restored and moved: {seen:?}");
}

/// A space is whole or gone.
async fn is_whole(world: &World, space: NodeId, when: &str) -> bool {
    let db = world.app().kernel.db.read();
    let Some(found) = spaces::Entity::find_by_id(space).one(db).await.unwrap() else {
        assert!(row(world, space).await.is_none(), "{when}");
        return false;
    };
    let known = revisions::Entity::find_by_id(found.revision_id).one(db).await.unwrap();
    assert!(known.is_some(), "{when}");
    let pages = world.admin.client.call("listPages").space(space).send().await;
    assert_eq!(pages.status, 200, "{when}: {}", pages.text);
    let content = entity::content::content_objects::Entity::find();
    let content = content.filter(entity::content::content_objects::Column::SpaceId.eq(space));
    assert!(content.count(db).await.unwrap() > 0, "{when}");
    true
}

async fn a_restore_and_a_purge_leave_all_or_nothing(database: TestDatabase) {
    let world = world(database).await;
    let mut restored = 0;
    for round in 0..2 * ROUNDS {
        let space = new_space(&world, None).await;
        let change = json!({ "operation": "insert_page", "title": "Page", "document": { "markdown": "Text" } });
        let edit = world.admin.client.call("updateSpaceContent").space(space);
        edit.json(json!({ "changes": [change] })).expect(200).await;
        call(&world, "deleteSpaceById", space).await;
        world.clock().advance(TimeDelta::days(7));
        // At the last moment.
        let purge = async {
            for _ in 0..round * 20 {
                tokio::task::yield_now().await;
            }
            world.clock().advance(TimeDelta::milliseconds(1));
            tokio::join!(purge::purge(&world.app().kernel), purge::purge(&world.app().kernel))
        };
        let (first, second, (one, other)) = tokio::join!(
            call(&world, "restoreSpace", space),
            call(&world, "restoreSpace", space),
            purge
        );
        one.unwrap();
        other.unwrap();
        let when = format!("in round {round}: {first} {second}");
        let is_restored = [first, second].contains(&200);
        assert!(
            [200, 404, 409].contains(&first) && [200, 404, 409].contains(&second),
            "{when}"
        );
        assert!(first != 200 || second != 200, "{when}");
        if !is_restored {
            // Both restores came too late, and the purge too early.
            purge::purge(&world.app().kernel).await.unwrap();
        }
        assert_eq!(is_whole(&world, space, &when).await, is_restored, "{when}");
        tree_is_right(&world.app().kernel.db, &when).await;
        restored += usize::from(is_restored);
    }
    println!("{restored} of {} spaces were restored", 2 * ROUNDS);
}

async fn racing_writes_leave_no_space_half_done(database: TestDatabase) {
    let world = world(database).await;
    let mut spaces = Vec::new();
    for _ in 0..4 {
        let space = new_space(&world, Some(world.collection)).await;
        let change = json!({ "operation": "insert_page", "title": "Page", "document": { "markdown": "Text" } });
        let edit = world.admin.client.call("updateSpaceContent").space(space);
        edit.json(json!({ "changes": [change] })).expect(200).await;
        spaces.push(space);
    }
    let (spaces, world) = (&spaces, &world);
    let people = (0..6).map(|person| async move {
        let mut rng = StdRng::seed_from_u64(person);
        for _ in 0..25 {
            let space = *spaces.choose(&mut rng).unwrap();
            let organization = *[world.organization, world.other_organization].choose(&mut rng).unwrap();
            let status = match rng.random_range(0..7) {
                0 | 1 => call(world, "deleteSpaceById", space).await,
                2 | 3 => call(world, "restoreSpace", space).await,
                4 | 5 => transfer(world, space, organization).await,
                _ => {
                    // Some of the deletions are long ago then.
                    world.clock().advance(TimeDelta::hours(40));
                    purge::purge(&world.app().kernel).await.unwrap();
                    200
                }
            };
            assert!(status < 500, "{status}");
        }
    });
    join_all(people).await;
    tree_is_right(&world.app().kernel.db, "at the end").await;
    for space in spaces {
        call(world, "restoreSpace", *space).await;
    }
    world.clock().advance(TimeDelta::days(8));
    purge::purge(&world.app().kernel).await.unwrap();
    let mut whole = 0;
    for space in spaces {
        whole += usize::from(is_whole(world, *space, "at the end").await);
    }
    println!("{whole} of {} spaces are there at the end", spaces.len());
    tree_is_right(&world.app().kernel.db, "after the last purge").await;
}
