//! {{Area_words}} of organizations.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::World,
};

on_each_database![{{area}}_are_listed_until_they_are_deleted];

async fn create(world: &World, title: &str) -> Value {
    let call = world.admin.client.call("create{{One}}").here(world);
    call.json(json!({ "title": title })).expect(201).await
}

async fn {{area}}_are_listed_until_they_are_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let titles = async || {
        let list = world.read.client.call("list{{Area}}").here(&world);
        texts(&list.expect(200).await, "/title")
    };
    let mut expected = titles().await;
    let first = create(&world, "First").await;
    assert_eq!(first["title"], "First");
    create(&world, "Second").await;
    expected.splice(..0, ["Second", "First"].map(String::from));
    assert_eq!(titles().await, expected);
    let id = first["id"].as_str().unwrap();
    let get = || world.read.client.call("get{{One}}").here(&world).path("{{one_camel}}Id", id);
    assert_eq!(get().expect(200).await, first);
    let delete = world.admin.client.call("delete{{One}}").here(&world);
    delete.path("{{one_camel}}Id", id).expect(204).await;
    get().expect(404).await;
    expected.remove(1);
    assert_eq!(titles().await, expected);
}
