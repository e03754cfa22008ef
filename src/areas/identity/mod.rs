//! Users and their tokens.

pub mod system;
pub mod tokens;
pub mod users;
