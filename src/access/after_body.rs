//! The check of access after the body of a request was received.

use chrono::TimeDelta;
use openapi::error::ApiError;

use super::{Caller, state::Access};

/// Access is checked again for a request whose body takes longer than this. Writes check it in any case.
const LATE: TimeDelta = TimeDelta::seconds(1);

impl Access {
    /// Refuses the call if access was revoked while the body was received.
    pub async fn after_body(&self, caller: &Caller) -> Result<(), ApiError> {
        let now = self.clock.now();
        if caller.allowed_at.plus(LATE) > now {
            return Ok(());
        }
        caller.check_now(self.db.read(), now).await
    }
}
