//! Insights.

mod columns;
mod engine;
mod lifetime;
mod questions;
mod receiving;
mod requirement;
mod tracking;
