//! Books as PDF, and pictures of pages: rich text, typeset with Typst.
//!
//! A [`Converter`] turns the nodes of rich text into the nodes of a [`Book`], a small vocabulary of which the template of
//! this crate knows the form. [`process::run`] makes the PDF. The texts reach the template as data, never as code, and the
//! typesetter reads nothing but the book, its images and the fonts: no other file, no package, no network.
//!
//! [`process`] has both ends of a process that typesets: see there for its limits.
//!
//! All items that depend on the feature `typesetter` are private, so that other crates compile with and without it.

mod book;
mod convert;
#[cfg(feature = "typesetter")]
mod direction;
#[cfg(feature = "typesetter")]
mod fonts;
#[cfg(feature = "typesetter")]
mod images;
#[cfg(feature = "typesetter")]
mod labels;
#[cfg(feature = "typesetter")]
mod math;
pub mod process;
#[cfg(test)]
#[cfg(feature = "typesetter")]
mod tests;
#[cfg(feature = "typesetter")]
mod typeset;

pub use book::{Book, BookPage, ImageSource};
pub use convert::{Converter, Resolver, Target, TooLarge, page_label};

/// True if this program can typeset.
pub const HAS_TYPESETTER: bool = cfg!(feature = "typesetter");

/// Part of what identifies a PDF: a change of the form makes PDFs anew.
pub const FORM_VERSION: u32 = 2;
