//! A book as the typesetter gets it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A book: everything that its PDF depends on, besides the bytes of the images and the fonts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Book {
    pub title: String,
    pub author: String,
    /// Lines on the cover, below the title.
    pub subtitles: Vec<String>,
    /// An ISO 639 code.
    pub language: String,
    /// An ISO 3166 code of two letters.
    pub region: Option<String>,
    /// `Some`: a picture of the first page with a bar in this color (red, green, blue) is made in place of the PDF. It has the title
    /// and the description of the page, the title of the book, and the first image among the nodes as its logo.
    pub picture: Option<[u8; 3]>,
    pub cover: bool,
    pub contents: bool,
    pub pages: Vec<BookPage>,
    /// The images that nodes name, in the order in which their bytes follow.
    pub images: Vec<ImageSource>,
}

/// A page of rich text: a chapter or a section of the book.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookPage {
    /// 1 for chapters.
    pub level: u32,
    pub label: String,
    pub title: String,
    pub description: Option<String>,
    /// Nodes of a [`crate::Converter`].
    pub nodes: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSource {
    pub name: String,
    /// Length of the bytes.
    pub size: u64,
}
