//! Paths that many calls share, and answers that many tests take apart.

use entity::ids::{NodeId, OrganizationId, TeamId};
use serde_json::Value;

use super::{client::Call, world::World};

impl Call<'_> {
    /// With the first organization in the path.
    pub fn here(self, world: &World) -> Self {
        self.within(world.organization)
    }

    /// With the first organization and its team in the path.
    pub fn in_team(self, world: &World) -> Self {
        self.here(world).path("teamId", world.team)
    }

    pub fn space(self, space: impl ToString) -> Self {
        self.path("spaceId", space)
    }

    pub fn collection(self, collection: impl ToString) -> Self {
        self.path("collectionId", collection)
    }

    pub fn within(self, organization: OrganizationId) -> Self {
        self.path("organizationId", organization)
    }

    pub fn team(self, organization: OrganizationId, team: TeamId) -> Self {
        self.within(organization).path("teamId", team)
    }
}

/// The id of a new object.
pub fn node_id(object: &Value) -> NodeId {
    object["id"].as_str().unwrap().parse().unwrap()
}

/// One member of every item of a list.
pub fn each(list: &Value, pointer: &str) -> Vec<Value> {
    let items = list["items"].as_array().unwrap().iter();
    items
        .map(|item| item.pointer(pointer).unwrap_or(&Value::Null).clone())
        .collect()
}

/// A text of every item of a list, in the sequence of the list.
pub fn texts(list: &Value, pointer: &str) -> Vec<String> {
    let found = each(list, pointer).into_iter();
    found
        .map(|value| value.as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The same, sorted.
pub fn sorted(list: &Value, pointer: &str) -> Vec<String> {
    let mut found = texts(list, pointer);
    found.sort();
    found
}
