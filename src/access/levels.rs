//! Roles to levels: the one place that says what a role allows.

use entity::{members::MemberRole, teams::members::TeamMemberRole};
use openapi::guard::{ChangeRequestLevel, CollectionLevel, OrganizationLevel, SpaceLevel, TeamLevel};

/// What a member with this role may do in the organization; no role is a guest.
pub fn of_role(role: Option<MemberRole>) -> OrganizationLevel {
    match role {
        None => OrganizationLevel::Guest,
        Some(MemberRole::Read) => OrganizationLevel::Read,
        Some(MemberRole::Comment) => OrganizationLevel::Comment,
        Some(MemberRole::Edit) => OrganizationLevel::Edit,
        Some(MemberRole::Review) => OrganizationLevel::Review,
        Some(MemberRole::Create) => OrganizationLevel::Create,
        Some(MemberRole::Admin) => OrganizationLevel::Admin,
    }
}

/// The role that a level is reached with, for messages.
pub fn role_name(level: OrganizationLevel) -> &'static str {
    match level {
        OrganizationLevel::Guest => "guest",
        OrganizationLevel::Read => "read",
        OrganizationLevel::Comment => "comment",
        OrganizationLevel::Edit => "edit",
        OrganizationLevel::Review => "review",
        OrganizationLevel::Create => "create",
        OrganizationLevel::Admin => "admin",
    }
}

pub fn on_space(level: SpaceLevel) -> MemberRole {
    match level {
        SpaceLevel::Read => MemberRole::Read,
        SpaceLevel::Comment => MemberRole::Comment,
        SpaceLevel::Edit => MemberRole::Edit,
        SpaceLevel::Review => MemberRole::Review,
        SpaceLevel::Create => MemberRole::Create,
        SpaceLevel::Admin => MemberRole::Admin,
    }
}

pub fn on_change_request(level: ChangeRequestLevel) -> MemberRole {
    match level {
        ChangeRequestLevel::Read => MemberRole::Read,
        ChangeRequestLevel::Comment => MemberRole::Comment,
        ChangeRequestLevel::Edit => MemberRole::Edit,
        ChangeRequestLevel::Review => MemberRole::Review,
        ChangeRequestLevel::Create => MemberRole::Create,
        ChangeRequestLevel::Admin => MemberRole::Admin,
    }
}

pub fn on_collection(level: CollectionLevel) -> MemberRole {
    match level {
        CollectionLevel::Read => MemberRole::Read,
        CollectionLevel::Comment => MemberRole::Comment,
        CollectionLevel::Edit => MemberRole::Edit,
        CollectionLevel::Review => MemberRole::Review,
        CollectionLevel::Create => MemberRole::Create,
        CollectionLevel::Admin => MemberRole::Admin,
    }
}

/// The level on a team, for a member with these roles in the organization and in the team; none is a guest who does not
/// belong to it and does not see it.
pub fn on_team(role: Option<MemberRole>, in_team: Option<TeamMemberRole>) -> Option<TeamLevel> {
    match (role, in_team) {
        (Some(MemberRole::Admin), _) | (_, Some(TeamMemberRole::Owner)) => Some(TeamLevel::Own),
        (Some(_), _) | (_, Some(TeamMemberRole::Member)) => Some(TeamLevel::View),
        (None, None) => None,
    }
}
