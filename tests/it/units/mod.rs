//! Parts of the server on their own, in more cases than requests can show.

mod built_in_templates;
mod client_addresses;
mod compression;
mod documents;
mod edge;
mod image_sizes;
mod import_names;
mod json_logs;
mod log_writer;
mod ranges;
mod rate_limits;
mod refusals;
mod request_ids;
mod return_paths;
mod shown_types;
mod slugs;
mod static_pages;
mod timestamps;
mod upload_names;
mod upload_types;
mod wildcards;
