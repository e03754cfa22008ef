//! Teams on the wire.

use entity::organizations::teams::{Model, members::TeamMemberRole};
use openapi::{
    guard::OwnershipLevel,
    models::{self, MemberTeam, Team, TeamMember, TeamMemberPermissions, TeamMembership, TeamPermissions},
};
use platform::db::count;

use super::{TeamDetails, store::TeamMemberRow};
use crate::{
    areas::{joins::member_counts::MemberCounts, organizations::members::view::member},
    kernel::{
        urls::Urls,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    TeamMemberRole = models::TeamMemberRole { Owner, Member }
}

pub fn team(row: &Model, details: TeamDetails) -> Team {
    let TeamDetails { level, spaces } = details;
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

pub fn member_team(row: &Model, details: TeamDetails, of_member: TeamMemberRole) -> MemberTeam {
    MemberTeam {
        team: team(row, details),
        member: TeamMembership {
            role: of_member.to_wire(),
        },
    }
}

pub fn team_member(urls: &Urls, row: TeamMemberRow, counts: &MemberCounts) -> TeamMember {
    TeamMember {
        organization: member(urls, row.member, counts),
        team: TeamMembership {
            role: row.role.to_wire(),
        },
        permissions: TeamMemberPermissions { view: true },
    }
}
