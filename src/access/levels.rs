//! Roles to levels: the one place that says what a role allows.

use entity::{members::MemberRole, teams::members::TeamMemberRole};
use openapi::guard::{ContentLevel, OrganizationLevel, OwnershipLevel};

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

/// The role that a level on content is reached with.
pub fn required_role(level: ContentLevel) -> MemberRole {
    match level {
        ContentLevel::Read => MemberRole::Read,
        ContentLevel::Comment => MemberRole::Comment,
        ContentLevel::Edit => MemberRole::Edit,
        ContentLevel::Review => MemberRole::Review,
        ContentLevel::Create => MemberRole::Create,
        ContentLevel::Admin => MemberRole::Admin,
    }
}

/// The level on a team, for a member with these roles in the organization and in the team; none is a guest who does not
/// belong to it and does not see it.
pub fn on_team(role: Option<MemberRole>, in_team: Option<TeamMemberRole>) -> Option<OwnershipLevel> {
    match (role, in_team) {
        (Some(MemberRole::Admin), _) | (_, Some(TeamMemberRole::Owner)) => Some(OwnershipLevel::Own),
        (Some(_), _) | (_, Some(TeamMemberRole::Member)) => Some(OwnershipLevel::View),
        (None, None) => None,
    }
}
