//! The foundation of the server, independent of its areas and access rules: database, settings, files, backups,
//! outgoing HTTP, mail, keys.

pub mod archives;
pub mod backups;
pub mod blobs;
pub mod config;
pub mod db;
pub mod dns;
pub mod hash;
pub mod jobs;
pub mod mail;
pub mod outbound;
pub mod request_context;
pub mod secrets;
pub mod tls;
