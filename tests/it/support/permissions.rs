//! Levels that people and teams are given on spaces and collections.

use entity::ids::NodeId;
use serde_json::{Value, json};

use super::{
    client::Call,
    paths::texts,
    world::{Person, World},
};

/// What levels are given on: both kinds have the same operations.
#[derive(Clone, Copy, Debug)]
pub enum GrantTarget {
    Space(NodeId),
    Collection(NodeId),
}

impl GrantTarget {
    pub fn both(world: &World) -> [Self; 2] {
        [Self::Space(world.space), Self::Collection(world.collection)]
    }

    pub fn invite(self, by: &Person) -> Call<'_> {
        match self {
            Self::Space(space) => by.client.call("inviteToSpace").space(space),
            Self::Collection(collection) => by.client.call("inviteToCollection").collection(collection),
        }
    }

    pub fn people(self, by: &Person) -> Call<'_> {
        match self {
            Self::Space(space) => by.client.call("listUserPermissionsInSpace").space(space),
            Self::Collection(collection) => by.client.call("listUserPermissionsInCollection").collection(collection),
        }
    }

    pub fn update_person(self, by: &Person, user: impl ToString) -> Call<'_> {
        let call = match self {
            Self::Space(space) => by.client.call("updateUserPermissionInSpace").space(space),
            Self::Collection(collection) => by
                .client
                .call("updateUserPermissionInCollection")
                .collection(collection),
        };
        call.path("userId", user)
    }

    pub fn remove_person(self, by: &Person, user: impl ToString) -> Call<'_> {
        let call = match self {
            Self::Space(space) => by.client.call("removeUserFromSpace").space(space),
            Self::Collection(collection) => by.client.call("removeUserFromCollection").collection(collection),
        };
        call.path("userId", user)
    }

    pub fn teams(self, by: &Person) -> Call<'_> {
        match self {
            Self::Space(space) => by.client.call("listTeamPermissionsInSpace").space(space),
            Self::Collection(collection) => by.client.call("listTeamPermissionsInCollection").collection(collection),
        }
    }

    pub fn update_team(self, by: &Person, team: impl ToString) -> Call<'_> {
        let call = match self {
            Self::Space(space) => by.client.call("updateTeamPermissionInSpace").space(space),
            Self::Collection(collection) => by
                .client
                .call("updateTeamPermissionInCollection")
                .collection(collection),
        };
        call.path("teamId", team)
    }

    pub fn remove_team(self, by: &Person, team: impl ToString) -> Call<'_> {
        let call = match self {
            Self::Space(space) => by.client.call("removeTeamFromSpace").space(space),
            Self::Collection(collection) => by.client.call("removeTeamFromCollection").collection(collection),
        };
        call.path("teamId", team)
    }

    pub fn everybody(self, by: &Person) -> Call<'_> {
        match self {
            Self::Space(space) => by.client.call("listPermissionsAggregateInSpace").space(space),
            Self::Collection(collection) => by
                .client
                .call("listPermissionsAggregateInCollection")
                .collection(collection),
        }
    }

    /// Who was given which level, in the order of the list.
    pub async fn given(self, world: &World) -> Vec<String> {
        levels(&self.people(&world.admin).expect(200).await, "/user/displayName")
    }

    /// Which team was given which level, in the order of the list.
    pub async fn given_to_teams(self, world: &World) -> Vec<String> {
        levels(&self.teams(&world.admin).expect(200).await, "/team/title")
    }

    pub async fn set_default(self, world: &World, level: Value) {
        let call = match self {
            Self::Space(space) => world.admin.client.call("updateSpaceById").space(space),
            Self::Collection(collection) => world.admin.client.call("updateCollectionById").collection(collection),
        };
        call.json(json!({ "defaultLevel": level })).expect(200).await;
    }
}

/// `name: level` of every item; the count has to be right.
pub fn levels(list: &Value, name: &str) -> Vec<String> {
    let (names, levels) = (texts(list, name), texts(list, "/permission"));
    assert_eq!(list["count"], names.len());
    let pairs = names.iter().zip(levels);
    pairs.map(|(name, level)| format!("{name}: {level}")).collect()
}
