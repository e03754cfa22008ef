//! Published pages as HTML: pure functions from nodes of rich text, the structure of a site and its customization.
//!
//! [`render`] makes the HTML of a text. Text gets into HTML by an escape only: [`Html`] takes
//! markup that is a literal of this crate, and addresses that are an [`Href`].

mod code;
mod direction;
mod document;
mod href;
mod html;
mod math;
mod specification;
#[cfg(test)]
mod tests;
mod words;

pub use direction::is_right_to_left;
pub use document::{Content, FileTarget, Heading, Target, Targets, render};
pub use href::Href;
pub use html::Html;
pub use words::{Words, words};
