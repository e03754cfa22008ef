//! Permissions on a space; the rules are in [`crate::areas::library::permissions`].

use entity::ids::{TeamId, UserId};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{GrantPermission, TeamContentPermissionList, UpdatePermission, UserContentPermissionList},
    operations::space_permissions::{
        ListPermissionsAggregateInSpaceQuery, ListTeamPermissionsInSpaceQuery, ListUserPermissionsInSpaceQuery,
        SpacePermissionsApi,
    },
};

use crate::{
    access::SpaceAccess,
    areas::library::{
        Library,
        permissions::{Subject, changes, lists},
    },
};

impl SpacePermissionsApi for Library {
    async fn invite_to_space(&self, access: SpaceAccess, body: GrantPermission) -> Result<(), ApiError> {
        changes::invite(&self.kernel, access.into(), body).await
    }

    async fn list_user_permissions_in_space(
        &self,
        access: SpaceAccess,
        query: ListUserPermissionsInSpaceQuery,
    ) -> Result<UserContentPermissionList, ApiError> {
        Ok(lists::people(&self.kernel, access.into(), query.page, query.limit)
            .await?
            .into())
    }

    async fn update_user_permission_in_space(
        &self,
        access: SpaceAccess,
        user_id: UserId,
        body: UpdatePermission,
    ) -> Result<(), ApiError> {
        changes::update(&self.kernel, access.into(), Subject::User(user_id), body).await
    }

    async fn remove_user_from_space(&self, access: SpaceAccess, user_id: UserId) -> Result<(), ApiError> {
        changes::revoke(&self.kernel, access.into(), Subject::User(user_id)).await?;
        Ok(())
    }

    async fn list_team_permissions_in_space(
        &self,
        access: SpaceAccess,
        query: ListTeamPermissionsInSpaceQuery,
    ) -> Result<TeamContentPermissionList, ApiError> {
        Ok(lists::teams(&self.kernel, access.into(), query.page, query.limit)
            .await?
            .into())
    }

    async fn update_team_permission_in_space(
        &self,
        access: SpaceAccess,
        team_id: TeamId,
        body: UpdatePermission,
    ) -> Result<(), ApiError> {
        changes::update(&self.kernel, access.into(), Subject::Team(team_id), body).await
    }

    async fn remove_team_from_space(&self, access: SpaceAccess, team_id: TeamId) -> Result<(), ApiError> {
        if !changes::revoke(&self.kernel, access.into(), Subject::Team(team_id)).await? {
            let message = "Has no permission on the space.";
            return Err(ApiError::invalid_member("/path/teamId", ErrorRule::NoLevel, message));
        }
        Ok(())
    }

    async fn list_permissions_aggregate_in_space(
        &self,
        access: SpaceAccess,
        query: ListPermissionsAggregateInSpaceQuery,
    ) -> Result<UserContentPermissionList, ApiError> {
        let ListPermissionsAggregateInSpaceQuery { page, limit, role } = query;
        Ok(lists::everybody(&self.kernel, access.into(), page, limit, role)
            .await?
            .into())
    }
}
