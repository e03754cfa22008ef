//! The rules of access: the levels in an organization, on spaces and collections, and on teams, by roles and grants.
//!
//! [`effective_level`] is the rule for spaces and collections. [`super::level_sql`] turns it into SQL, for queries over many
//! nodes or many people.

use entity::{
    ids::{OrganizationId, UserId},
    library::nodes::DefaultLevel,
    organizations::{members::MemberRole, teams::members::TeamMemberRole},
};
use openapi::{
    error::ApiError,
    guard::{ContentLevel, OrganizationLevel, OwnershipLevel},
};

use super::identity::Installed;

/// The level in the organization of a member with this role; members without a role are guests.
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

/// Refuses members without a role.
pub fn refuse_guests(member: &Member) -> Result<(), ApiError> {
    match member.role {
        Some(_) => Ok(()),
        None => Err(ApiError::forbidden("This needs a role in the organization.")),
    }
}

/// The name of the role with this level, for messages.
pub(super) fn role_name(level: OrganizationLevel) -> &'static str {
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

/// Requires a level in the organization of a member with this role.
pub fn require_role(role: Option<MemberRole>, level: OrganizationLevel) -> Result<(), ApiError> {
    if of_role(role) < level {
        let message = format!("This needs the role {} in the organization.", role_name(level));
        return Err(ApiError::forbidden(message));
    }
    Ok(())
}

/// The lowest role with this level on content.
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

/// The level on a team of a member with these roles in the organization and in the team. `None`: a guest outside the team,
/// who does not see it.
pub fn on_team(role: Option<MemberRole>, in_team: Option<TeamMemberRole>) -> Option<OwnershipLevel> {
    match (role, in_team) {
        (Some(MemberRole::Admin), _) | (_, Some(TeamMemberRole::Owner)) => Some(OwnershipLevel::Own),
        (Some(_), _) | (_, Some(TeamMemberRole::Member)) => Some(OwnershipLevel::View),
        (None, None) => None,
    }
}

/// A member of an organization, with what access to its content depends on.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub organization: OrganizationId,
    pub user: UserId,
    /// None: a guest.
    pub role: Option<MemberRole>,
    /// The installation of an integration that acts instead of a person: it administers the spaces on which it is installed, and sees no
    /// others.
    pub installation: Option<Installed>,
}

impl Member {
    /// A person.
    pub fn new(organization: OrganizationId, user: UserId, role: Option<MemberRole>) -> Self {
        Self {
            organization,
            user,
            role,
            installation: None,
        }
    }

    pub fn is_admin(&self) -> bool {
        self.role == Some(MemberRole::Admin)
    }

    /// The level on a node, as [`effective_level`] says it of people. Installations have what is granted to them alone.
    pub fn level_on(&self, default: Option<DefaultLevel>, granted: Option<MemberRole>) -> Option<MemberRole> {
        match self.installation {
            Some(_) => granted,
            None => effective_level(self.role, default, granted),
        }
    }
}

/// The level on a node of a member with this role: the higher one of the default level and the highest granted level,
/// which is that of the permissions of the member and of their teams on the node or above it. `None`: the member does not
/// see the node.
pub fn effective_level(
    role: Option<MemberRole>,
    default: Option<DefaultLevel>,
    granted: Option<MemberRole>,
) -> Option<MemberRole> {
    Ord::max(level_by_default(role, default), granted)
}

/// The level of a member without permissions: admins of the organization administer every node; for others it is the
/// effective default level of the node.
pub fn level_by_default(role: Option<MemberRole>, default: Option<DefaultLevel>) -> Option<MemberRole> {
    if role == Some(MemberRole::Admin) {
        return role;
    }
    default.and_then(|default| default.for_member(role))
}
