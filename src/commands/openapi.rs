//! `bindery openapi`

use std::{fs, path::PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use openapi::call::Operation;
use platform::config::{Flags, MissingKey, Settings};

use super::output::print;

use crate::http::documents;

#[derive(Debug, Args)]
pub struct Command {
    /// json (on one line), yaml (to read), or list (one line per operation)
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,

    /// 3.1 is the contract; 3.0 is derived from the code, for generators without support for 3.1
    #[arg(long, value_enum, default_value_t = Version::V3_1)]
    version: Version,

    /// File to write to [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
    Yaml,
    List,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Version {
    #[value(name = "3.1")]
    V3_1,
    #[value(name = "3.0")]
    V3_0,
}

impl Command {
    pub fn run(self, flags: &Flags) -> anyhow::Result<()> {
        let text = self.text(flags)?;
        match &self.output {
            Some(path) => fs::write(path, text).with_context(|| format!("cannot write {}", path.display())),
            None => print(&text),
        }
    }

    fn text(&self, flags: &Flags) -> anyhow::Result<String> {
        if self.format == Format::List {
            return list();
        }
        let settings = Settings::load(flags, MissingKey::Pretend)?;
        let server = settings.public_url.as_str().trim_end_matches('/');
        let document = match self.version {
            Version::V3_1 => documents::contract(server),
            Version::V3_0 => documents::derived(server)?,
        };
        match self.format {
            Format::Json => Ok(format!("{document}\n")),
            Format::Yaml => documents::yaml(&document),
            Format::List => bail!("--format list cannot be combined with --version"),
        }
    }
}

fn list() -> anyhow::Result<String> {
    let operations = documents::operations();
    let path_width = operations
        .iter()
        .map(|operation| operation.path.len())
        .max()
        .unwrap_or_default();
    let id_width = operations
        .iter()
        .map(|operation| operation.id.len())
        .max()
        .unwrap_or_default();
    let lines = operations.iter().map(|operation| {
        let Operation {
            method,
            path,
            id,
            summary,
            ..
        } = operation;
        let method = method.to_uppercase();
        format!("{method:6}  {path:path_width$}  {id:id_width$}  {summary}\n")
    });
    Ok(lines.collect())
}
