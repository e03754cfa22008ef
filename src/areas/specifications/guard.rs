//! Access to the resources of this context, which stubs ask for before a handler runs.

use entity::ids::OrganizationId;
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, OrganizationLevel},
};

use crate::{
    access::{
        Caller, ReadableSiteAccess,
        grants::{context_guard, name_caller},
    },
    areas::organizations::guard::OrganizationsGuard,
};

context_guard!(SpecificationsGuard);

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
            &OrganizationsGuard::new(&self.access),
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
