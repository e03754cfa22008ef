//! Spaces of the collection.

use entity::ids::NodeId;
use serde_json::Value;

use super::{
    paths::{node_id, texts},
    world::{Person, World},
};

pub async fn create(by: &Person, world: &World, body: Value) -> NodeId {
    let create = by.client.call("createSpace").here(world);
    node_id(&create.json(body).expect(201).await)
}

pub async fn update(by: &Person, space: NodeId, body: Value) -> Value {
    let update = by.client.call("updateSpaceById").space(space);
    update.json(body).expect(200).await
}

pub async fn titles(by: &Person, world: &World) -> Vec<String> {
    let list = by
        .client
        .call("listSpacesInCollectionById")
        .collection(world.collection);
    texts(&list.expect(200).await, "/title")
}
