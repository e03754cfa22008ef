//! `bindery user`

use clap::Subcommand;
use entity::identity::users::Model;
use openapi::models::texts;
use platform::config;
use serde_json::{Value, json};

use super::output::{Format, find_user, print, text, time};

use crate::{app::App, areas::identity::users};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a user with a verified email address
    Create {
        #[arg(value_parser = config::email)]
        email: String,
        /// Name to show [default: the part of the address before the @]
        #[arg(long, value_parser = text(&texts::DISPLAY_NAME))]
        name: Option<String>,
        #[command(flatten)]
        format: Format,
    },
    /// List all users
    List {
        #[command(flatten)]
        format: Format,
    },
    /// Suspend a user; content and memberships are kept
    Suspend {
        /// Email address or id
        user: String,
        /// Lift the suspension
        #[arg(long)]
        undo: bool,
    },
}

const COLUMNS: [&str; 5] = ["id", "email", "name", "created", "suspended"];

impl Command {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        match self {
            Self::Create { email, name, format } => {
                let name = name.unwrap_or_else(|| users::name_from_address(&email));
                let user = users::create(&app.identity, &email, &name).await?;
                format.print(&COLUMNS, vec![row(user)])
            }
            Self::List { format } => {
                let users = users::list(&app.kernel).await?;
                format.print(&COLUMNS, users.into_iter().map(row).collect())
            }
            Self::Suspend { user, undo } => {
                let user = find_user(app, &user).await?;
                users::set_suspended(&app.identity, user.id, !undo).await?;
                let now = if undo { "is no longer suspended" } else { "is suspended" };
                print(&format!("{} {now}\n", user.email))
            }
        }
    }
}

fn row(user: Model) -> Value {
    json!({
        "id": user.id,
        "email": user.email,
        "name": user.display_name,
        "created": time(user.created_at),
        "suspended": user.suspended_at.map(time),
    })
}
