//! Spaces whose pages together are large, though each of them is small.

use content::pages::MAX_BYTES;
use entity::revisions;
use futures_util::future::join_all;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, QueryOrder};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    readers_of_large_content_wait_for_memory,
    content_of_the_maximum_size_can_only_shrink,
];

/// The longest description, in characters of four bytes.
fn description() -> String {
    "\u{1f600}".repeat(5000)
}

async fn world(database: TestDatabase) -> World {
    World::with(database, |flags| flags.body_limit = Some("10MiB".to_owned())).await
}

async fn insert(world: &World, pages: impl Iterator<Item = Value>) {
    let mut pages: Vec<Value> = pages.collect();
    for page in &mut pages {
        page["operation"] = json!("insert_page");
        page["document"] = json!({ "markdown": "Everything about grippers." });
    }
    let call = world
        .admin
        .client
        .call("updateSpaceContent")
        .path("spaceId", world.space);
    call.json(json!({ "changes": pages })).expect(200).await;
}

/// The pages take 24 MB of the 96 MB for content that is read, each time.
async fn readers_of_large_content_wait_for_memory(database: TestDatabase) {
    const PAGES: usize = 300;
    let world = world(database).await;
    for from in (0..PAGES).step_by(50) {
        let page = |number| json!({ "title": format!("Page {number}"), "description": description() });
        insert(&world, (from..from + 50).map(page)).await;
    }
    let answers = join_all((0..12).map(async |_| {
        let call = world.admin.client.call("listPages").path("spaceId", world.space);
        call.expect(200).await
    }));
    for answer in answers.await {
        let pages = answer["pages"].as_array().unwrap();
        let described = pages.iter().filter(|page| page["description"] == description());
        assert_eq!(described.count(), PAGES);
    }
}

async fn content_of_the_maximum_size_can_only_shrink(database: TestDatabase) {
    let world = World::new(database).await;
    insert(
        &world,
        ["One", "Two"].into_iter().map(|title| json!({ "title": title })),
    )
    .await;
    let newest = revisions::Entity::find().order_by_desc(revisions::Column::Id);
    let mut newest = newest.one(world.app().db.read()).await.unwrap().unwrap();
    let bytes = newest.snapshot["bytes"].as_u64().unwrap();
    assert!((200..2000).contains(&bytes), "{bytes}");
    // As if other pages had taken the rest.
    newest.snapshot["bytes"] = json!(MAX_BYTES - 10);
    let work = |tx| async move { newest.into_active_model().reset_all().update(&tx).await };
    world.app().db.write(work).await.unwrap();
    let change = |change: Value| {
        let call = world
            .admin
            .client
            .call("updateSpaceContent")
            .path("spaceId", world.space);
        call.json(json!({ "changes": [change] }))
    };
    let three = || json!({ "operation": "insert_page", "title": "Three", "document": { "markdown": "" } });
    let refused = change(three()).expect(409).await;
    assert_eq!(refused["error"]["type"], "content-too-large");
    let pages = world.admin.client.call("listPages").path("spaceId", world.space);
    let pages = pages.expect(200).await;
    let page = &pages["pages"][1]["id"];
    change(json!({ "operation": "delete_page", "page": page }))
        .expect(200)
        .await;
    change(three()).expect(200).await;
}
