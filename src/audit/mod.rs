//! The audit log: who changed what, when.

mod actions;
mod recording;

pub use actions::SystemAction;
pub use recording::{Actor, Changed, Target};
