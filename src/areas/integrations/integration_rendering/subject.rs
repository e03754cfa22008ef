//! What a component is rendered for, and whether the caller may see it.

use entity::{
    ids::{IntegrationInstallationId, NodeId, OrganizationId, SiteId},
    organizations::members::{self, MemberRole},
    publishing::sites,
};
use openapi::{
    error::ApiError,
    models::{
        ContentKitAccountContext, ContentKitContentSourceContext, ContentKitContext, ContentKitDocumentContext,
        ContentKitSiteContext, ContentKitSpaceContext,
    },
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::{
    access::{load_node, rows::SpaceRow},
    areas::{
        integrations::{
            Integrations, integration_access::RenderedIntegrationAccess, integration_installations::store::find_on,
            place::Place,
        },
        organizations::organizations,
    },
};

/// The installation for which a component is rendered.
pub struct Subject {
    pub installation: IntegrationInstallationId,
    pub place: Option<Place>,
    /// Whether the caller may edit the space.
    pub may_edit: bool,
}

/// The least level on a space of those who see a component there.
struct Needed {
    space: NodeId,
    level: MemberRole,
}

impl Subject {
    /// Fails with 404 if the caller does not see the place, or the integration is not installed there.
    pub async fn find(
        integrations: &Integrations,
        access: &RenderedIntegrationAccess,
        context: &ContentKitContext,
    ) -> Result<Self, ApiError> {
        let admin = MemberRole::Admin;
        match context {
            ContentKitContext::ContentKitDocumentContext(ContentKitDocumentContext { space_id, .. }) => {
                let needed = Needed {
                    space: *space_id,
                    level: MemberRole::Read,
                };
                Self::on_space(integrations, access, needed).await
            }
            ContentKitContext::ContentKitSpaceContext(ContentKitSpaceContext { space_id, .. }) => {
                let needed = Needed {
                    space: *space_id,
                    level: admin,
                };
                Self::on_space(integrations, access, needed).await
            }
            ContentKitContext::ContentKitSiteContext(ContentKitSiteContext { site_id, .. }) => {
                Self::on_site(integrations, access, *site_id).await
            }
            ContentKitContext::ContentKitAccountContext(ContentKitAccountContext { organization_id, .. }) => {
                require_role(integrations, access, *organization_id, admin).await?;
                Self::installed(integrations, access, *organization_id, None).await
            }
            ContentKitContext::ContentKitContentSourceContext(ContentKitContentSourceContext {
                organization_id,
                ..
            }) => {
                require_role(integrations, access, *organization_id, MemberRole::Create).await?;
                Self::installed(integrations, access, *organization_id, None).await
            }
        }
    }

    async fn on_space(
        integrations: &Integrations,
        access: &RenderedIntegrationAccess,
        needed: Needed,
    ) -> Result<Self, ApiError> {
        let Needed { space, level } = needed;
        let place = Some(Place::Space(space));
        if let Some(site) = &access.site {
            // A preview shows what its maker may read.
            let is_read = match site.preview_of() {
                Some(_) => load_node::<SpaceRow>(&integrations.access, &access.caller, space)
                    .await?
                    .is_some(),
                None => true,
            };
            if !is_read || !site.shows(space).await? {
                return Err(unknown("space"));
            }
            if level > MemberRole::Read {
                return Err(forbidden());
            }
            return Self::installed(integrations, access, site.organization(), place).await;
        }
        let found = load_node::<SpaceRow>(&integrations.access, &access.caller, space).await?;
        let found = found.ok_or_else(|| unknown("space"))?;
        if found.level < level {
            return Err(forbidden());
        }
        let subject = Self::installed(integrations, access, found.row.node.organization_id, place).await?;
        Ok(Self {
            may_edit: found.level >= MemberRole::Edit,
            ..subject
        })
    }

    async fn on_site(
        integrations: &Integrations,
        access: &RenderedIntegrationAccess,
        site: SiteId,
    ) -> Result<Self, ApiError> {
        let found = sites::Entity::find_by_id(site)
            .one(integrations.kernel.db.read())
            .await?;
        let organization = found.ok_or_else(|| unknown("site"))?.organization_id;
        require_role(integrations, access, organization, MemberRole::Admin).await?;
        Self::installed(integrations, access, organization, Some(Place::Site(site))).await
    }

    async fn installed(
        integrations: &Integrations,
        access: &RenderedIntegrationAccess,
        organization: OrganizationId,
        place: Option<Place>,
    ) -> Result<Self, ApiError> {
        let found = find_on(integrations.kernel.db.read(), access.row.id, organization).await?;
        Ok(Self {
            installation: found.ok_or_else(|| unknown("installation"))?.id,
            place,
            may_edit: false,
        })
    }
}

/// Requires a role in an organization. Visitors, and those who do not belong to it, do not see it.
async fn require_role(
    integrations: &Integrations,
    access: &RenderedIntegrationAccess,
    organization: OrganizationId,
    role: MemberRole,
) -> Result<(), ApiError> {
    let member = match access.site {
        Some(_) => None,
        None => {
            organizations::store::memberships(&access.caller)
                .filter(members::Column::OrganizationId.eq(organization))
                .one(integrations.kernel.db.read())
                .await?
        }
    };
    match member.ok_or_else(|| unknown("organization"))?.role {
        Some(own) if own >= role => Ok(()),
        _ => Err(forbidden()),
    }
}

fn unknown(object: &str) -> ApiError {
    ApiError::not_found(object)
}

fn forbidden() -> ApiError {
    ApiError::forbidden("The component is shown to those who may change what it configures.")
}
