//! Users and their tokens.

pub mod tokens;
pub mod users;
