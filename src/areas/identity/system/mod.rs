//! Information about the service.

use openapi::{error::ApiError, models::ApiInformation, operations::system::SystemApi};

use crate::{access::Caller, areas::identity::Identity};

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that the build was made from.
pub const BUILD: &str = env!("BINDERY_BUILD");

impl SystemApi for Identity {
    async fn get_api_information(&self, _: Caller) -> Result<ApiInformation, ApiError> {
        Ok(ApiInformation {
            version: VERSION.to_owned(),
            build: BUILD.to_owned(),
        })
    }
}
