//! What all writes of content share: they are optimistic, and begin again when another process was faster.

use openapi::error::ApiError;

/// How often a write begins again before it is refused.
pub const ATTEMPTS: usize = 20;

pub fn busy() -> ApiError {
    ApiError::conflict("busy", "Others keep changing the content at the same time. Try again.")
}
