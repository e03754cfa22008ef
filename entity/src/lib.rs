//! The stored rows: one module per area, one table a file.
//!
//! Entities say what the server reads and writes. The crate `migration` brings a database to that shape; a test
//! builds one database from each and compares them.

pub mod ids;
pub mod members;
pub mod organizations;
pub mod teams;
pub mod timestamp;
pub mod tokens;
pub mod users;
