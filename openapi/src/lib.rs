//! The contract of Bindery: the OpenAPI document, and the types, traits and stubs generated from it.
//!
//! `models`, `operations` and `guard` are generated at build time; `cargo run -p openapi-codegen` writes them out to read.

pub mod answer;
pub mod call;
pub mod conditional;
pub mod deduplicate;
mod describe;
mod distinct;
pub mod document;
mod endpoint;
pub mod enums;
pub mod error;
pub mod idempotency;
mod ignored;
pub mod input;
mod objects;
mod preference;
mod prelude;
pub mod rules;
pub mod security;
pub mod skipped;
pub mod small_map;
mod unions;
pub mod values;

pub use wire::{formats, list, shares, work};

/// The types of the contract.
#[expect(clippy::large_enum_variant, reason = "they are made once for an answer, and written")]
pub mod models {
    include!(concat!(env!("OUT_DIR"), "/models.rs"));
}

/// Access to operations, generated from `x-access` and `x-access-resources`.
pub mod guard {
    include!(concat!(env!("OUT_DIR"), "/guard.rs"));
}

/// The parameters of operations: the structs that handlers take, and the rules for the derived document.
pub mod parameters {
    include!(concat!(env!("OUT_DIR"), "/parameters.rs"));
}

/// One trait and one stub for each area.
pub mod operations {
    include!(concat!(env!("OUT_DIR"), "/operations.rs"));
}
