//! Search in computed pages.

use serde_json::{Value, json};

use crate::support::{
    computed::{add_computed, gripper, index, source},
    database::{TestDatabase, on_each_database},
    paths::{node_id, texts},
    published::{find, visitor},
    texts::{delete, new_space, write},
    world::World,
};

on_each_database![
    operations_are_found_by_path_summary_and_id,
    the_search_follows_new_versions,
    a_space_that_is_made_of_a_specification_is_searched,
    visitors_find_operations,
];

async fn in_space(world: &World, space: entity::ids::NodeId, query: &str) -> Vec<String> {
    let call = world.admin.client.call("searchSpaceContent").space(space);
    texts(&call.query("query", query).expect(200).await, "/path")
}

async fn operations_are_found_by_path_summary_and_id(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "gripper").await;
    index(world.app()).await;
    let close = "interface/motion/close-the-fingers";
    for (query, path) in [
        ("close the fingers", close),
        ("closeFingers", close),
        ("POST /grip", close),
        ("goHome", "interface/operations/gohome"),
        ("/home", "interface/operations/gohome"),
        ("something fell", "interface/webhooks/something-fell"),
        ("interface", "interface"),
        ("things", "interface"),
    ] {
        assert_eq!(
            in_space(&world, space, query).await.first().map(String::as_str),
            Some(path),
            "{query}"
        );
    }
    let call = world
        .admin
        .client
        .call("searchSpaceContent")
        .space(space)
        .query("query", "closeFingers");
    let hit = call.expect(200).await["items"][0].clone();
    assert_eq!(
        hit["ancestors"],
        json!([{ "title": "Interface" }, { "title": "motion" }])
    );
    assert_eq!(hit["sections"][0]["body"], "POST /grip closeFingers");
    let page = world
        .admin
        .client
        .call("getPageById")
        .space(space)
        .path("pageId", hit["id"].as_str().unwrap());
    assert_eq!(page.expect(200).await["path"], close);
    let call = world
        .admin
        .client
        .call("searchOrganizationContent")
        .here(&world)
        .query("query", "closeFingers");
    let found = call.expect(200).await;
    assert_eq!(found["items"][0]["pages"][0]["id"], hit["id"]);
    write(&world, space, vec![delete(&placeholder)]).await;
    index(world.app()).await;
    for query in ["closeFingers", "interface", "things"] {
        assert_eq!(in_space(&world, space, query).await, Vec::<String>::new(), "{query}");
    }
}

async fn the_search_follows_new_versions(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Interface", "gripper").await;
    index(world.app()).await;
    let mut document = gripper();
    document["paths"]["/grip"]["post"]["summary"] = json!("Squeeze");
    document["paths"]["/grip"].as_object_mut().unwrap().remove("get");
    world.process_document("gripper", &document).await;
    index(world.app()).await;
    assert_eq!(in_space(&world, space, "squeeze").await, ["interface/motion/squeeze"]);
    assert_eq!(in_space(&world, space, "readWidth").await, Vec::<String>::new());
    world.spec_call("deleteOpenAPISpecBySlug", "gripper").expect(204).await;
    index(world.app()).await;
    assert_eq!(in_space(&world, space, "squeeze").await, Vec::<String>::new());
    assert_eq!(in_space(&world, space, "interface").await, ["interface"]);
}

async fn a_space_that_is_made_of_a_specification_is_searched(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let create = world.admin.client.call("createSpace").here(&world);
    let space = node_id(
        &create
            .json(json!({ "computedSource": source("gripper") }))
            .expect(201)
            .await,
    );
    index(world.app()).await;
    assert_eq!(in_space(&world, space, "goHome").await, ["gripper/operations/gohome"]);
    // In another language, all pages are indexed anew.
    let update = world.admin.client.call("updateSpaceById").space(space);
    update.json(json!({ "language": "de" })).expect(200).await;
    index(world.app()).await;
    assert_eq!(in_space(&world, space, "goHome").await, ["gripper/operations/gohome"]);
}

async fn visitors_find_operations(database: TestDatabase) {
    let world = World::new(database).await;
    let mut document = gripper();
    document["tags"][0]["description"] =
        json!("{% if visitor.claims.unsigned.beta %}\nHidden words.\n{% endif %}\n\nOpen words.");
    world.process_document("gripper", &document).await;
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "gripper").await;
    index(world.app()).await;
    let site = world.new_site("Manuals", &[&json!({ "id": space.to_string() })]).await;
    let site = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let found = find(&world, site["urls"]["published"].as_str().unwrap()).await;
    let visitor = visitor(&world, &found);
    let search = async |query: &str| -> Value {
        let call = visitor
            .call("searchSiteContent")
            .here(&world)
            .path("siteId", site["id"].as_str().unwrap());
        let body = json!({ "query": query, "scope": { "mode": "all" } });
        call.json(body).expect(200).await
    };
    let found = search("closeFingers").await;
    assert!(
        found.to_string().contains("interface/motion/close-the-fingers"),
        "{found}"
    );
    assert!(search("open").await.to_string().contains("Open words"));
    assert!(!search("hidden").await.to_string().contains("Hidden words"));
    let change = json!({ "operation": "update_page", "page": placeholder, "noIndex": true });
    write(&world, space, vec![change]).await;
    for _ in ["before the entries are made anew", "after"] {
        assert_eq!(search("closeFingers").await["items"], json!([]));
        index(world.app()).await;
    }
    let by_members = in_space(&world, space, "closeFingers").await;
    assert_eq!(by_members, ["interface/motion/close-the-fingers"]);
}
