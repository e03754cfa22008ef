//! Insights.

mod bounds;
mod browser_addresses;
mod columns;
mod engine;
mod kills;
mod leniency;
mod lifetime;
mod queries;
mod receiving;
mod requirement;
mod tracking;
mod visitor_sessions;
