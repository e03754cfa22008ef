//! Organizations, their people and teams, and the audit log.

pub mod audit;
pub mod members;
pub mod merge_rules;
#[expect(clippy::module_inception, reason = "the context is named after its main area")]
pub mod organizations;
pub mod saml_providers;
pub mod sign_in;
pub mod teams;
