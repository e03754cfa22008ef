//! Specifications that visitors of sites read.

use serde_json::{Value, json};

use crate::support::{
    client::Client,
    computed::{add_computed, gripper},
    database::{TestDatabase, on_each_database},
    published::{find, visitor},
    texts::{add, delete, edit, new_space, write},
    world::World,
};

on_each_database![visitors_read_the_specifications_that_pages_refer_to];

async fn read(world: &World, visitor: &Client, slug: &str) -> u16 {
    let call = visitor.call("getLatestOpenAPISpecVersionContent").here(world);
    call.path("specSlug", slug).send().await.status
}

/// A visitor of a new site with these spaces.
async fn visit(world: &World, spaces: &[&Value]) -> (Value, Client) {
    let site = world.new_site("Manuals", spaces).await;
    let site = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let found = find(world, site["urls"]["published"].as_str().unwrap()).await;
    let client = visitor(world, &found);
    (site, client)
}

async fn visitors_read_the_specifications_that_pages_refer_to(database: TestDatabase) {
    let world = World::new(database).await;
    let mut ids = Vec::new();
    for slug in ["computed", "by-slug", "by-id", "secret"] {
        ids.push(world.process_document(slug, &gripper()).await["id"].clone());
    }
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "computed").await;
    let block = |spec: &str| {
        format!(
            "{{% openapi-operation spec=\"{spec}\" path=\"/grip\" method=\"get\" %}}\n{{% endopenapi-operation %}}\n"
        )
    };
    let by_id = block(ids[2].as_str().unwrap());
    let pages = add(&world, space, &[("slug", &block("by-slug")), ("id", &by_id)]).await;
    let other = new_space(&world, "Other").await;
    add(&world, other, &[("secret", &block("secret"))]).await;
    let (site, client) = visit(&world, &[&json!({ "id": space.to_string() })]).await;
    for (slug, status) in [
        ("computed", 200),
        ("by-slug", 200),
        ("by-id", 200),
        ("secret", 404),
        ("nothing", 404),
    ] {
        assert_eq!(read(&world, &client, slug).await, status, "{slug}");
    }
    // The past counts for nothing.
    let changes = vec![edit(&pages["slug"], "-"), delete(&pages["id"]), delete(&placeholder)];
    write(&world, space, changes).await;
    for slug in ["computed", "by-slug", "by-id"] {
        assert_eq!(read(&world, &client, slug).await, 404, "{slug}");
    }
    write(&world, space, vec![edit(&pages["slug"], &block("by-slug"))]).await;
    assert_eq!(read(&world, &client, "by-slug").await, 200);
    // Nothing else of the organization, and nothing of others.
    for operation in ["getOpenAPISpecBySlug", "getLatestOpenAPISpecVersion"] {
        let call = client.call(operation).here(&world).path("specSlug", "by-slug");
        assert_eq!(call.send().await.status, 401, "{operation}");
    }
    let call = client
        .call("getLatestOpenAPISpecVersionContent")
        .within(world.other_organization);
    call.path("specSlug", world.foreign("specSlug")).expect(404).await;
    world.on_site(&world.admin, "unpublishSite", &site).expect(200).await;
    assert_eq!(read(&world, &client, "by-slug").await, 404);
}
