//! Published sites, and the fonts for them.

pub mod custom_fonts;
pub mod sites;
pub mod uploads;
