//! Tests of the service as its users and its attackers see it: over HTTP, with a real database of either kind.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

mod authoring;
mod conversations;
mod exchange;
mod identity;
mod insights;
mod integrations;
mod languages;
mod library;
mod organizations;
mod platform;
mod probes;
mod publishing;
mod specifications;
mod units;
mod web;
