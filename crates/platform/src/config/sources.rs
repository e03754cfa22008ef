//! Where settings come from, and which source wins.

use std::{
    collections::HashMap,
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use config::{Environment, File, FileFormat, Source, Value};

use super::{DECLARED, Flags, Kind, Setting};

const PREFIX: &str = "BINDERY";
const DEFAULT_FILE: &str = "bindery.toml";
/// Names the directory in which systemd puts the credentials of a service.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// All sources, and what was wrong with the values asked for so far.
pub struct Sources {
    flags: Flags,
    environment: HashMap<String, Value>,
    file: HashMap<String, Value>,
    file_name: String,
    pub(super) credentials: Option<PathBuf>,
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
            credentials: None,
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
        sources.credentials = env::var_os(CREDENTIALS).map(PathBuf::from);
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
        let known = keys_of_file();
        let mut unknown: Vec<_> = self.file.keys().filter(|key| !known.contains(key)).collect();
        unknown.sort();
        if let Some(key) = unknown.first() {
            bail!(
                "{}: there is no setting `{key}`; known are {}",
                self.file_name,
                known.join(", ")
            );
        }
        Ok(())
    }

    /// A setting, if it was given and can be used. Problems with a secret do not show its text.
    pub fn get<T>(&mut self, setting: Setting, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let given = match self.find(setting.key) {
            Some(given) => given,
            None if setting.kind == Kind::Secret => self.find_in_file_of_its_own(setting.key)?,
            None => return None,
        };
        let expected = match parse(&given.text) {
            Ok(value) => return Some(value),
            Err(expected) => expected,
        };
        let text = match setting.kind {
            Kind::Plain => format!("`{}`", given.text),
            Kind::Secret => "this".to_owned(),
        };
        self.problems
            .push(format!("{}: {text} is not {expected}", given.origin));
        None
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

    /// The path of a secret among the credentials of systemd.
    fn credential(&self, key: &str) -> Option<Given> {
        let name = format!("bindery_{key}");
        let path = self.credentials.as_ref()?.join(&name);
        path.is_file().then(|| Given {
            text: path.display().to_string(),
            origin: format!("credential {name}"),
        })
    }

    fn find_in_file_of_its_own(&mut self, key: &str) -> Option<Given> {
        let path = self.find(&format!("{key}_file")).or_else(|| self.credential(key))?;
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

/// The keys of the file; any other key is an error.
fn keys_of_file() -> Vec<String> {
    let with_file = |setting: &Setting| match setting.kind {
        Kind::Plain => vec![setting.key.to_owned()],
        Kind::Secret => vec![setting.key.to_owned(), format!("{}_file", setting.key)],
    };
    DECLARED.iter().flat_map(with_file).collect()
}

/// Lists of the file become what the other sources write: items separated by commas.
fn text_of(value: &Value) -> String {
    match value.clone().into_array() {
        Ok(items) => items.iter().map(text_of).collect::<Vec<_>>().join(","),
        Err(_) => value.clone().into_string().unwrap_or_default(),
    }
}
