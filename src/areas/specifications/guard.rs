//! Access to the resources of this context, which stubs ask for before a handler runs.

use std::sync::Arc;

use entity::ids::OrganizationId;
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, Guard, OrganizationLevel},
};

use crate::{
    access::{AccessGuard, Caller, ReadableSiteAccess, grants::name_caller},
    areas::organizations::guard::OrganizationsGuard,
};

#[derive(Clone)]
pub struct SpecificationsGuard {
    access: Arc<AccessGuard>,
    organizations: OrganizationsGuard,
}

impl SpecificationsGuard {
    pub fn new(access: &Arc<AccessGuard>) -> Self {
        Self {
            access: Arc::clone(access),
            organizations: OrganizationsGuard::new(access),
        }
    }
}

impl Guard for SpecificationsGuard {
    type Caller = Caller;

    async fn after_body(&self, caller: &Caller) -> Result<(), ApiError> {
        self.access.after_body(caller).await
    }
}

impl guard::SpecificationsGuard for SpecificationsGuard {
    type SpecificationReaderAccess = SpecificationReaderAccess;

    async fn specification_reader(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
    ) -> Result<SpecificationReaderAccess, ApiError> {
        if let Some((caller, visit)) = self.access.visitor(call, "version").await? {
            let site = visit.site;
            let site = self.access.visited_site((caller, visit), organization_id, site).await?;
            return Ok(SpecificationReaderAccess {
                caller: site.caller.clone(),
                organization: organization_id,
                site: Some(site),
            });
        }
        let access = guard::OrganizationsGuard::organization(
            &self.organizations,
            call,
            organization_id,
            OrganizationLevel::Read,
            None,
        )
        .await?;
        Ok(SpecificationReaderAccess {
            caller: access.caller,
            organization: access.organization,
            site: None,
        })
    }
}

/// The caller reads OpenAPI specifications of an organization.
pub struct SpecificationReaderAccess {
    pub caller: Caller,
    pub organization: OrganizationId,
    /// The site whose pages decide what a visitor reads. `None`: a member, who reads all.
    pub site: Option<ReadableSiteAccess>,
}

name_caller!(SpecificationReaderAccess);
