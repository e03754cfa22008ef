//! Checks of the DNS records of proxies that nobody asks for.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::publishing::sites::{Column, Entity, Model};
use openapi::error::ApiError;
use platform::{
    db::Tx,
    jobs::{JobContext, JobError, JobKind, PeriodicJob},
};
use poem::http::StatusCode;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, SelectExt};
use serde_json::json;

use super::{
    proxies::{self, proof, with_proof},
    store,
};
use crate::{
    areas::publishing::{
        Publishing,
        structure::site::{lock, target},
    },
    kernel::{
        Kernel,
        audit::{Changed, SystemAction},
        dns_proof::{CheckedBy, due, look_up_all},
    },
};

/// Checks the hosts of proxies, as custom hostnames are checked.
pub struct CheckProxies(pub Arc<Publishing>);

impl JobKind for CheckProxies {
    const NAME: &'static str = "check-proxies";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let kernel = &self.0.kernel;
        loop {
            let columns = (Column::OrganizationId, Column::ProxyNextCheckAt);
            let due = due::<Entity>(kernel.db.read(), columns, kernel.clock.now()).await?;
            if due.is_empty() {
                return Ok(());
            }
            let check = |site: Model| async {
                let passed = match &site.proxy {
                    Some(proxy) => proxies::check(kernel, proxy, site.organization_id).await,
                    None => None,
                };
                (site, passed)
            };
            for (site, passed) in look_up_all(due, check).await {
                match record(kernel, site, passed).await {
                    // Deleted, or another process stored a check of another organization meanwhile.
                    Err(error) if matches!(error.status(), StatusCode::NOT_FOUND | StatusCode::CONFLICT) => {}
                    other => other.map_err(|error| JobError::Retryable(error.to_string()))?,
                }
            }
        }
    }
}

impl PeriodicJob for CheckProxies {
    const INTERVAL: TimeDelta = TimeDelta::minutes(1);
}

/// Stores the outcome, unless the proxy was changed or checked meanwhile. Another site keeps an address that it has.
async fn record(kernel: &Kernel, due: Model, passed: Option<bool>) -> Result<(), ApiError> {
    let now = kernel.clock.now();
    let work = move |tx: Tx| async move {
        let site = lock(&tx, due.organization_id, due.id).await?;
        if (&site.proxy, site.proxy_next_check_at) != (&due.proxy, due.proxy_next_check_at) {
            return Ok(Changed::nothing(()));
        }
        let elsewhere = Entity::find()
            .filter(Column::ActiveProxy.eq(site.proxy.as_deref()))
            .filter(Column::Id.ne(site.id));
        let is_taken = passed == Some(true) && elsewhere.exists(&tx).await?;
        // The records name both organizations.
        let passed = if is_taken { Some(false) } else { passed };
        let was_active = site.active_proxy.is_some();
        let proof = proof(&site).after_check(passed, CheckedBy::Job, now);
        let site = store::update(&tx, with_proof(site, proof)).await?;
        if proof.is_active == was_active {
            return Ok(Changed::nothing(()));
        }
        Changed::of(target(&site), ()).with(json!({ "active": proof.is_active }))
    };
    kernel.write(SystemAction::CheckProxy, work).await
}
