//! {{Area_words}} of organizations.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::World,
};

on_each_database![{{area}}_are_listed_until_they_are_deleted];

async fn {{area}}_are_listed_until_they_are_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let call = |operation| world.admin.client.call(operation).here(&world);
    let titles = async || texts(&call("list{{Area}}").expect(200).await, "/title");
    let before = titles().await;
    let made = call("create{{One}}").json(json!({ "title": "First" })).expect(201).await;
    assert_eq!(titles().await, [&["First".to_owned()], &before[..]].concat());
    let id = made["id"].as_str().unwrap();
    let one = |operation| call(operation).path("{{one_camel}}Id", id);
    assert_eq!(one("get{{One}}").expect(200).await, made);
    one("delete{{One}}").expect(204).await;
    one("get{{One}}").expect(404).await;
    assert_eq!(titles().await, before);
}
