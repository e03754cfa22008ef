//! Proving email domains by DNS records.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::organizations::email_domains::Model;
use platform::jobs::{JobContext, JobError, JobKind, PeriodicJob};
use poem::http::StatusCode;

use super::{domain_store, verify_domain};
use crate::{
    areas::organizations::Organizations,
    kernel::{
        Kernel,
        dns_proof::{look_up_all, names_organization, next_lookup},
    },
};

/// Looks up the DNS records of email domains that are not proven yet.
pub struct ProveEmailDomains(pub Arc<Organizations>);

impl JobKind for ProveEmailDomains {
    const NAME: &'static str = "prove-email-domains";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let Self(organizations) = self;
        loop {
            let due = domain_store::due(organizations.kernel.db.read(), organizations.kernel.clock.now()).await?;
            if due.is_empty() {
                return Ok(());
            }
            let look_up = |domain: Model| async {
                let proven = has_record(&organizations.kernel, &domain).await;
                (domain, proven)
            };
            let looked_up = look_up_all(due, look_up).await;
            let now = organizations.kernel.clock.now();
            for (domain, proven) in looked_up {
                if proven {
                    match verify_domain(&organizations.kernel, domain.organization_id, &domain.domain).await {
                        // Taken off the list meanwhile.
                        Err(error) if error.status() == StatusCode::NOT_FOUND => {}
                        other => other.map_err(|error| JobError::Retryable(error.to_string()))?,
                    }
                } else {
                    let next = domain.asked_at.and_then(|asked| next_lookup(asked, now));
                    domain_store::check_again_at(&organizations.kernel, domain, next).await?;
                }
            }
        }
    }
}

impl PeriodicJob for ProveEmailDomains {
    const INTERVAL: TimeDelta = TimeDelta::minutes(1);
}

/// Returns whether a DNS record names the organization. A lookup that fails tells nothing.
async fn has_record(kernel: &Kernel, domain: &Model) -> bool {
    let named = names_organization(&kernel.dns, &domain.domain, domain.organization_id).await;
    named.unwrap_or_else(|error| {
        tracing::debug!(domain = domain.domain, %error, "a DNS record cannot be looked up");
        false
    })
}
