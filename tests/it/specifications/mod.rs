//! OpenAPI specifications.

mod computed_content;
mod computed_pages;
mod computed_search;
mod openapi_changes;
mod openapi_documents;
mod openapi_sources;
mod openapi_specs;
mod visitors;
