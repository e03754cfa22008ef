//! Access to the resources of this context, which stubs ask for before a handler runs.

use std::sync::Arc;

use entity::{
    ids::{OrganizationId, SiteId},
    organizations::members::MemberRole,
    publishing::sites::{self, custom_hostnames},
    timestamp::Timestamp,
};
use expressions::VisitorClaims;
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, OrganizationLevel},
};

use crate::{
    access::{
        Caller, SiteReader,
        basis::Basis,
        grants::{context_guard, name_caller},
        integration_callers::find_site,
        levels::{self, Member},
        site_levels, sso,
    },
    areas::{
        identity::guard::IdentityGuard,
        publishing::{
            hostnames,
            layout::{Drafts, Layout},
            site_roles::{self, SiteRole},
            visits::{OpenVisit, Visit, Visits},
        },
    },
};

context_guard!(PublishingGuard, visits: Visits);

impl guard::PublishingGuard for PublishingGuard {
    type IdentityGuard = IdentityGuard;
    type SiteAccess = SiteAccess;
    type SiteVisitorsAccess = ReadableSiteAccess;
    type PublishedContentAccess = LookupAccess;
    type CustomHostnameAccess = CustomHostnameAccess;
    type CustomHostnameMayBeAbsentAccess = DeletableCustomHostnameAccess;
    type CustomHostnameTargetAccess = CustomHostnameTargetAccess;

    async fn site(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
        site_id: SiteId,
        level: OrganizationLevel,
    ) -> Result<SiteAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        if let Some(installation) = caller.installation() {
            // The scope of the operation takes the place of the role.
            let found = find_site(self.access.db.read(), installation, site_id).await?;
            let row = found.filter(|site| site.organization_id == organization_id);
            let row = row.ok_or_else(|| ApiError::not_found("site"))?;
            let member = caller.member(organization_id, None);
            let (site, level) = (row.id, Some(MemberRole::Admin));
            return Ok(SiteAccess {
                caller: caller.allowed_by(Basis::Site { member, site, level }),
                member,
                level,
                row,
            });
        }
        let found = site_roles::find(self.access.db.read(), organization_id, site_id, caller.user_id).await?;
        let SiteRole {
            site: row,
            member,
            level: found,
            sso_required,
        } = found.ok_or_else(|| ApiError::not_found("site"))?;
        sso::require(&caller.identity, organization_id, sso_required)?;
        site_levels::require(found, level)?;
        let (site, level) = (row.id, found);
        Ok(SiteAccess {
            caller: caller.allowed_by(Basis::Site { member, site, level }),
            member,
            level,
            row,
        })
    }

    async fn site_visitors(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
        site_id: SiteId,
    ) -> Result<ReadableSiteAccess, ApiError> {
        if let Some((caller, visit)) = self.visits.visitor(&self.access, call, "site").await? {
            let access = ReadableSiteAccess::of_visitor(caller, visit);
            let is_named = (access.row.organization_id, access.row.id) == (organization_id, site_id);
            return Some(access)
                .filter(|_| is_named)
                .ok_or_else(|| ApiError::not_found("site"));
        }
        let level = OrganizationLevel::Read;
        let SiteAccess {
            caller,
            member,
            level,
            row,
        } = self.site(call, organization_id, site_id, level).await?;
        let reader = Reader::Member(member);
        Ok(ReadableSiteAccess {
            caller,
            level,
            row,
            reader,
        })
    }

    async fn published_content(&self, call: Call<'_>) -> Result<LookupAccess, ApiError> {
        Ok(match self.visits.preview(call).await? {
            Some((caller, visit, expires)) => LookupAccess {
                caller,
                preview: Some((visit, expires)),
            },
            None => LookupAccess {
                caller: self.access.authenticate(call).await?,
                preview: None,
            },
        })
    }

    async fn custom_hostname(&self, call: Call<'_>, hostname: &str) -> Result<CustomHostnameAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let found = hostnames::find(self.access.db.read(), hostname, &caller).await?;
        let (row, basis) = found.ok_or_else(|| ApiError::not_found("custom hostname"))?;
        Ok(CustomHostnameAccess {
            caller: caller.allowed_by(basis),
            row,
        })
    }

    async fn custom_hostname_may_be_absent(
        &self,
        call: Call<'_>,
        hostname: &str,
    ) -> Result<DeletableCustomHostnameAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let found = hostnames::find(self.access.db.read(), hostname, &caller).await?;
        Ok(match found {
            Some((row, basis)) => DeletableCustomHostnameAccess {
                caller: caller.allowed_by(basis),
                row: Some(row),
            },
            None => DeletableCustomHostnameAccess { caller, row: None },
        })
    }

    async fn custom_hostname_target(
        &self,
        within: Caller,
        organization: Option<OrganizationId>,
        site: Option<SiteId>,
    ) -> Result<CustomHostnameTargetAccess, ApiError> {
        let member = match site {
            Some(site) => hostnames::member_of_site(self.access.db.read(), site, &within).await?,
            None => hostnames::member(self.access.db.read(), organization, &within).await?,
        };
        let object = if site.is_some() { "site" } else { "organization" };
        let member = member.ok_or_else(|| ApiError::not_found(object))?;
        levels::require_role(member.role, OrganizationLevel::Admin)?;
        Ok(CustomHostnameTargetAccess {
            caller: within.allowed_by(Basis::Organization(member)),
            member,
            site,
        })
    }
}

/// The caller belongs to the organization of the site.
pub struct SiteAccess {
    pub caller: Caller,
    pub member: Member,
    /// By the role of the member or by a permission on the site.
    pub level: Option<MemberRole>,
    pub row: sites::Model,
}

/// The caller reads a site, as a member of its organization or as a visitor.
pub struct ReadableSiteAccess {
    pub caller: Caller,
    /// The level of a member. `None`: a visitor.
    pub level: Option<MemberRole>,
    pub row: sites::Model,
    pub reader: Reader,
}

impl ReadableSiteAccess {
    pub fn of_visitor(caller: Caller, visit: Arc<OpenVisit>) -> Self {
        Self {
            caller,
            level: None,
            row: visit.site.clone(),
            reader: Reader::Visitor(visit),
        }
    }

    /// The claims of a visitor. `None`: a member.
    pub fn claims(&self) -> Option<&VisitorClaims> {
        match &self.reader {
            Reader::Member(_) => None,
            Reader::Visitor(visit) => Some(visit.claims()),
        }
    }

    /// The structure as the member or the visitor sees it.
    pub async fn layout(&self, visits: &Visits) -> Result<Arc<Layout>, ApiError> {
        match &self.reader {
            Reader::Member(_) => visits.layout(&self.row, Drafts::With).await,
            Reader::Visitor(visit) => visit.layout().await,
        }
    }
}

/// The reader of a site.
#[derive(Clone)]
pub enum Reader {
    /// Sees the spaces that they may read.
    Member(Member),
    /// Sees what the conditions of the site give.
    Visitor(Arc<OpenVisit>),
}

/// The caller looks up an address, as a user or with the token of a preview.
pub struct LookupAccess {
    pub caller: Caller,
    /// The visit that the preview shows, and the time at which it ends.
    pub preview: Option<(Visit, Timestamp)>,
}

/// The caller is an admin of an organization that has or claims the hostname.
pub struct CustomHostnameAccess {
    pub caller: Caller,
    pub row: custom_hostnames::Model,
}

/// The same, or no organization of the caller has the hostname.
pub struct DeletableCustomHostnameAccess {
    pub caller: Caller,
    pub row: Option<custom_hostnames::Model>,
}

/// The caller is an admin of the organization that a hostname is to lead to, or of the organization of the site.
pub struct CustomHostnameTargetAccess {
    pub caller: Caller,
    pub member: Member,
    pub site: Option<SiteId>,
}

name_caller!(
    LookupAccess,
    CustomHostnameAccess,
    DeletableCustomHostnameAccess,
    CustomHostnameTargetAccess,
    ReadableSiteAccess,
    SiteAccess
);
