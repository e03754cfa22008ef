//! `bindery insights`

use std::io::{self, ErrorKind, Write};

use anyhow::bail;
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand, ValueEnum};
use entity::{ids::SiteId, timestamp::Timestamp};
use openapi::{document, models::SiteInsightsStoredEvent};
use serde_json::Value;

use crate::{app::App, areas::insights::site_insights::export};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the stored events of a site, the oldest first
    Export(Export),
}

#[derive(Debug, Args)]
pub struct Export {
    /// Id of the site
    site: String,
    #[arg(long, value_enum, default_value_t = ExportFormat::JsonLines)]
    format: ExportFormat,
    /// Only events since this time, such as 2026-11-01T00:00:00Z
    #[arg(long)]
    from: Option<DateTime<Utc>>,
    /// Only events before this time
    #[arg(long)]
    to: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ExportFormat {
    JsonLines,
    Csv,
}

/// Events in memory at once.
const EVENTS_AT_ONCE: usize = 10_000;

/// First characters of cells that spreadsheets evaluate as formulas.
const FORMULA_PREFIXES: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

impl Command {
    pub async fn run(self, app: &App) -> anyhow::Result<()> {
        let Self::Export(export) = self;
        match export.run(app).await {
            // A reader that closes the pipe early, such as `head`, is no error.
            Err(error) if is_closed(&error) => Ok(()),
            done => done,
        }
    }
}

impl Export {
    async fn run(self, app: &App) -> anyhow::Result<()> {
        let site = find_site(app, &self.site).await?;
        let time = |sent: Option<DateTime<Utc>>, default: i64| {
            Timestamp::from_millis(sent.map_or(default, |time| time.timestamp_millis()))
        };
        let range = (time(self.from, 0), time(self.to, export::END));
        let mut output = ExportWriter::new(self.format)?;
        let mut after = None;
        loop {
            let page = export::read(&app.insights, site, range, after, EVENTS_AT_ONCE).await?;
            for event in page.items {
                output.write(&export::view(event))?;
            }
            after = page.next;
            if after.is_none() {
                return output.end();
            }
        }
    }
}

async fn find_site(app: &App, id: &str) -> anyhow::Result<SiteId> {
    let site: Option<SiteId> = id.parse().ok();
    match site {
        Some(site) if export::has_site(&app.kernel, site).await? => Ok(site),
        _ => {
            bail!("no site has the id {id}; `GET /v1/orgs/{{organizationId}}/sites` lists the sites of an organization")
        }
    }
}

enum ExportWriter {
    JsonLines(io::BufWriter<io::Stdout>),
    /// With the names of the columns.
    Csv(Box<csv::Writer<io::Stdout>>, Vec<&'static str>),
}

impl ExportWriter {
    fn new(format: ExportFormat) -> anyhow::Result<Self> {
        Ok(match format {
            ExportFormat::JsonLines => Self::JsonLines(io::BufWriter::new(io::stdout())),
            ExportFormat::Csv => {
                let (mut writer, columns) = (csv::Writer::from_writer(io::stdout()), columns());
                writer.write_record(&columns)?;
                Self::Csv(Box::new(writer), columns)
            }
        })
    }

    fn write(&mut self, event: &SiteInsightsStoredEvent) -> anyhow::Result<()> {
        let event = serde_json::to_value(event)?;
        match self {
            Self::JsonLines(out) => writeln!(out, "{event}")?,
            Self::Csv(writer, columns) => writer.write_record(columns.iter().map(|name| cell(event.get(name))))?,
        }
        Ok(())
    }

    fn end(self) -> anyhow::Result<()> {
        match self {
            Self::JsonLines(mut out) => out.flush()?,
            Self::Csv(mut writer, _) => writer.flush()?,
        }
        Ok(())
    }
}

/// The members of an event, in the order of the contract.
fn columns() -> Vec<&'static str> {
    let members = document::contract().pointer("/components/schemas/SiteInsightsStoredEvent/properties");
    let members = members.and_then(Value::as_object).into_iter().flatten();
    members.map(|(name, _)| name.as_str()).collect()
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) if text.starts_with(FORMULA_PREFIXES) => format!("'{text}"),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

fn is_closed(error: &anyhow::Error) -> bool {
    let kind = match error.downcast_ref::<csv::Error>().map(csv::Error::kind) {
        Some(csv::ErrorKind::Io(error)) => Some(error.kind()),
        _ => error.downcast_ref::<io::Error>().map(io::Error::kind),
    };
    kind == Some(ErrorKind::BrokenPipe)
}
