//! Conversations, their issues, and clusters of similar issues.

pub mod clusters;
#[expect(clippy::module_inception, reason = "the context is named after its main table")]
pub mod conversations;
pub mod groupings;
pub mod issues;
pub mod terms;
