//! The members of a team in answers that its row does not hold: the level of the caller and the number of spaces.

use std::collections::HashMap;

use entity::{
    ids::{OrganizationId, TeamId},
    organizations::{members::MemberRole, teams::members::TeamMemberRole},
};
use openapi::{error::ApiError, guard::OwnershipLevel};

use super::store;
use crate::{
    access::{levels::on_team, node_levels::Member, space_counts},
    kernel::Kernel,
};

/// The details of one team.
pub struct TeamDetails {
    /// None: the caller does not see the team.
    pub level: Option<OwnershipLevel>,
    /// The number of spaces that the team has access to.
    pub spaces: u64,
}

/// The details of the teams of a page.
pub struct TeamDetailsById {
    role: Option<MemberRole>,
    roles: HashMap<TeamId, TeamMemberRole>,
    spaces: HashMap<TeamId, u64>,
}

impl TeamDetailsById {
    pub async fn of(kernel: &Kernel, caller: &Member, teams: Vec<TeamId>) -> Result<Self, ApiError> {
        let db = kernel.db.read();
        let roles = if caller.is_admin() {
            HashMap::new()
        } else {
            let roles = store::roles_in_teams(db, caller.user, teams.clone()).await;
            roles?
        };
        let spaces = space_counts::count_spaces_of_teams(db, caller.organization, teams).await;
        Ok(Self {
            role: caller.role,
            roles,
            spaces: spaces?,
        })
    }

    pub fn team(&self, team: TeamId) -> TeamDetails {
        TeamDetails {
            level: on_team(self.role, self.roles.get(&team).copied()),
            spaces: self.spaces.get(&team).copied().unwrap_or_default(),
        }
    }
}

impl TeamDetails {
    /// The details for a caller whose level is known.
    pub async fn of(
        kernel: &Kernel,
        level: OwnershipLevel,
        organization: OrganizationId,
        team: TeamId,
    ) -> Result<Self, ApiError> {
        let spaces = space_counts::count_spaces_of_teams(kernel.db.read(), organization, vec![team]).await;
        Ok(Self {
            level: Some(level),
            spaces: spaces?.remove(&team).unwrap_or_default(),
        })
    }
}
