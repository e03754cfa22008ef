//! Published pages as HTML: pure functions from nodes of rich text, the structure of a site and its customization.

mod direction;
mod words;

pub use direction::is_right_to_left;
pub use words::{Words, words};
