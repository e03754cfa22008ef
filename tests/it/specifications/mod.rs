//! OpenAPI specifications.

mod computed_content;
mod computed_links;
mod computed_pages;
mod computed_search;
mod default_site;
mod openapi_changes;
mod openapi_documents;
mod openapi_kills;
mod openapi_sources;
mod openapi_specs;
mod visitors;
