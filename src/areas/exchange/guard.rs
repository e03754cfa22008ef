//! Access to the resources of this context, which stubs ask for before a handler runs.

use entity::{
    exchange::git_syncs,
    ids::{GitInstallationId, ImportRunId, NodeId},
    library::nodes,
    organizations::members::MemberRole,
};
use openapi::{call::Call, error::ApiError, guard};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::{
    access::{
        Caller, OrganizationAccess, TargetAccess,
        authorize::{self, load_node},
        grants::{context_guard, name_caller},
        rows::SpaceRow,
    },
    areas::{
        exchange::import_access::{self, ImportRunAccess},
        identity::guard::IdentityGuard,
        library::targets,
        organizations::guard::OrganizationsGuard,
    },
};

context_guard!(ExchangeGuard);

impl guard::ExchangeGuard for ExchangeGuard {
    type IdentityGuard = IdentityGuard;
    type GitInstallationAccess = GitInstallationAccess;
    type GitInstallationTargetAccess = GitInstallationTargetAccess;
    type OrganizationsGuard = OrganizationsGuard;
    type ImportRunAccess = ImportRunAccess;
    type ImportRunEditorsAccess = ImportRunAccess;
    type ImportTargetAccess = TargetAccess;

    async fn git_installation(
        &self,
        call: Call<'_>,
        installation_id: GitInstallationId,
    ) -> Result<GitInstallationAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let unknown = || ApiError::not_found("Git installation");
        let row = git_syncs::Entity::find()
            .filter(git_syncs::Column::InstallationId.eq(installation_id))
            .one(self.access.db.read())
            .await?
            .ok_or_else(unknown)?;
        let found = load_node::<SpaceRow>(&self.access, &caller, row.space_id).await?;
        let found = found.ok_or_else(unknown)?;
        let authorized = authorize::require(Some(found), &caller, MemberRole::Admin, None, "space")?;
        Ok(GitInstallationAccess {
            caller: caller.allowed_by(authorized.basis()),
            row,
            node: authorized.row.node,
        })
    }

    async fn git_installation_target(
        &self,
        within: Caller,
        space_id: Option<NodeId>,
    ) -> Result<GitInstallationTargetAccess, ApiError> {
        let space = space_id.ok_or_else(|| ApiError::not_found("space"))?;
        let found = load_node::<SpaceRow>(&self.access, &within, space).await?;
        let authorized = authorize::require(found, &within, MemberRole::Admin, None, "space")?;
        Ok(GitInstallationTargetAccess {
            caller: within.allowed_by(authorized.basis()),
            node: authorized.row.node,
        })
    }

    async fn import_run(
        &self,
        within: OrganizationAccess,
        import_run_id: ImportRunId,
    ) -> Result<ImportRunAccess, ApiError> {
        import_access::find(&self.access, within, import_run_id, MemberRole::Read).await
    }

    async fn import_run_editors(
        &self,
        within: OrganizationAccess,
        import_run_id: ImportRunId,
    ) -> Result<ImportRunAccess, ApiError> {
        import_access::find(&self.access, within, import_run_id, MemberRole::Edit).await
    }

    async fn import_target(&self, within: OrganizationAccess, space: Option<NodeId>) -> Result<TargetAccess, ApiError> {
        let space = space.ok_or_else(|| ApiError::not_found("space"))?;
        targets::node::<SpaceRow>(&self.access, within, space, MemberRole::Edit).await
    }
}

/// The caller is an admin of the space of the installation.
pub struct GitInstallationAccess {
    pub caller: Caller,
    pub row: git_syncs::Model,
    pub node: nodes::Model,
}

/// The caller is an admin of the space on which Git Sync is to be installed.
pub struct GitInstallationTargetAccess {
    pub caller: Caller,
    pub node: nodes::Model,
}

name_caller!(GitInstallationAccess, GitInstallationTargetAccess);
