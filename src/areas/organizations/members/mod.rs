//! Members of organizations, with their roles and when they were last seen.

mod removal;
pub mod removed;
pub mod store;
pub mod view;
mod visitor_claims;

use std::iter;

use entity::{
    ids::{OrganizationId, UserId},
    organizations::members::MemberRole,
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{ErrorDetail, Member, MemberList, UpdateMember, VisitorClaims},
    operations::members::{ListMembersInOrganizationByIdQuery, MembersApi},
};
use serde_json::json;

use crate::{
    access::{OrganizationAccess, node_levels},
    areas::{joins::member_counts::MemberCounts, organizations::Organizations},
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed, SystemAction},
        lists::List,
        wire::ToStored,
    },
};
use store::{MemberColumns, MemberFilters, MemberQuery};

impl MembersApi for Organizations {
    async fn update_organization_member_last_seen_at(
        &self,
        access: OrganizationAccess,
    ) -> Result<VisitorClaims, ApiError> {
        let (organization, user, now) = (access.organization, access.caller.user_id, self.kernel.clock.now());
        let work = move |tx| async move {
            store::set_seen(&tx, organization, user, now).await?;
            Ok(Changed::of(target(organization, user), ()))
        };
        self.kernel.write(&access.caller, work).await?;
        let claims = visitor_claims::sign(&self.kernel, &access)?;
        Ok(VisitorClaims {
            service_visitor_claims: Some(claims.clone()),
            gitbook_visitor_claims: Some(claims),
        })
    }

    async fn list_members_in_organization_by_id(
        &self,
        access: OrganizationAccess,
        query: ListMembersInOrganizationByIdQuery,
    ) -> Result<MemberList, ApiError> {
        let ListMembersInOrganizationByIdQuery {
            page,
            limit,
            order,
            role,
            search,
            sort,
        } = query;
        let organization = access.organization;
        let scope = ("members", organization, order, role, &search, sort);
        let list = List::new(&self.kernel, scope, page, limit);
        let filters = MemberFilters {
            role: role.map(view::role_filter),
            search: search.as_deref(),
            sort,
        };
        let kept_count = filters.match_all().then_some(access.members_count);
        let query = MemberQuery {
            organization,
            filters,
            order,
            among: None,
            kept_count,
        };
        let views = async |members| views(&self.kernel, organization, members).await;
        Ok(store::page(self.kernel.db.read(), &list, &query, views).await?.into())
    }

    async fn get_member_in_organization_by_id(
        &self,
        access: OrganizationAccess,
        user_id: UserId,
    ) -> Result<Member, ApiError> {
        load(&self.kernel, access.organization, user_id).await
    }

    async fn remove_member_from_organization_by_id(
        &self,
        access: OrganizationAccess,
        user_id: UserId,
    ) -> Result<(), ApiError> {
        let organization = access.organization;
        let (by, now) = (access.caller.user_id, self.kernel.clock.now());
        let work = move |tx| async move {
            let removed = removal::remove(&tx, organization, user_id, by, now).await?;
            Ok(Changed::if_some(removed.then(|| target(organization, user_id))))
        };
        self.kernel.write(&access.caller, work).await?;
        self.access.forget_tokens();
        Ok(())
    }

    async fn update_member_in_organization_by_id(
        &self,
        access: OrganizationAccess,
        user_id: UserId,
        body: UpdateMember,
    ) -> Result<Member, ApiError> {
        let UpdateMember { role } = body;
        let organization = access.organization;
        if let Some(role) = role.into_change() {
            let payload = json!({ "role": role });
            let role = role.map(ToStored::to_stored);
            let work = move |tx| async move {
                let changed = store::set_role(&tx, organization, user_id, role).await?;
                Changed::if_some(changed.then(|| target(organization, user_id))).with(payload)
            };
            self.kernel.write(&access.caller, work).await?;
        }
        load(&self.kernel, organization, user_id).await
    }

    async fn set_user_as_sso_member_for_organization(
        &self,
        access: OrganizationAccess,
        user_id: UserId,
    ) -> Result<Member, ApiError> {
        let organization = access.organization;
        let work = move |tx| async move {
            let changed = store::set_sso(&tx, organization, user_id).await?;
            Ok(Changed::if_some(changed.then(|| target(organization, user_id))))
        };
        self.kernel.write(&access.caller, work).await?;
        load(&self.kernel, organization, user_id).await
    }
}

/// Returns the wire types of members, with their counts. Two queries, whatever their number.
pub async fn views(
    kernel: &Kernel,
    organization: OrganizationId,
    members: Vec<MemberColumns>,
) -> Result<Vec<Member>, ApiError> {
    let people = members.iter().map(|member| (member.user.id, member.role));
    let counts = MemberCounts::of(kernel.db.read(), organization, people).await?;
    let members = members.into_iter();
    Ok(members.map(|row| view::member(&kernel.urls, row, &counts)).collect())
}

/// Adds a user to an organization unless they are a member; for the command line.
pub async fn add(
    kernel: &Kernel,
    organization: OrganizationId,
    user: UserId,
    role: Option<MemberRole>,
) -> Result<(), ApiError> {
    let now = kernel.clock.now();
    let work = move |tx| async move {
        let added = store::add(&tx, organization, user, role, now).await?;
        Ok(Changed::if_some(added.then(|| target(organization, user))))
    };
    kernel.write(SystemAction::AddMember, work).await
}

/// Lets a member in without single sign-on where it is required, or ends that; for the command line.
pub async fn set_sso_exempt(
    kernel: &Kernel,
    organization: OrganizationId,
    user: UserId,
    exempt: bool,
) -> Result<(), ApiError> {
    let work = move |tx| async move {
        store::set_sso_exempt(&tx, organization, user, exempt).await?;
        Changed::of(target(organization, user), ()).with(json!({ "exempt": exempt }))
    };
    kernel.write(SystemAction::ExemptMember, work).await
}

/// Disables a member, or enables them again; for the command line.
pub async fn set_disabled(
    kernel: &Kernel,
    organization: OrganizationId,
    user: UserId,
    disabled: bool,
) -> Result<(), ApiError> {
    let work = move |tx| async move {
        store::set_disabled(&tx, organization, user, disabled).await?;
        Changed::of(target(organization, user), ()).with(json!({ "disabled": disabled }))
    };
    kernel.write(SystemAction::DisableMember, work).await
}

/// The violation of a body that names somebody at `pointer` who is not a member.
pub fn not_a_member(pointer: String) -> ErrorDetail {
    ErrorDetail {
        pointer,
        code: ErrorRule::NotAMember,
        message: "Is not a member of the organization.".to_owned(),
    }
}

pub fn target(organization: OrganizationId, user: UserId) -> AuditTarget {
    AuditTarget::in_organization(organization, "member", user)
}

fn unknown() -> ApiError {
    ApiError::not_found("member")
}

/// A member, with what access to content depends on.
pub async fn of_organization(
    kernel: &Kernel,
    organization: OrganizationId,
    user: UserId,
) -> Result<node_levels::Member, ApiError> {
    let found = store::find(kernel.db.read(), organization, user).await?;
    let role = found.ok_or_else(unknown)?.role;
    Ok(node_levels::Member::new(organization, user, role))
}

async fn load(kernel: &Kernel, organization: OrganizationId, user: UserId) -> Result<Member, ApiError> {
    let db = kernel.db.read();
    let found = store::find_columns(db, organization, user).await?;
    let member = found.ok_or_else(unknown)?;
    let counts = MemberCounts::of(db, organization, iter::once((user, member.role))).await?;
    Ok(view::member(&kernel.urls, member, &counts))
}
