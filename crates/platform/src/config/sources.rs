//! Where settings come from, and which source wins.

use std::{collections::HashMap, fs, path::Path};

use anyhow::{Context, bail};
use config::{Environment, File, FileFormat, Source, Value};

use super::Flags;

const PREFIX: &str = "BINDERY";
const DEFAULT_FILE: &str = "bindery.toml";

/// Settings that the file may hold; anything else in it is a mistake.
const IN_FILE: [&str; 22] = [
    "listen",
    "database_url",
    "database_url_file",
    "data_dir",
    "blob_store",
    "public_url",
    "secret_key",
    "secret_key_file",
    "admin_token",
    "admin_token_file",
    "admin_email",
    "trusted_proxies",
    "allow_private_addresses",
    "rate_limit",
    "body_limit",
    "request_timeout",
    "max_connections",
    "shutdown_grace",
    "log_format",
    "smtp_url",
    "smtp_url_file",
    "mail_from",
];

/// All sources, and what was wrong with the values asked for so far.
pub struct Sources {
    flags: Flags,
    environment: HashMap<String, Value>,
    file: HashMap<String, Value>,
    file_name: String,
    problems: Vec<String>,
}

struct Given {
    text: String,
    /// How the operator knows it: the flag, the variable, or the line of the file.
    origin: String,
}

impl Sources {
    pub fn of_flags(flags: &Flags) -> Self {
        Self {
            flags: flags.clone(),
            environment: HashMap::new(),
            file: HashMap::new(),
            file_name: String::new(),
            problems: Vec::new(),
        }
    }

    pub fn of_process(flags: &Flags) -> anyhow::Result<Self> {
        let mut sources = Self::of_flags(flags);
        sources.read_environment(Environment::with_prefix(PREFIX))?;
        let (path, required) = match &flags.config {
            Some(path) => (path.as_path(), true),
            None => (Path::new(DEFAULT_FILE), false),
        };
        sources.read_file(path, required)?;
        Ok(sources)
    }

    /// Variables that are no setting are left alone: systems that start containers invent some with our prefix.
    pub(super) fn read_environment(&mut self, environment: Environment) -> anyhow::Result<()> {
        self.environment = environment
            .prefix_separator("_")
            .ignore_empty(true)
            .collect()?
            .into_iter()
            .collect();
        Ok(())
    }

    pub(super) fn read_file(&mut self, path: &Path, required: bool) -> anyhow::Result<()> {
        let source = File::from(path).format(FileFormat::Toml).required(required);
        self.file = source
            .collect()
            .context("the settings file cannot be read")?
            .into_iter()
            .collect();
        self.file_name = path.display().to_string();
        let mut unknown: Vec<_> = self
            .file
            .keys()
            .filter(|key| !IN_FILE.contains(&key.as_str()))
            .collect();
        unknown.sort();
        if let Some(key) = unknown.first() {
            bail!(
                "{}: there is no setting `{key}`; known are {}",
                self.file_name,
                IN_FILE.join(", ")
            );
        }
        Ok(())
    }

    /// A setting, if it was given and can be used.
    pub fn get<T>(&mut self, key: &str, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let given = self.find(key)?;
        match parse(&given.text) {
            Ok(value) => Some(value),
            Err(expected) => {
                self.problems
                    .push(format!("{}: `{}` is not {expected}", given.origin, given.text));
                None
            }
        }
    }

    /// A setting that is never shown, and that may stand in a file of its own named by `<key>_file`.
    pub fn secret<T>(&mut self, key: &str, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let given = match self.find(key) {
            Some(given) => given,
            None => self.find_in_file_of_its_own(key)?,
        };
        match parse(&given.text) {
            Ok(value) => Some(value),
            Err(expected) => {
                self.problems.push(format!("{}: this is not {expected}", given.origin));
                None
            }
        }
    }

    /// Notes that settings do not fit together.
    pub fn refuse(&mut self, problem: String) {
        self.problems.push(problem);
    }

    pub fn problems(self) -> Vec<String> {
        self.problems
    }

    fn find(&self, key: &str) -> Option<Given> {
        if let Some(text) = self.flags.get(key) {
            let origin = format!("--{}", key.replace('_', "-"));
            return Some(Given {
                text: text.to_owned(),
                origin,
            });
        }
        if let Some(value) = self.environment.get(key) {
            let origin = format!("{PREFIX}_{}", key.to_uppercase());
            return Some(Given {
                text: text_of(value),
                origin,
            });
        }
        let value = self.file.get(key)?;
        let origin = format!("`{key}` in {}", self.file_name);
        Some(Given {
            text: text_of(value),
            origin,
        })
    }

    fn find_in_file_of_its_own(&mut self, key: &str) -> Option<Given> {
        let path = self.find(&format!("{key}_file"))?;
        match fs::read_to_string(&path.text) {
            Ok(text) => Some(Given {
                text: text.trim_end().to_owned(),
                origin: format!("{} ({})", path.origin, path.text),
            }),
            Err(e) => {
                self.problems
                    .push(format!("{}: cannot read {}: {e}", path.origin, path.text));
                None
            }
        }
    }
}

/// Lists of the file become what the other sources write: items separated by commas.
fn text_of(value: &Value) -> String {
    match value.clone().into_array() {
        Ok(items) => items.iter().map(text_of).collect::<Vec<_>>().join(","),
        Err(_) => value.clone().into_string().unwrap_or_default(),
    }
}
