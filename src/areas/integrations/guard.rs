//! Access to the resources of this context, which stubs ask for before a handler runs.

use entity::{
    ids::{IntegrationInstallationId, NodeId, OrganizationId, SiteId},
    organizations::{self as stored_organizations, members},
};
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, InstallationLevel, IntegrationLevel, OrganizationLevel},
};
use sea_orm::{ColumnTrait, Condition, QueryFilter};

use crate::{
    access::{Caller, Visitor, basis::Basis, grants::context_guard, levels},
    areas::{
        identity::guard::IdentityGuard,
        integrations::{
            installation_access::{
                self, DeletableInstallationAccess, DeletablePlaceInstallationAccess, InstallationAccess,
                InstallationTargetAccess, PlaceInstallationAccess,
            },
            integration_access::{
                self, DeletableIntegrationAccess, IntegrationAccess, IntegrationPublisherAccess,
                RenderedIntegrationAccess, SeenIntegration, allow_admin, member_of, require_own_token,
            },
            place::Place,
        },
        organizations::organizations,
    },
};

context_guard!(IntegrationsGuard);

impl guard::IntegrationsGuard for IntegrationsGuard {
    type IdentityGuard = IdentityGuard;
    type IntegrationAccess = IntegrationAccess;
    type IntegrationVisitorsAccess = RenderedIntegrationAccess;
    type IntegrationMayBeAbsentAccess = DeletableIntegrationAccess;
    type IntegrationPublisherAccess = IntegrationPublisherAccess;
    type InstallationTargetAccess = InstallationTargetAccess;
    type IntegrationInstallationAccess = InstallationAccess;
    type IntegrationInstallationMayBeAbsentAccess = DeletableInstallationAccess;
    type SpaceInstallationTargetAccess = PlaceInstallationAccess;
    type SiteInstallationTargetAccess = PlaceInstallationAccess;
    type SpaceInstallationAccess = PlaceInstallationAccess;
    type SpaceInstallationMayBeAbsentAccess = DeletablePlaceInstallationAccess;
    type SiteInstallationAccess = PlaceInstallationAccess;
    type SiteInstallationMayBeAbsentAccess = DeletablePlaceInstallationAccess;

    async fn integration(
        &self,
        call: Call<'_>,
        integration_name: &str,
        level: IntegrationLevel,
    ) -> Result<IntegrationAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let found = integration_access::find(self.access.db.read(), &caller, integration_name).await?;
        let SeenIntegration { row, owner } = found.ok_or_else(|| ApiError::not_found("integration"))?;
        let caller = match level {
            IntegrationLevel::Read => caller,
            IntegrationLevel::Admin if caller.integration() == Some(row.id) => caller,
            IntegrationLevel::Admin => allow_admin(caller, owner)?,
            IntegrationLevel::Token => {
                require_own_token(&caller, &row)?;
                caller
            }
        };
        Ok(IntegrationAccess { caller, row, owner })
    }

    async fn integration_visitors(
        &self,
        call: Call<'_>,
        integration_name: &str,
    ) -> Result<RenderedIntegrationAccess, ApiError> {
        let db = self.access.db.read();
        if let Some(Visitor { caller, site }) = self.access.visitor(call, "integration").await? {
            return RenderedIntegrationAccess::of_visitor(db, caller, site, integration_name).await;
        }
        let caller = self.access.authenticate(call).await?;
        let row = integration_access::find_for_rendering(db, &caller, integration_name).await?;
        Ok(RenderedIntegrationAccess {
            caller,
            row: row.ok_or_else(|| ApiError::not_found("integration"))?,
            site: None,
        })
    }

    async fn integration_may_be_absent(
        &self,
        call: Call<'_>,
        integration_name: &str,
    ) -> Result<DeletableIntegrationAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        Ok(
            match integration_access::find(self.access.db.read(), &caller, integration_name).await? {
                Some(SeenIntegration { row, owner }) => DeletableIntegrationAccess {
                    caller: allow_admin(caller, owner)?,
                    row: Some(row),
                },
                None => DeletableIntegrationAccess { caller, row: None },
            },
        )
    }

    async fn integration_publisher(
        &self,
        within: Caller,
        organization: Option<String>,
    ) -> Result<IntegrationPublisherAccess, ApiError> {
        // PostgreSQL refuses texts with NUL, which no name has.
        let named = organization.unwrap_or_default().to_lowercase().replace('\0', "?");
        let id = named.parse::<OrganizationId>().ok();
        let is_named = Condition::any()
            .add(stored_organizations::Column::Hostname.eq(named))
            .add_option(id.map(|id| members::Column::OrganizationId.eq(id)));
        let found = organizations::store::memberships(&within)
            .filter(is_named)
            .all(self.access.db.read())
            .await?;
        // A hostname may look like the id of another organization.
        let by_id = found.iter().find(|member| Some(member.organization_id) == id);
        let found = by_id
            .or(found.first())
            .ok_or_else(|| ApiError::not_found("organization"))?;
        let member = member_of(found);
        levels::require_role(member.role, OrganizationLevel::Admin)?;
        Ok(IntegrationPublisherAccess {
            caller: within.allowed_by(Basis::Organization(member)),
            member,
        })
    }

    async fn installation_target(
        &self,
        within: IntegrationAccess,
        organization: Option<OrganizationId>,
    ) -> Result<InstallationTargetAccess, ApiError> {
        installation_access::installation_target(&self.access, within, organization).await
    }

    async fn integration_installation(
        &self,
        call: Call<'_>,
        integration_name: &str,
        installation_id: IntegrationInstallationId,
        level: InstallationLevel,
    ) -> Result<InstallationAccess, ApiError> {
        installation_access::installation(&self.access, call, integration_name, installation_id, level).await
    }

    async fn integration_installation_may_be_absent(
        &self,
        call: Call<'_>,
        integration_name: &str,
        installation_id: IntegrationInstallationId,
    ) -> Result<DeletableInstallationAccess, ApiError> {
        installation_access::deletable_installation(&self.access, call, integration_name, installation_id).await
    }

    async fn space_installation_target(
        &self,
        within: InstallationAccess,
        space: Option<NodeId>,
    ) -> Result<PlaceInstallationAccess, ApiError> {
        installation_access::space_target(&self.access, within, space).await
    }

    async fn site_installation_target(
        &self,
        within: InstallationAccess,
        site_id: Option<SiteId>,
    ) -> Result<PlaceInstallationAccess, ApiError> {
        installation_access::site_target(&self.access, within, site_id).await
    }

    async fn space_installation(
        &self,
        call: Call<'_>,
        integration_name: &str,
        installation_id: IntegrationInstallationId,
        space_id: NodeId,
    ) -> Result<PlaceInstallationAccess, ApiError> {
        let named = (integration_name, installation_id);
        installation_access::place(&self.access, call, named, Place::Space(space_id)).await
    }

    async fn space_installation_may_be_absent(
        &self,
        call: Call<'_>,
        integration_name: &str,
        installation_id: IntegrationInstallationId,
        space_id: NodeId,
    ) -> Result<DeletablePlaceInstallationAccess, ApiError> {
        let named = (integration_name, installation_id);
        installation_access::deletable_place(&self.access, call, named, Place::Space(space_id)).await
    }

    async fn site_installation(
        &self,
        call: Call<'_>,
        integration_name: &str,
        installation_id: IntegrationInstallationId,
        site_id: SiteId,
    ) -> Result<PlaceInstallationAccess, ApiError> {
        let named = (integration_name, installation_id);
        installation_access::place(&self.access, call, named, Place::Site(site_id)).await
    }

    async fn site_installation_may_be_absent(
        &self,
        call: Call<'_>,
        integration_name: &str,
        installation_id: IntegrationInstallationId,
        site_id: SiteId,
    ) -> Result<DeletablePlaceInstallationAccess, ApiError> {
        let named = (integration_name, installation_id);
        installation_access::deletable_place(&self.access, call, named, Place::Site(site_id)).await
    }
}
