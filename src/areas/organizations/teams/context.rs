//! What answers say of teams besides their rows: what the caller may do with each, and what each has access to.

use std::collections::HashMap;

use entity::{
    ids::{OrganizationId, TeamId},
    members::MemberRole,
    teams::members::TeamMemberRole,
};
use openapi::{error::ApiError, guard::OwnershipLevel};

use crate::{
    access::{levels::on_team, node_levels::Member, space_counts},
    app::App,
};

use super::store;

/// What an answer says of one team.
pub struct Context {
    /// None does not see the team.
    pub level: Option<OwnershipLevel>,
    /// How many spaces the team has access to.
    pub spaces: u64,
}

/// The same for the teams of a page.
pub struct Contexts {
    role: Option<MemberRole>,
    places: HashMap<TeamId, TeamMemberRole>,
    spaces: HashMap<TeamId, u64>,
}

impl Contexts {
    pub async fn of(app: &App, caller: &Member, teams: Vec<TeamId>) -> Result<Self, ApiError> {
        let db = app.db.read();
        let places = if caller.is_admin() {
            HashMap::new()
        } else {
            let places = store::places(db, caller.user, teams.clone()).await;
            places?
        };
        let spaces = space_counts::count_spaces_of_teams(db, caller.organization, teams).await;
        Ok(Self {
            role: caller.role,
            places,
            spaces: spaces?,
        })
    }

    pub fn team(&self, team: TeamId) -> Context {
        Context {
            level: on_team(self.role, self.places.get(&team).copied()),
            spaces: self.spaces.get(&team).copied().unwrap_or_default(),
        }
    }
}

impl Context {
    /// For a caller whose level is known.
    pub async fn of(
        app: &App,
        level: OwnershipLevel,
        organization: OrganizationId,
        team: TeamId,
    ) -> Result<Self, ApiError> {
        let spaces = space_counts::count_spaces_of_teams(app.db.read(), organization, vec![team]).await;
        Ok(Self {
            level: Some(level),
            spaces: spaces?.remove(&team).unwrap_or_default(),
        })
    }
}
