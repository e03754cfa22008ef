//! Installations as callers see them, and the spaces and sites on which integrations are installed, for the guard.

use entity::{
    ids::{IntegrationInstallationId, NodeId, OrganizationId, SiteId},
    integrations::{self, installations},
    organizations::members::MemberRole,
};
use openapi::{
    call::Call,
    error::ApiError,
    guard::{InstallationLevel, OrganizationLevel},
};
use platform::db::rows;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use super::{integration_access::IntegrationAccess, place::Place};
use crate::{
    access::{
        Access, Caller,
        authorize::{self, load_node},
        basis::Basis,
        grants::name_caller,
        levels::{self, Member},
        memberships::membership,
        rows::{NodeRow, SpaceRow, find_row},
        site_levels, sso,
    },
    areas::publishing::structure::site,
};

/// An installation with the place of the caller in its organization.
struct SeenInstallation {
    integration: integrations::Model,
    installation: installations::Model,
    actor: Actor,
}

/// Who acts on an installation.
#[derive(Clone, Copy)]
enum Actor {
    Member(Option<MemberRole>),
    /// The integration or the installation, with a token of its own.
    Script,
}

impl SeenInstallation {
    /// Notes on what the caller may do the operation. Scripts keep that of their token.
    fn allow(&self, caller: Caller) -> Caller {
        match self.actor {
            Actor::Member(role) => {
                let member = caller.member(self.installation.organization_id, role);
                caller.allowed_by(Basis::Organization(member))
            }
            Actor::Script => caller,
        }
    }

    /// Refuses members who are no admins of the organization.
    fn require_admin(&self) -> Result<(), ApiError> {
        match self.actor {
            Actor::Member(role) => levels::require_role(role, OrganizationLevel::Admin),
            Actor::Script => Ok(()),
        }
    }
}

pub fn unknown() -> ApiError {
    ApiError::not_found("installation")
}

/// An installation with its integration, by the name of the integration.
async fn find_by_name(
    db: &impl ConnectionTrait,
    name: &str,
    installation: IntegrationInstallationId,
) -> Result<Option<(integrations::Model, installations::Model)>, DbErr> {
    // PostgreSQL refuses texts with NUL, which no name has.
    if name.contains('\0') {
        return Ok(None);
    }
    let found = installations::Entity::find_by_id(installation)
        .find_also_related(integrations::Entity)
        .filter(integrations::Column::Name.eq(name))
        .one(db)
        .await?;
    Ok(found.and_then(|(installation, integration)| Some((integration?, installation))))
}

/// `None`: the caller does not see the installation, or it does not exist.
async fn find(
    access: &Access,
    caller: &Caller,
    name: &str,
    installation: IntegrationInstallationId,
) -> Result<Option<SeenInstallation>, ApiError> {
    let Some((integration, installation)) = find_by_name(access.db.read(), name, installation).await? else {
        return Ok(None);
    };
    let actor = match &caller.identity.integration {
        Some(calling) => {
            let is_own = match &calling.installation {
                Some(own) => own.id == installation.id,
                None => calling.id == integration.id,
            };
            is_own.then_some(Actor::Script)
        }
        None => {
            let organization = installation.organization_id;
            let found = membership(&access.db, organization, caller.user_id).await?;
            match found.filter(|member| !member.disabled) {
                Some(member) => {
                    sso::require(&caller.identity, organization, member.sso_required)?;
                    Some(Actor::Member(member.role))
                }
                None => None,
            }
        }
    };
    Ok(actor.map(|actor| SeenInstallation {
        integration,
        installation,
        actor,
    }))
}

pub async fn installation(
    access: &Access,
    call: Call<'_>,
    name: &str,
    id: IntegrationInstallationId,
    level: InstallationLevel,
) -> Result<InstallationAccess, ApiError> {
    let caller = access.authenticate(call).await?;
    let seen = find(access, &caller, name, id).await?.ok_or_else(unknown)?;
    if level == InstallationLevel::Admin {
        seen.require_admin()?;
    }
    Ok(InstallationAccess {
        caller: seen.allow(caller),
        role: match seen.actor {
            Actor::Member(role) => role,
            Actor::Script => None,
        },
        integration: seen.integration,
        installation: seen.installation,
    })
}

pub async fn deletable_installation(
    access: &Access,
    call: Call<'_>,
    name: &str,
    id: IntegrationInstallationId,
) -> Result<DeletableInstallationAccess, ApiError> {
    let caller = access.authenticate(call).await?;
    let Some(seen) = find(access, &caller, name, id).await? else {
        return Ok(DeletableInstallationAccess { caller, found: None });
    };
    seen.require_admin()?;
    Ok(DeletableInstallationAccess {
        caller: seen.allow(caller),
        found: Some((seen.integration, seen.installation)),
    })
}

/// The organization on which an integration is to be installed.
pub async fn installation_target(
    access: &Access,
    within: IntegrationAccess,
    organization: Option<OrganizationId>,
) -> Result<InstallationTargetAccess, ApiError> {
    let absent = || ApiError::not_found("organization");
    let (caller, organization) = (within.caller, organization.ok_or_else(absent)?);
    let found = membership(&access.db, organization, caller.user_id).await?;
    let member = found.filter(|member| !member.disabled).ok_or_else(absent)?;
    sso::require(&caller.identity, organization, member.sso_required)?;
    levels::require_role(member.role, OrganizationLevel::Admin)?;
    let basis = Basis::Organization(caller.member(organization, member.role));
    Ok(InstallationTargetAccess {
        caller: caller.allowed_by(basis),
        integration: within.row,
        organization,
    })
}

/// The space on which an integration is to be installed.
pub async fn space_target(
    access: &Access,
    within: InstallationAccess,
    space: Option<NodeId>,
) -> Result<PlaceInstallationAccess, ApiError> {
    let InstallationAccess {
        caller,
        integration,
        installation,
        ..
    } = within;
    let space = space.ok_or_else(|| ApiError::not_found("space"))?;
    let found = administered_space(access, caller, installation.organization_id, space).await?;
    let caller = found.ok_or_else(|| ApiError::not_found("space"))?;
    Ok(PlaceInstallationAccess {
        caller,
        integration,
        installation,
        place: Place::Space(space),
    })
}

/// The site on which an integration is to be installed.
pub async fn site_target(
    access: &Access,
    within: InstallationAccess,
    site: Option<SiteId>,
) -> Result<PlaceInstallationAccess, ApiError> {
    let InstallationAccess {
        caller,
        role,
        integration,
        installation,
    } = within;
    let id = site.ok_or_else(site::unknown)?;
    let member = caller.member(installation.organization_id, role);
    let found = administered_site(access, caller, member, id).await?;
    Ok(PlaceInstallationAccess {
        caller: found.ok_or_else(site::unknown)?,
        integration,
        installation,
        place: Place::Site(id),
    })
}

pub async fn place(
    access: &Access,
    call: Call<'_>,
    (name, id): (&str, IntegrationInstallationId),
    place: Place,
) -> Result<PlaceInstallationAccess, ApiError> {
    let DeletablePlaceInstallationAccess { caller, found } = deletable_place(access, call, (name, id), place).await?;
    let (integration, installation, place) = found.ok_or_else(unknown)?;
    Ok(PlaceInstallationAccess {
        caller,
        integration,
        installation,
        place,
    })
}

pub async fn deletable_place(
    access: &Access,
    call: Call<'_>,
    (name, id): (&str, IntegrationInstallationId),
    place: Place,
) -> Result<DeletablePlaceInstallationAccess, ApiError> {
    let caller = access.authenticate(call).await?;
    let absent = |caller| DeletablePlaceInstallationAccess { caller, found: None };
    let Some(seen) = find(access, &caller, name, id).await? else {
        return Ok(absent(caller));
    };
    let (db, organization) = (access.db.read(), seen.installation.organization_id);
    let allowed = match (seen.actor, place) {
        (Actor::Script, Place::Space(space)) => {
            let found = find_row::<SpaceRow>(db, organization, space).await?;
            found.map(|_| caller.clone())
        }
        (Actor::Script, Place::Site(site)) => {
            let found = rows::find(db, site::of(organization), site).await?;
            found.map(|_| caller.clone())
        }
        (Actor::Member(_), Place::Space(space)) => {
            administered_space(access, caller.clone(), organization, space).await?
        }
        (Actor::Member(role), Place::Site(site)) => {
            let member = caller.member(organization, role);
            administered_site(access, caller.clone(), member, site).await?
        }
    };
    Ok(match allowed {
        Some(caller) => DeletablePlaceInstallationAccess {
            caller,
            found: Some((seen.integration, seen.installation, place)),
        },
        None => absent(caller),
    })
}

/// The caller as an admin of a space of an organization. `None`: they do not see it, or it belongs to another organization.
async fn administered_space(
    access: &Access,
    caller: Caller,
    organization: OrganizationId,
    space: NodeId,
) -> Result<Option<Caller>, ApiError> {
    let found = load_node::<SpaceRow>(access, &caller, space).await?;
    let found = found.filter(|found| found.row.node().organization_id == organization);
    let found = authorize::require_admin_if_present(found, "space")?;
    Ok(found.map(|found| {
        let basis = found.basis();
        caller.allowed_by(basis)
    }))
}

/// The caller as an admin of a site of the organization of a member. `None`: the organization has no such site.
async fn administered_site(
    access: &Access,
    caller: Caller,
    member: Member,
    site: SiteId,
) -> Result<Option<Caller>, ApiError> {
    let db = access.db.read();
    if rows::find(db, site::of(member.organization), site).await?.is_none() {
        return Ok(None);
    }
    let level = site_levels::level(db, &member, site).await?;
    site_levels::require(level, OrganizationLevel::Admin)?;
    Ok(Some(caller.allowed_by(Basis::Site { member, site, level })))
}

/// The caller belongs to the organization of an installation, or is the integration or the installation itself.
pub struct InstallationAccess {
    pub caller: Caller,
    /// The role of a member. `None`: a guest, or no person.
    pub role: Option<MemberRole>,
    pub integration: integrations::Model,
    pub installation: installations::Model,
}

/// The caller may uninstall, or does not see an installation with the id.
pub struct DeletableInstallationAccess {
    pub caller: Caller,
    pub found: Option<(integrations::Model, installations::Model)>,
}

/// The caller is an admin of the organization on which the integration is to be installed.
pub struct InstallationTargetAccess {
    pub caller: Caller,
    pub integration: integrations::Model,
    pub organization: OrganizationId,
}

/// The caller may change the installation on a space or a site, which may be not installed there yet.
pub struct PlaceInstallationAccess {
    pub caller: Caller,
    pub integration: integrations::Model,
    pub installation: installations::Model,
    pub place: Place,
}

/// The same, or the caller does not see the installation, the space or the site.
pub struct DeletablePlaceInstallationAccess {
    pub caller: Caller,
    pub found: Option<(integrations::Model, installations::Model, Place)>,
}

name_caller!(
    InstallationAccess,
    DeletableInstallationAccess,
    InstallationTargetAccess,
    PlaceInstallationAccess,
    DeletablePlaceInstallationAccess
);
