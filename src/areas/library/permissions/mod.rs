//! Permissions of users and teams on spaces and collections: the rules and lists that both areas share.

pub mod changes;
pub mod collections;
pub mod lists;
pub mod spaces;
pub mod store;
pub mod view;

use entity::{
    ids::{TeamId, UserId},
    library::nodes::Model,
};
use openapi::error::ApiError;

use crate::access::{Caller, CollectionAccess, SpaceAccess, node_levels::Member};

/// The node whose permissions an operation is about, and who calls it.
pub struct NodeAccess {
    caller: Caller,
    member: Member,
    node: Model,
}

impl From<SpaceAccess> for NodeAccess {
    fn from(access: SpaceAccess) -> Self {
        Self {
            caller: access.caller,
            member: access.member,
            node: access.row.node,
        }
    }
}

impl From<CollectionAccess> for NodeAccess {
    fn from(access: CollectionAccess) -> Self {
        Self {
            caller: access.caller,
            member: access.member,
            node: access.row.node,
        }
    }
}

/// The subject of a permission.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    User(UserId),
    Team(TeamId),
}

impl Subject {
    /// The subject in the two columns of a row: one of them is not null.
    pub fn of_columns(user: Option<UserId>, team: Option<TeamId>) -> Option<Self> {
        user.map(Self::User).or(team.map(Self::Team))
    }

    /// The columns of a user and of a team in a row.
    pub fn columns(self) -> (Option<UserId>, Option<TeamId>) {
        match self {
            Self::User(user) => (Some(user), None),
            Self::Team(team) => (None, Some(team)),
        }
    }
}

fn unknown_member() -> ApiError {
    ApiError::not_found("member")
}

fn unknown_team() -> ApiError {
    ApiError::not_found("team")
}
