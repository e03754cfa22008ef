//! Access to the resources of this context, which stubs ask for before a handler runs.

use entity::ids::{OrganizationId, TeamId, UserId};
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, OrganizationLevel, OwnershipLevel},
};
use platform::db::count;

use crate::access::{
    Caller, OrganizationAccess, TeamAccess,
    authorize::is_caller,
    basis::Basis,
    grants::context_guard,
    integration_callers::count_members,
    levels,
    memberships::{membership, team_membership},
    sso,
};

context_guard!(OrganizationsGuard);

impl guard::OrganizationsGuard for OrganizationsGuard {
    type OrganizationCreatorAccess = Caller;
    type OrganizationAccess = OrganizationAccess;
    type TeamAccess = TeamAccess;

    async fn organization_creator(&self, call: Call<'_>) -> Result<Caller, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let creators = &self.access.organization_creators;
        let identity = &caller.identity;
        let included = creators.include(
            self.access.db.read(),
            identity.user_id,
            &identity.email,
            identity.email_verified,
        );
        if !included.await? {
            return Err(ApiError::forbidden("The caller may not create organizations."));
        }
        let basis = Basis::OrganizationCreator(creators.clone());
        Ok(caller.allowed_by(basis))
    }

    async fn organization(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
        level: OrganizationLevel,
        or_self: Option<UserId>,
    ) -> Result<OrganizationAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let unknown = || ApiError::not_found("organization");
        if let Some(installation) = caller.installation() {
            // The scope of the operation takes the place of the role.
            let members = count_members(self.access.db.read(), installation, organization_id).await?;
            let members_count = members.ok_or_else(unknown)?;
            let member = caller.member(organization_id, None);
            return Ok(OrganizationAccess {
                caller: caller.allowed_by(Basis::Organization(member)),
                organization: organization_id,
                role: None,
                members_count,
            });
        }
        let found = membership(&self.access.db, organization_id, caller.user_id).await?;
        let found = found.filter(|member| !member.disabled).ok_or_else(unknown)?;
        sso::require(&caller.identity, organization_id, found.sso_required)?;
        let role = found.role;
        if !is_caller(&caller, or_self) {
            levels::require_role(role, level)?;
        }
        let member = caller.member(organization_id, role);
        Ok(OrganizationAccess {
            caller: caller.allowed_by(Basis::Organization(member)),
            organization: organization_id,
            role,
            members_count: count(found.members_count),
        })
    }

    async fn team(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
        team_id: TeamId,
        level: OwnershipLevel,
        or_self: Option<UserId>,
    ) -> Result<TeamAccess, ApiError> {
        let access = self
            .organization(call, organization_id, OrganizationLevel::Guest, None)
            .await?;
        let unknown = || ApiError::not_found("team");
        let found = team_membership(&self.access.db, access.organization, team_id, access.caller.user_id).await?;
        let found = found.ok_or_else(unknown)?;
        let effective = levels::on_team(access.role, found.role).ok_or_else(unknown)?;
        if effective < level && !is_caller(&access.caller, or_self) {
            return Err(ApiError::forbidden(
                "This needs the role owner in the team, or the role admin in the organization.",
            ));
        }
        let basis = Basis::Team {
            member: access.member(),
            team: team_id,
            level: effective,
        };
        Ok(TeamAccess {
            caller: access.caller.allowed_by(basis),
            row: found.team,
            level: effective,
        })
    }
}
