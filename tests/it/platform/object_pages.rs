//! The addresses for people with a browser: each leads to the object that names it.

use serde_json::Value;
use url::Url;

use crate::support::{
    contract,
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![an_address_names_its_object];

/// The answer of the operation that an address opens, with the ids that it fills in.
async fn opened(world: &World, address: &str) -> Value {
    let address = Url::parse(address).unwrap();
    assert_eq!(address.path(), "/docs/", "{address}");
    let (tag, id) = address.fragment().unwrap()[1..].split_once('/').unwrap();
    let operation = contract::operation(id);
    let at = &contract::document()["paths"][operation.path][operation.method];
    assert_eq!(at["tags"], serde_json::json!([tag]), "{address}");
    let call = world.admin.client.operation(operation);
    let ids = address.query_pairs();
    let call = ids.fold(call, |call, (name, id)| call.path(&name, id));
    call.expect(200).await
}

async fn an_address_names_its_object(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Shown").await;
    let read = async |operation: &str| {
        let operation = contract::operation(operation);
        let (path, names) = (operation.path, operation.path_parameters());
        let call = world.admin.client.operation(operation);
        let call = names.into_iter().fold(call, |call, name| match name {
            "changeRequestId" => call.path(name, request["id"].as_str().unwrap()),
            _ => call.path(name, world.own_at(path, name)),
        });
        call.expect(200).await
    };
    for operation in [
        "getOrganizationById",
        "getSpaceById",
        "getCollectionById",
        "getChangeRequestById",
        "getCurrentRevision",
        "getPageById",
    ] {
        let object = read(operation).await;
        let address = object["urls"]["app"].as_str().unwrap();
        assert_eq!(opened(&world, address).await, object, "{address}");
    }
}
