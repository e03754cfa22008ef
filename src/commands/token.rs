//! `bindery token`

use anyhow::Context;
use chrono::TimeDelta;
use clap::Subcommand;
use entity::identity::tokens::Model;
use openapi::models::texts;
use serde_json::{Value, json};

use super::output::{Format, find_user, print, text, time};

use crate::{app::App, areas::identity::tokens};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a token and print it; it cannot be printed again
    Create {
        /// Email address or id
        user: String,
        #[arg(long, default_value = "Command line", value_parser = text(&texts::TOKEN_LABEL))]
        label: String,
        /// Days until the token expires [default: never]
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36500))]
        expires_in: Option<u32>,
        #[command(flatten)]
        format: Format,
    },
    /// List the tokens of a user
    List {
        /// Email address or id
        user: String,
        #[command(flatten)]
        format: Format,
    },
    /// Revoke a token
    Revoke {
        /// Email address or id
        user: String,
        /// Id of the token
        token: String,
    },
}

const COLUMNS: [&str; 6] = ["id", "label", "ends with", "created", "expires", "last used"];

impl Command {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        match self {
            Self::Create {
                user,
                label,
                expires_in,
                format,
            } => {
                let user = find_user(app, &user).await?;
                let end = expires_in.map(|days| app.kernel.clock.now().plus(TimeDelta::days(days.into())));
                let created = tokens::create(&app.kernel, user.id, &label, end).await?;
                let mut shown = row(created.row);
                if let Some(members) = shown.as_object_mut() {
                    members.insert("token".to_owned(), created.secret.into());
                }
                format.print(&["id", "label", "expires", "token"], vec![shown])
            }
            Self::List { user, format } => {
                let user = find_user(app, &user).await?;
                let all = tokens::list(&app.kernel, user.id).await?;
                format.print(&COLUMNS, all.into_iter().map(row).collect())
            }
            Self::Revoke { user, token } => {
                let id = token
                    .parse()
                    .with_context(|| format!("{token} is not a token id; `bindery token list USER` prints the ids"))?;
                let user = find_user(app, &user).await?;
                tokens::revoke(&app.identity, user.id, id).await?;
                print(&format!("token {token} is revoked\n"))
            }
        }
    }
}

fn row(token: Model) -> Value {
    json!({
        "id": token.id,
        "label": token.label,
        "ends with": token.hint,
        "created": time(token.created_at),
        "expires": token.expires_at.map(time),
        "last used": token.last_used_at.map(time),
    })
}
