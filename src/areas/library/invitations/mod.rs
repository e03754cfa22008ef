//! Invitations to an organization, invite links, and joining.

mod daily_limit;
mod invite;
pub mod join;
mod links;
mod mail;
mod purge_job;
pub mod store;
mod view;

use entity::{
    ids::{InviteId, OrganizationId},
    library::invitations::Model,
};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        CreateOrganizationInvite, InviteLinkToOrganizationList, InviteUsers, InvitedUsers, JoinedOrganization,
        OrganizationInviteLink, UpdateOrganizationInvite,
    },
    operations::invitations::{InvitationsApi, ListOrganizationInviteLinksQuery},
};

use crate::{
    access::{Caller, OrganizationAccess, TargetAccess},
    areas::library::{
        Library,
        guard::{DeletableInviteLinkAccess, InviteLinkAccess},
    },
    kernel::{Kernel, audit::AuditTarget, lists::List},
};

pub use self::{purge_job::PurgeExpiredInvites, store::purge};

impl InvitationsApi for Library {
    async fn invite_users_to_organization(
        &self,
        access: OrganizationAccess,
        body: InviteUsers,
    ) -> Result<InvitedUsers, ApiError> {
        invite::invite(self, &access, body).await
    }

    async fn join_organization_with_invite(
        &self,
        caller: Caller,
        organization_id: OrganizationId,
        invite_id: InviteId,
    ) -> Result<JoinedOrganization, ApiError> {
        join::by_link(&self.kernel, &caller, caller.user_id, organization_id, invite_id).await?;
        Ok(JoinedOrganization {})
    }

    async fn list_organization_invite_links(
        &self,
        access: OrganizationAccess,
        query: ListOrganizationInviteLinksQuery,
    ) -> Result<InviteLinkToOrganizationList, ApiError> {
        let list = List::new(
            &self.kernel,
            ("invite-links", access.organization),
            query.page,
            query.limit,
        );
        let rows = store::to_organization(access.organization, self.kernel.clock.now());
        let view = |row: Model| view::link_to_organization(&row, access.role);
        let page = list.newest_first(rows, |row| row.id, view).await?;
        Ok(page.into())
    }

    async fn create_organization_invite(
        &self,
        access: TargetAccess,
        body: CreateOrganizationInvite,
    ) -> Result<Created<OrganizationInviteLink>, ApiError> {
        links::create(&self.kernel, access, body).await
    }

    async fn get_organization_invite_link(&self, access: InviteLinkAccess) -> Result<OrganizationInviteLink, ApiError> {
        view::link(&self.kernel, access.link, access.member.role).await
    }

    async fn delete_organization_invite_by_id(&self, access: DeletableInviteLinkAccess) -> Result<(), ApiError> {
        links::delete(&self.kernel, access).await
    }

    async fn update_organization_invite_by_id(
        &self,
        access: InviteLinkAccess,
        body: UpdateOrganizationInvite,
    ) -> Result<OrganizationInviteLink, ApiError> {
        links::update(&self.kernel, access, body).await
    }

    async fn join_organization(&self, caller: Caller, organization_id: OrganizationId) -> Result<(), ApiError> {
        let domain = caller.identity.verified_domain().map(str::to_owned);
        join::by_domain(&self.kernel, &caller, caller.user_id, domain, organization_id).await
    }
}

fn target(row: &Model) -> AuditTarget {
    let target = AuditTarget::in_organization(row.organization_id, "invite", row.id);
    match &row.email {
        Some(email) => target.labelled(email),
        None => target,
    }
}

/// The id of a new link.
fn new_id(kernel: &Kernel) -> Result<InviteId, ApiError> {
    kernel.ids.secret().map_err(|e| ApiError::internal(e.to_string()))
}

fn unknown() -> ApiError {
    ApiError::not_found("invite")
}
