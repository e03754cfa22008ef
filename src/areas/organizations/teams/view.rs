//! Teams on the wire.

use entity::teams::{Model, members::TeamMemberRole};
use openapi::{
    guard::OwnershipLevel,
    models::{self, MemberTeam, Team, TeamMember, TeamMemberPermissions, TeamMembership, TeamPermissions},
};

use crate::{
    app::{
        urls::Urls,
        wire::{count, time},
    },
    areas::organizations::members::view::member,
};

use super::{Context, store::Place};

pub fn team(row: &Model, context: Context) -> Team {
    let Context { level, spaces } = context;
    Team {
        object: Default::default(),
        id: row.id.to_string(),
        title: row.title.clone(),
        members: count(row.members_count),
        spaces,
        created_at: time(row.created_at),
        permissions: TeamPermissions {
            admin: level >= Some(OwnershipLevel::Own),
            view: level >= Some(OwnershipLevel::View),
        },
    }
}

pub fn member_team(row: &Model, context: Context, of_member: TeamMemberRole) -> MemberTeam {
    MemberTeam {
        team: team(row, context),
        member: TeamMembership { role: role(of_member) },
    }
}

pub fn team_member(urls: &Urls, place: Place, spaces: u64) -> TeamMember {
    TeamMember {
        organization: member(urls, place.member, spaces),
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
