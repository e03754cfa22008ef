//! Permissions on the wire.

use entity::organizations::{members::MemberRole, teams};
use openapi::models::{TeamContentPermission, UserContentPermission};

use crate::{
    access::rows::UserColumns,
    areas::{
        identity::users::view::user,
        organizations::teams::{TeamDetails, view::team},
    },
    kernel::{urls::Urls, wire::ToWire},
};

pub fn of_person(urls: &Urls, level: MemberRole, person: UserColumns) -> UserContentPermission {
    UserContentPermission {
        permission: level.to_wire(),
        user: user(urls, person),
    }
}

pub fn of_team(level: MemberRole, row: &teams::Model, details: TeamDetails) -> TeamContentPermission {
    TeamContentPermission {
        permission: level.to_wire(),
        team: team(row, details),
    }
}
