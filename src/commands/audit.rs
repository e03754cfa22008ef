//! `bindery audit`

use clap::Args;
use entity::organizations::audit_events::Model;
use serde_json::{Value, json};

use super::output::{Format, find_user, time};

use crate::{app::App, areas::organizations::audit};

#[derive(Debug, Args)]
pub struct Command {
    /// Only events by this user or about them: email address or id
    user: Option<String>,
    /// Events to list at most, the newest first
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

const COLUMNS: [&str; 6] = ["time", "action", "actor", "target type", "target", "request"];

impl Command {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        let user = match &self.user {
            Some(name) => Some(find_user(app, name).await?.id),
            None => None,
        };
        let events = audit::outside_organizations(&app.kernel, user, self.limit.into()).await?;
        self.format.print(&COLUMNS, events.into_iter().map(row).collect())
    }
}

fn row(event: Model) -> Value {
    json!({
        "id": event.id.as_uuid(),
        "time": time(event.occurred_at),
        "action": event.action,
        "actor": event.actor_label.unwrap_or(event.actor_id),
        "target type": event.target_type,
        "target": event.target_label.unwrap_or(event.target_id),
        "request": event.request_id,
        "payload": event.payload,
    })
}
