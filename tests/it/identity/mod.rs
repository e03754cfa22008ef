//! Users and their tokens.

mod tokens;
mod users;
