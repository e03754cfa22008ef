//! The areas of the contract, by context. A context uses those above it, never those below.

pub mod authoring;
pub mod content;
pub mod identity;
pub mod joins;
pub mod languages;
pub mod library;
pub mod organizations;
pub mod publishing;
pub mod specifications;
