//! Teams on the wire.

use entity::teams::{Model, members::TeamMemberRole};
use openapi::{
    guard::TeamLevel,
    models::{self, MemberTeam, Team, TeamMember, TeamMemberPermissions, TeamMembership, TeamPermissions},
};

use crate::{
    members::view::member,
    urls::Urls,
    views::{count, time},
};

use super::store::Place;

pub fn team(row: &Model, level: TeamLevel) -> Team {
    Team {
        object: Default::default(),
        id: row.id.to_string(),
        title: row.title.clone(),
        members: count(row.members_count),
        // Nothing can be shared with anybody yet.
        spaces: 0,
        created_at: time(row.created_at),
        permissions: TeamPermissions {
            admin: level >= TeamLevel::Own,
            view: level >= TeamLevel::View,
        },
    }
}

pub fn member_team(row: &Model, level: TeamLevel, of_member: TeamMemberRole) -> MemberTeam {
    MemberTeam {
        team: team(row, level),
        member: TeamMembership { role: role(of_member) },
    }
}

pub fn team_member(urls: &Urls, place: Place) -> TeamMember {
    TeamMember {
        organization: member(urls, place.member),
        team: TeamMembership { role: role(place.role) },
        permissions: TeamMemberPermissions { view: true },
    }
}

pub fn role(stored: TeamMemberRole) -> models::TeamMemberRole {
    match stored {
        TeamMemberRole::Owner => models::TeamMemberRole::Owner,
        TeamMemberRole::Member => models::TeamMemberRole::Member,
    }
}

pub fn stored_role(role: models::TeamMemberRole) -> TeamMemberRole {
    match role {
        models::TeamMemberRole::Owner => TeamMemberRole::Owner,
        models::TeamMemberRole::Member => TeamMemberRole::Member,
    }
}
