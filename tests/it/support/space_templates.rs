//! Templates of spaces.

use entity::ids::NodeId;
use serde_json::{Value, json};

use super::{
    client::Call,
    world::{Person, World},
};

pub fn mark(world: &World, space: NodeId) -> Call<'_> {
    world.admin.client.call("markSpaceAsTemplate").space(space)
}

pub fn create<'a>(person: &'a Person, world: &World, template: Value) -> Call<'a> {
    let call = person.client.call("createSpace").here(world);
    call.json(json!({ "title": "Made", "template": template }))
}
