//! Access to the resources of this context, which stubs ask for before a handler runs.

use std::sync::Arc;

use entity::ids::OrganizationId;
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, OrganizationLevel},
};

use crate::{
    access::{
        Caller,
        grants::{context_guard, name_caller},
    },
    areas::{
        organizations::guard::OrganizationsGuard,
        publishing::visits::{OpenVisit, Visits},
    },
};

context_guard!(SpecificationsGuard, visits: Visits);

impl guard::SpecificationsGuard for SpecificationsGuard {
    type SpecificationReaderAccess = SpecificationReaderAccess;

    async fn specification_reader(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
    ) -> Result<SpecificationReaderAccess, ApiError> {
        if let Some((caller, visit)) = self.visits.visitor(&self.access, call, "version").await? {
            if visit.site.organization_id != organization_id {
                return Err(ApiError::not_found("site"));
            }
            return Ok(SpecificationReaderAccess {
                caller,
                organization: organization_id,
                site: Some(visit),
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
    pub site: Option<Arc<OpenVisit>>,
}

name_caller!(SpecificationReaderAccess);
