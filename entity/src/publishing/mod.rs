//! Published sites.

pub mod sites;
