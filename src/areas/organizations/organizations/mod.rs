//! Organizations: the tenants, their settings and their instructions for agents.

mod agent_instructions;
mod changes;
mod default_content;
mod domain_job;
pub mod domain_store;
pub mod mailbox_providers;
pub mod store;
mod view;
mod with_site;

use std::collections::BTreeMap;

use entity::{
    ids::{OrganizationId, UserId},
    organizations::{Model, members::MemberRole},
};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        AgentInstructions, CreateOrganization, EmailDomainOrganizations, Organization, OrganizationList,
        OrganizationType, UpdateAgentInstructions, UpdateOrganization,
    },
    operations::organizations::{
        CreateOrganizationQuery, ListOrganizationsForAuthenticatedUserQuery, OrganizationsApi,
    },
};
use platform::db::fold;
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::json;

use crate::{
    access::{Caller, OrganizationAccess, node_levels::Member},
    areas::organizations::Organizations,
    kernel::{
        Kernel,
        audit::{Actor, AuditTarget, Changed, SystemAction},
        lists::List,
    },
};
pub use agent_instructions::empty as empty_document;
pub use domain_job::ProveEmailDomains;
use store::VisibleOrganization;

impl OrganizationsApi for Organizations {
    async fn list_organizations_for_authenticated_user(
        &self,
        caller: Caller,
        query: ListOrganizationsForAuthenticatedUserQuery,
    ) -> Result<OrganizationList, ApiError> {
        let list = List::new(&self.kernel, ("organizations", caller.user_id), query.page, query.limit);
        let db = self.kernel.db.read();
        let page = store::page_of_member(db, &caller, list.after()?, list.limit).await?;
        let count = list.count(store::memberships(&caller), &page).await?;
        let (rows, next) = (page.items, page.next);
        let (rows, roles): (Vec<Model>, Vec<Option<MemberRole>>) = rows.into_iter().unzip();
        let roles = roles.into_iter().map(Some).collect();
        let items = views(&self.kernel, db, caller.user_id, rows, roles).await?;
        let page = platform::db::Page { items, next };
        Ok(list.answer(page, count, |organization| organization)?.into())
    }

    async fn create_organization(
        &self,
        caller: Caller,
        query: CreateOrganizationQuery,
        body: CreateOrganization,
    ) -> Result<Created<Organization>, ApiError> {
        let row = if query.with_default_site {
            with_site::create(self, &caller, query.openapi_url, body).await?
        } else {
            create_with(&self.kernel, &caller, caller.user_id, body).await?
        };
        let body = load(&self.kernel, row, Some(MemberRole::Admin)).await?;
        Ok(Created {
            location: body.urls.location.clone(),
            body,
        })
    }

    async fn get_organization_by_id(&self, access: OrganizationAccess) -> Result<Organization, ApiError> {
        load_for(&self.kernel, &access.member()).await
    }

    async fn update_organization_by_id(
        &self,
        access: OrganizationAccess,
        body: UpdateOrganization,
    ) -> Result<Organization, ApiError> {
        let (organization, now) = (access.organization, self.kernel.clock.now());
        let payload = serde_json::to_value(&body)?;
        let by = access.caller.clone();
        let work = move |tx| async move {
            let row = changes::apply(&tx, organization, &by, body, now).await?;
            Changed::of(target(&row), row).with(payload)
        };
        let row = self.kernel.write(&access.caller, work).await?;
        load(&self.kernel, row, access.role).await
    }

    async fn get_organization_agent_instructions(
        &self,
        access: OrganizationAccess,
    ) -> Result<AgentInstructions, ApiError> {
        agent_instructions::get(&self.kernel, access.organization).await
    }

    async fn update_organization_agent_instructions(
        &self,
        access: OrganizationAccess,
        body: UpdateAgentInstructions,
    ) -> Result<AgentInstructions, ApiError> {
        agent_instructions::put(&self.kernel, &access, body).await
    }

    async fn get_organizations_for_email_domain(
        &self,
        caller: Caller,
        email_domain: String,
    ) -> Result<EmailDomainOrganizations, ApiError> {
        let db = self.kernel.db.read();
        let (user, domain) = (caller.user_id, email_domain.to_lowercase());
        let has_address = caller.identity.verified_domain() == Some(&domain);
        let mut rows = domain_store::shown(db, &domain, store::memberships(&caller), has_address).await?;
        // Sorted here, because databases sort texts by rules of their own.
        rows.sort_by_cached_key(|row| (fold(&row.title), row.id));
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        let roles = store::roles_of(db, user, &ids).await?;
        let roles = ids.iter().map(|id| roles.get(id).copied()).collect();
        let organizations = views(&self.kernel, db, user, rows, roles).await?;
        Ok(EmailDomainOrganizations { organizations })
    }
}

/// Creates an organization whose only member and admin is `owner`.
pub async fn create(kernel: &Kernel, owner: UserId, title: &str) -> Result<Model, ApiError> {
    create_with(kernel, SystemAction::CreateOrganization, owner, titled(title)).await
}

/// The row of an organization with nothing but a title, for [`store::insert`].
pub fn new_row(kernel: &Kernel, title: &str) -> Model {
    let (row, _) = changes::new(kernel.ids.next(), kernel.clock.now(), titled(title));
    row
}

fn titled(title: &str) -> CreateOrganization {
    CreateOrganization {
        title: title.to_owned(),
        email_domains: None,
        r#type: OrganizationType::Business,
        use_case: None,
        community_type: None,
        onboarding_preferences: None,
    }
}

async fn create_with(
    kernel: &Kernel,
    by: impl Into<Actor>,
    owner: UserId,
    body: CreateOrganization,
) -> Result<Model, ApiError> {
    let (row, domains) = changes::new(kernel.ids.next(), kernel.clock.now(), body);
    let work = move |tx| async move {
        store::insert(&tx, &row, domains, owner).await?;
        Ok(Changed::of(target(&row), row))
    };
    kernel.write(by, work).await
}

/// An organization as those see it who do not belong to it.
pub async fn shown_to_strangers(
    kernel: &Kernel,
    organization: OrganizationId,
) -> Result<Option<Organization>, ApiError> {
    let row = store::find(kernel.db.read(), organization).await?;
    let strangers = view::OrganizationDetails {
        domains: Vec::new(),
        default_site: None,
        role: None,
        owns_team: false,
    };
    row.map(|row| view::organization(&kernel.urls, row, strangers))
        .transpose()
}

/// Marks an email domain as proven.
pub async fn verify_domain(kernel: &Kernel, organization: OrganizationId, domain: &str) -> Result<(), ApiError> {
    let (domain, now) = (domain.to_lowercase(), kernel.clock.now());
    let work = move |tx| async move {
        let row = store::lock(&tx, organization).await?;
        let row = row.ok_or_else(|| ApiError::not_found("organization"))?;
        if !domain_store::verify(&tx, organization, domain.clone(), now).await? {
            return Err(ApiError::not_found("email domain"));
        }
        Changed::of(target(&row), ()).with(json!({ "emailDomain": domain }))
    };
    kernel.write(SystemAction::VerifyEmailDomain, work).await
}

pub fn target(organization: &Model) -> AuditTarget {
    AuditTarget::in_organization(organization.id, "organization", organization.id).labelled(&organization.title)
}

/// Every organization, the earliest first; for the command line.
pub async fn list(kernel: &Kernel) -> Result<Vec<Model>, ApiError> {
    Ok(store::all(kernel.db.read()).await?)
}

/// An organization as one of its members sees it.
pub async fn load_for(kernel: &Kernel, member: &Member) -> Result<Organization, ApiError> {
    let found = store::find_visible(kernel.db.read(), member.organization, member.user).await;
    let (seen, domains) = found?.ok_or_else(|| ApiError::not_found("organization"))?;
    shown(kernel, seen, domains, member.role)
}

/// An organization as people see it who are not its members.
pub async fn load_for_others(kernel: &Kernel, organization: OrganizationId) -> Result<Organization, ApiError> {
    let row = store::find(kernel.db.read(), organization).await?;
    let details = view::OrganizationDetails {
        domains: Vec::new(),
        default_site: None,
        role: None,
        owns_team: false,
    };
    let row = row.ok_or_else(|| ApiError::not_found("organization"))?;
    Ok(view::for_others(view::organization(&kernel.urls, row, details)?))
}

/// Organizations by their ids, each as a caller sees it who need not be its member.
pub async fn all_shown_to(
    kernel: &Kernel,
    caller: &Caller,
    organizations: &[OrganizationId],
) -> Result<BTreeMap<OrganizationId, Organization>, ApiError> {
    let db = kernel.db.read();
    let rows = store::with_ids(db, organizations).await?;
    let roles = store::roles_that_count(db, caller, organizations).await?;
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let roles = ids.iter().map(|id| roles.get(id).copied()).collect();
    let organizations = views(kernel, db, caller.user_id, rows, roles).await?;
    let organizations = organizations
        .into_iter()
        .map(|organization| match organization.permissions.view {
            true => organization,
            false => view::for_others(organization),
        });
    Ok(ids.into_iter().zip(organizations).collect())
}

/// The wire form of one organization, for its admin. Two queries.
async fn load(kernel: &Kernel, row: Model, role: Option<MemberRole>) -> Result<Organization, ApiError> {
    let (db, id) = (kernel.db.read(), row.id);
    let mut domains = domain_store::of(db, &[id]).await?;
    let contents = default_content::of(db, &[id]).await?;
    let seen = VisibleOrganization::for_admin(row, contents.get(&id).copied());
    shown(kernel, seen, domains.remove(&id).unwrap_or_default(), role)
}

fn shown(
    kernel: &Kernel,
    seen: VisibleOrganization,
    domains: Vec<String>,
    role: Option<MemberRole>,
) -> Result<Organization, ApiError> {
    let details = view::OrganizationDetails {
        domains,
        default_site: seen.default_site,
        owns_team: seen.owns_team,
        role: Some(role),
    };
    view::organization(&kernel.urls, seen.row, details)
}

/// The wire forms of organizations, in three queries for all of them. A role of `None` is no membership.
async fn views(
    kernel: &Kernel,
    db: &impl ConnectionTrait,
    user: UserId,
    rows: Vec<Model>,
    roles: Vec<Option<Option<MemberRole>>>,
) -> Result<Vec<Organization>, ApiError> {
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let mut domains = domain_store::of(db, &ids).await?;
    let contents = default_content::of(db, &ids).await?;
    // Admins own every team; only others need a look.
    let all_admin = roles.iter().all(|role| *role == Some(Some(MemberRole::Admin)));
    let owned = if all_admin {
        Ok(Default::default())
    } else {
        store::owning_teams(db, user, &ids).await
    };
    let owned: Result<_, DbErr> = owned;
    let owned = owned?;
    rows.into_iter()
        .zip(roles)
        .map(|(row, role)| {
            let details = view::OrganizationDetails {
                domains: domains.remove(&row.id).unwrap_or_default(),
                default_site: contents.get(&row.id).copied(),
                owns_team: owned.contains(&row.id),
                role,
            };
            view::organization(&kernel.urls, row, details)
        })
        .collect()
}
