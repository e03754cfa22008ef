//! Archives of installations: where they are written, and which of them are kept.

mod output;
mod retention;

pub use self::{
    output::Output,
    retention::{archive_name, prune},
};
