//! Checks of the DNS records that nobody asks for.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::publishing::sites::custom_hostnames::{CustomHostnameStatus as Status, Model};
use openapi::error::ApiError;
use platform::{
    db::Tx,
    jobs::{JobContext, JobError, JobKind, PeriodicJob},
};
use poem::http::StatusCode;
use serde_json::json;

use super::{
    check,
    store::{self, Checked, is_active},
    target,
};
use crate::{
    areas::{organizations::organizations, publishing::Publishing},
    kernel::{
        Kernel,
        audit::{Changed, SystemAction},
        dns_proof::{CheckedBy, look_up_all},
    },
};

/// Checks custom hostnames: those that wait become active when their records are right, and those that are active end when
/// their records have been wrong for long.
pub struct CheckCustomHostnames(pub Arc<Publishing>);

impl JobKind for CheckCustomHostnames {
    const NAME: &'static str = "check-custom-hostnames";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let Self(publishing) = self;
        loop {
            let due = store::due(publishing.kernel.db.read(), publishing.kernel.clock.now()).await?;
            if due.is_empty() {
                return Ok(());
            }
            let check = |claim: Model| async {
                let status = check::check(&publishing.kernel, &claim.hostname, claim.organization_id).await;
                (claim, status)
            };
            for (claim, status) in look_up_all(due, check).await {
                match record(&publishing.kernel, claim, status).await {
                    // Another process stored a check of another organization meanwhile.
                    Err(error) if error.status() == StatusCode::CONFLICT => {}
                    other => other.map_err(|error| JobError::Retryable(error.to_string()))?,
                }
            }
        }
    }
}

impl PeriodicJob for CheckCustomHostnames {
    const INTERVAL: TimeDelta = TimeDelta::minutes(1);
}

/// Stores the outcome, unless the hostname was removed or checked meanwhile.
async fn record(kernel: &Kernel, due: Model, status: Status) -> Result<(), ApiError> {
    let now = kernel.clock.now();
    let work = move |tx: Tx| async move {
        let organization = due.organization_id;
        organizations::store::lock(&tx, organization).await?;
        let claim = store::find(&tx, organization, &due.hostname).await?;
        let Some(claim) = claim.filter(|claim| *claim == due) else {
            return Ok(Changed::nothing(()));
        };
        let stored = store::put(&tx, Checked::again(claim, status, now, CheckedBy::Job)).await?;
        if !stored.has_changed {
            return Ok(Changed::nothing(()));
        }
        let payload = json!({ "active": is_active(&stored.row) });
        Changed::of(target(&stored.row), ()).with(payload)
    };
    kernel.write(SystemAction::CheckCustomHostname, work).await
}
