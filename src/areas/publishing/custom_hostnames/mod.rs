//! Custom hostnames: own domains at which organizations publish.

mod check;
mod job;
mod store;
pub mod subdomains;
mod view;

use entity::publishing::sites::custom_hostnames::{CustomHostnameStatus, Model};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{CustomHostname, SetCustomHostname},
    operations::custom_hostnames::CustomHostnamesApi,
};
use sea_orm::DbErr;
use serde_json::json;

pub use self::job::CheckCustomHostnames;
use self::store::{Checked, Stored, is_active};

use crate::{
    areas::{
        organizations::organizations,
        publishing::{
            Publishing,
            guard::{CustomHostnameAccess, CustomHostnameTargetAccess, DeletableCustomHostnameAccess},
            structure,
        },
    },
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed},
        dns_proof::{CheckedBy, look_up_all},
    },
};

impl CustomHostnamesApi for Publishing {
    async fn get_custom_hostname(&self, access: CustomHostnameAccess) -> Result<CustomHostname, ApiError> {
        Ok(view::custom_hostname(&self.kernel.urls, access.row))
    }

    async fn set_custom_hostname(
        &self,
        access: CustomHostnameTargetAccess,
        hostname: String,
        body: SetCustomHostname,
    ) -> Result<CustomHostname, ApiError> {
        let (organization, site) = (access.member.organization, access.site);
        let checked = Checked {
            status: check::check(&self.kernel, &hostname, organization).await,
            hostname,
            organization,
            site,
            at: self.kernel.clock.now(),
            by: CheckedBy::Caller,
        };
        let work = move |tx| async move {
            // The target, for two requests that set its hostname at the same time.
            organizations::store::lock(&tx, organization).await?;
            if let Some(site) = site {
                structure::site::lock(&tx, organization, site).await?;
            }
            let Stored { row, is_taken, .. } = store::put(&tx, checked).await?;
            if is_taken {
                return Err(store::taken());
            }
            Changed::of(target(&row), row).with(json!({ "change": &body }))
        };
        let row = self.kernel.write(&access.caller, work).await?;
        Ok(view::custom_hostname(&self.kernel.urls, row))
    }

    async fn dns_revalidate_custom_hostname(&self, access: CustomHostnameAccess) -> Result<(), ApiError> {
        let Model {
            hostname,
            organization_id: organization,
            ..
        } = access.row;
        let (status, now) = (
            check::check(&self.kernel, &hostname, organization).await,
            self.kernel.clock.now(),
        );
        let work = move |tx| async move {
            organizations::store::lock(&tx, organization).await?;
            // It may have been removed, or have got another target, while the records were looked up.
            let claim = store::find(&tx, organization, &hostname).await?;
            let claim = claim.ok_or_else(|| ApiError::not_found("custom hostname"))?;
            let stored = store::put(&tx, Checked::again(claim, status, now, CheckedBy::Caller)).await?;
            let payload = json!({ "active": is_active(&stored.row) });
            Changed::of(target(&stored.row), stored).with(payload)
        };
        let Stored { row, is_taken, .. } = self.kernel.write(&access.caller, work).await?;
        if is_active(&row) {
            return Ok(());
        }
        if is_taken {
            return Err(store::taken());
        }
        let message = check::explain(&self.kernel, &row.hostname, organization, status);
        Err(ApiError::invalid_member(
            "/path/hostname",
            ErrorRule::DnsRecords,
            message,
        ))
    }

    async fn remove_custom_hostname(&self, access: DeletableCustomHostnameAccess) -> Result<(), ApiError> {
        let Some(row) = access.row else {
            return Ok(());
        };
        let work = move |tx| async move {
            let removed = store::remove(&tx, row.organization_id, &row.hostname).await?;
            Ok(Changed::if_some(removed.as_ref().map(target)))
        };
        self.kernel.write(&access.caller, work).await
    }
}

/// Hostnames that are looked up for the operator at most.
const MAX_LOOKED_UP: u64 = 200;

/// The problems of the DNS records of active hostnames, for people.
pub async fn failing(kernel: &Kernel) -> Result<Vec<String>, DbErr> {
    let active = store::active(kernel.db.read(), MAX_LOOKED_UP).await?;
    let look_up = |claim: Model| async move {
        let status = check::check(kernel, &claim.hostname, claim.organization_id).await;
        (status != CustomHostnameStatus::Live)
            .then(|| check::explain(kernel, &claim.hostname, claim.organization_id, status))
    };
    Ok(look_up_all(active, look_up).await.into_iter().flatten().collect())
}

fn target(row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "custom-hostname", &row.hostname).labelled(&row.hostname)
}
