//! Organizations, their people and teams, and the audit log.

pub mod audit;
pub mod members;
pub mod merge_rules;
pub mod organizations;
pub mod teams;
