//! The areas of the contract, by context. A context uses those above it, never those below.

pub mod authoring;
pub mod content;
pub mod conversations;
pub mod exchange;
pub mod identity;
pub mod insights;
pub mod integrations;
pub mod joins;
pub mod languages;
pub mod library;
pub mod organizations;
pub mod publishing;
pub mod specifications;
