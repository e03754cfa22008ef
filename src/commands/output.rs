//! Output of commands: tables, or JSON.

use std::io::{self, ErrorKind, Write};

use anyhow::bail;
use clap::Args;
use entity::{identity::users, timestamp::Timestamp};
use openapi::rules::{BrokenRule, Text};
use serde_json::Value;

use crate::{app::App, areas::identity::users as all_users};

#[derive(Debug, Clone, Copy, Args)]
pub struct Format {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Format {
    /// Prints rows of objects. The columns are the named members, in that order.
    pub fn print(self, columns: &[&str], rows: Vec<Value>) -> anyhow::Result<()> {
        if self.json {
            return print(&(serde_json::to_string_pretty(&rows)? + "\n"));
        }
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| columns.iter().map(|name| cell(row, name)).collect())
            .collect();
        let heads: Vec<String> = columns.iter().map(|name| name.to_uppercase()).collect();
        let lines = || std::iter::once(&heads).chain(&rows);
        let width = |at: usize| {
            lines()
                .filter_map(|line| line.get(at))
                .map(|cell| cell.chars().count())
                .max()
        };
        let widths: Vec<usize> = (0..columns.len()).map(|at| width(at).unwrap_or_default()).collect();
        let mut table = String::new();
        for line in lines() {
            let cells: Vec<_> = line
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:width$}"))
                .collect();
            table.push_str(cells.join("  ").trim_end());
            table.push('\n');
        }
        print(&table)
    }
}

/// Prints to standard output. A reader that closes the pipe early, such as `head`, is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn cell(row: &Value, name: &str) -> String {
    match row.get(name) {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => plain(text),
        Some(other) => other.to_string(),
    }
}

/// Removes control characters, which would reach the terminal.
pub fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// A parser of texts that keep rules of the contract.
pub fn text(rules: &'static Text) -> impl Fn(&str) -> Result<String, BrokenRule> + Clone {
    move |text| rules.check(text).map(|()| text.to_owned())
}

pub fn time(time: Timestamp) -> String {
    time.to_utc().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// Finds a user by email address or id.
pub async fn find_user(app: &App, name: &str) -> anyhow::Result<users::Model> {
    let found = match name.parse() {
        Ok(id) => all_users::store::find(app.kernel.db.read(), id).await?,
        Err(_) => all_users::find_by_email(&app.kernel, name).await?,
    };
    match found {
        Some(user) => Ok(user),
        None => bail!("no user has the email address or id {name}; `bindery user list` prints all users"),
    }
}
