//! OpenAPI specifications.

mod default_site;
pub mod openapi_specs;
