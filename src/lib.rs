//! Bindery: a self-hosted documentation platform. The binary is a thin layer over this library, so that tests run the same service.

pub mod access;
pub mod app;
pub mod areas;
pub mod commands;
pub mod http;
pub mod kernel;
pub mod web;
