//! OpenAPI specifications.

pub mod openapi_specs;
