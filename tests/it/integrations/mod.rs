//! Integrations.

mod code_blocks;
mod configurations;
mod content_sources;
mod delivery_kills;
mod delivery_turns;
mod endpoints;
mod events;
mod images;
mod installations;
#[expect(clippy::module_inception, reason = "the context is named after its main area")]
mod integrations;
mod manifests;
mod rendering;
mod running;
mod site_integrations;
mod tokens;
mod traces;
mod visitor_events;
mod webhook_deliveries;
mod webhooks;
