//! Bindery: a self-hosted documentation platform. The binary is a thin layer over this library, so that tests run the same service.

pub mod access;
pub mod app;
pub mod audit;
pub mod collection_permissions;
pub mod collections;
pub mod commands;
pub mod config;
pub mod db;
pub mod errors;
pub mod http;
pub mod members;
pub mod merge_rules;
pub mod organizations;
pub mod paging;
pub mod permissions;
pub mod secrets;
pub mod server;
pub mod setup;
pub mod space_permissions;
pub mod spaces;
pub mod system;
pub mod teams;
pub mod tokens;
pub mod tree;
pub mod urls;
pub mod users;
mod views;
