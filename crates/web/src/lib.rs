//! Published pages as HTML: pure functions from nodes of rich text, the structure of a site and its customization.
//!
//! [`render`] makes the HTML of a text, [`Frame::page`] the page around it. Text gets into HTML by an escape only: [`Html`] takes
//! markup that is a literal of this crate or of the set of icons, and addresses that are an [`Href`].

mod addresses;
mod code;
mod component;
mod direction;
mod document;
mod frame;
mod href;
mod html;
mod icons;
mod math;
mod origins;
mod specification;
pub mod style;
#[cfg(test)]
mod tests;
mod words;

pub use addresses::{map_addresses, map_beginning, map_style_addresses};
pub use component::{Component, MAX_STATE, component};
pub use direction::is_right_to_left;
pub use document::{Content, FileTarget, Heading, Target, Targets, Update, render};
pub use frame::{
    Announcement, Body, Brand, ContentsEntry, Cover, Footer, FooterGroup, Found, Frame, FrameLink, Menu, NotFound,
    Notice, Page, SearchPage, Theme, bare_not_found,
};
pub use href::Href;
pub use html::Html;
pub use icons::Icon;
pub use words::{Words, words};
