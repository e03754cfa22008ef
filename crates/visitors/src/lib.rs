//! What user agents, IP addresses and URLs tell of the visitors of sites.

mod addresses;
mod agents;
mod bots;
mod geoip;

pub use addresses::{CAMPAIGN, campaign, domain};
pub use agents::{Agent, read};
pub use geoip::{GeoIp, Place};
