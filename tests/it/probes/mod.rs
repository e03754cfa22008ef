//! Tests that walk the contract: an operation that is added takes part without a test of its own.

mod access;
mod agreement;
mod coverage;
mod document;
mod gates;
mod ignored;
mod late_access;
mod nul;
mod paging;
mod scopes;
mod statements;
mod validation;
