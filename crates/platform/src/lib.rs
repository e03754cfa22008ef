//! The parts of the server that know neither its areas nor its access rules.

pub mod blobs;
pub mod config;
pub mod db;
pub mod hash;
pub mod outbound;
pub mod outbox;
pub mod secrets;
pub mod tls;
