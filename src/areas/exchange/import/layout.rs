//! The settings file of a repository.

use anyhow::{Context, ensure};
use content::summary::visible;
use yaml_serde::{Mapping, Value};

use super::{Report, names, report::INVISIBLE};

pub const SETTINGS: &str = ".gitbook.yaml";

/// The content of the settings file.
#[derive(Debug, Default)]
pub struct RepositoryLayout {
    root: Option<String>,
    readme: Option<String>,
    summary: Option<String>,
}

impl RepositoryLayout {
    /// Parses the settings. What is not understood is reported with its line.
    pub fn parse(yaml: &str, report: &mut Report) -> anyhow::Result<Self> {
        let yaml = yaml.strip_prefix('\u{feff}').unwrap_or(yaml);
        for (before, line) in yaml.lines().enumerate() {
            if visible(line) != line {
                report.note_at(SETTINGS, Some(before + 1), INVISIBLE);
            }
        }
        let yaml = visible(yaml);
        let settings: Option<Value> =
            yaml_serde::from_str(&yaml).with_context(|| format!("cannot parse {SETTINGS}"))?;
        let settings = settings.unwrap_or(Value::Null);
        ensure!(
            settings.is_mapping() || settings.is_null(),
            "cannot parse {SETTINGS}: it must have members such as `root` and `structure`"
        );
        let mut layout = Self::default();
        let mut reader = Reader { yaml: &yaml, report };
        for (name, value) in members(&settings) {
            match name.as_str() {
                "root" => layout.root = reader.path("root", value),
                "structure" => layout.read_structure(value, &mut reader),
                "redirects" => reader.note_redirects(value),
                _ => reader.warn(&name, format!("The member `{name}` is not known and is ignored.")),
            }
        }
        Ok(layout)
    }

    fn read_structure(&mut self, structure: &Value, reader: &mut Reader<'_>) {
        if !structure.is_mapping() && !structure.is_null() {
            reader.warn(
                "structure",
                "The value of `structure` must have members; it is ignored.".to_owned(),
            );
        }
        for (name, value) in members(structure) {
            let full = format!("structure.{name}");
            match name.as_str() {
                "readme" => self.readme = reader.path(&full, value),
                "summary" => self.summary = reader.path(&full, value),
                _ => reader.warn(&name, format!("The member `{full}` is not known and is ignored.")),
            }
        }
    }

    /// Returns the path of the root directory.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Returns the path of the text of the first page.
    pub fn readme(&self) -> Option<&str> {
        self.readme.as_deref()
    }

    /// Returns the path of the table of contents.
    pub fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }
}

/// Returns the members of a mapping with their names.
fn members(value: &Value) -> Vec<(String, &Value)> {
    let name = |name: &Value| match name {
        Value::String(name) => name.clone(),
        name => yaml_serde::to_string(name).unwrap_or_default().trim().to_owned(),
    };
    let members = value.as_mapping().into_iter().flat_map(Mapping::iter);
    members.map(|(key, value)| (name(key), value)).collect()
}

struct Reader<'r> {
    yaml: &'r str,
    report: &'r mut Report,
}

impl Reader<'_> {
    /// Reads the path that a member with this full name has.
    fn path(&mut self, member: &str, value: &Value) -> Option<String> {
        if let Some(path) = value.as_str() {
            return Some(names::of_author(path));
        }
        if !value.is_null() {
            let name = member.rsplit('.').next().unwrap_or_default();
            self.warn(name, format!("The value of `{member}` must be a text; it is ignored."));
        }
        None
    }

    /// Notes the redirects, which have no meaning for a space.
    fn note_redirects(&mut self, redirects: &Value) {
        let count = members(redirects).len();
        if count > 0 {
            let message = format!("Redirects ({count}) belong to a site and are not imported.");
            self.report.note_at(SETTINGS, self.line("redirects"), message);
        }
    }

    fn warn(&mut self, name: &str, message: String) {
        self.report.error_at(SETTINGS, self.line(name), message);
    }

    /// Returns the first line with a member of this name.
    fn line(&self, name: &str) -> Option<usize> {
        let is_member = |line: &str| {
            let mut ends = line
                .match_indices(name)
                .filter_map(|(at, _)| line.get(at + name.len()..));
            ends.any(|end| end.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
        };
        self.yaml.lines().position(is_member).map(|before| before + 1)
    }
}
