//! Metadata of other web pages for those that embed them: title, site and icon, and the frame that oEmbed offers.
//!
//! Everything comes from strangers. Texts are cut and cleaned, and of the HTML of an oEmbed response only the address and
//! the size of a frame are taken, from which the HTML of an embed is written anew.

mod address;
mod charset;
mod embed;
mod frame;
mod oembed;
mod page;
mod text;

#[cfg(test)]
mod tests;

pub use self::{charset::decode, embed::Embed, frame::Frame, oembed::OEmbed, page::PageMetadata};
