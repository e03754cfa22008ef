//! Permissions on a collection and on all spaces and collections below it; the rules are in [`crate::areas::library::permissions`].

use entity::ids::{TeamId, UserId};
use openapi::{
    error::ApiError,
    models::{GrantPermission, TeamContentPermissionList, UpdatePermission, UserContentPermissionList},
    operations::collection_permissions::{
        CollectionPermissionsApi, ListPermissionsAggregateInCollectionQuery, ListTeamPermissionsInCollectionQuery,
        ListUserPermissionsInCollectionQuery,
    },
};

use crate::{
    access::CollectionAccess,
    areas::library::{
        Library,
        permissions::{Subject, changes, lists},
    },
};

impl CollectionPermissionsApi for Library {
    async fn invite_to_collection(&self, access: CollectionAccess, body: GrantPermission) -> Result<(), ApiError> {
        changes::invite(&self.kernel, access.into(), body).await
    }

    async fn list_user_permissions_in_collection(
        &self,
        access: CollectionAccess,
        query: ListUserPermissionsInCollectionQuery,
    ) -> Result<UserContentPermissionList, ApiError> {
        Ok(lists::people(&self.kernel, access.into(), query.page, query.limit)
            .await?
            .into())
    }

    async fn update_user_permission_in_collection(
        &self,
        access: CollectionAccess,
        user_id: UserId,
        body: UpdatePermission,
    ) -> Result<(), ApiError> {
        changes::update(&self.kernel, access.into(), Subject::User(user_id), body).await
    }

    async fn remove_user_from_collection(&self, access: CollectionAccess, user_id: UserId) -> Result<(), ApiError> {
        changes::revoke(&self.kernel, access.into(), Subject::User(user_id)).await?;
        Ok(())
    }

    async fn list_team_permissions_in_collection(
        &self,
        access: CollectionAccess,
        query: ListTeamPermissionsInCollectionQuery,
    ) -> Result<TeamContentPermissionList, ApiError> {
        Ok(lists::teams(&self.kernel, access.into(), query.page, query.limit)
            .await?
            .into())
    }

    async fn update_team_permission_in_collection(
        &self,
        access: CollectionAccess,
        team_id: TeamId,
        body: UpdatePermission,
    ) -> Result<(), ApiError> {
        changes::update(&self.kernel, access.into(), Subject::Team(team_id), body).await
    }

    async fn remove_team_from_collection(&self, access: CollectionAccess, team_id: TeamId) -> Result<(), ApiError> {
        changes::revoke(&self.kernel, access.into(), Subject::Team(team_id)).await?;
        Ok(())
    }

    async fn list_permissions_aggregate_in_collection(
        &self,
        access: CollectionAccess,
        query: ListPermissionsAggregateInCollectionQuery,
    ) -> Result<UserContentPermissionList, ApiError> {
        let ListPermissionsAggregateInCollectionQuery { page, limit, role } = query;
        Ok(lists::everybody(&self.kernel, access.into(), page, limit, role)
            .await?
            .into())
    }
}
