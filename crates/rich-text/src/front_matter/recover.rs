//! The valid members of front matter that is invalid as a whole.

use std::collections::{BTreeMap, HashSet};

use super::{FrontMatter, MAX_BYTES};
use crate::error::DocumentError;

/// A member that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberError {
    /// The line of the front matter, from 1.
    pub line: usize,
    pub message: String,
}

/// The lines of one member.
struct MemberLines {
    /// The number of lines before the member.
    before: usize,
    yaml: String,
}

impl MemberLines {
    /// Comments have an empty name.
    fn name(&self) -> &str {
        name_of(&self.yaml).unwrap_or_default()
    }

    /// Returns the member with all that stands behind its name as a text. `None`: the member has no name.
    fn as_text(&self) -> Option<String> {
        let (_, value) = self.yaml.split_once(':').filter(|_| !self.name().is_empty())?;
        let lines = value.lines().filter(|line| !line.starts_with('#'));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        // A text of JSON is one of YAML.
        Some(format!("{}: {}\n", self.name(), serde_json::json!(words.join(" "))))
    }
}

/// Returns the name of the member that begins on the first line: `name:` without blanks.
fn name_of(yaml: &str) -> Option<&str> {
    let (name, value) = yaml.lines().next()?.split_once(':')?;
    let name = name.trim_end().trim_matches(['"', '\'']);
    let is_name = !name.is_empty() && !name.contains([' ', '\t', '#', '[', '{']);
    (is_name && (value.is_empty() || value.starts_with([' ', '\t']))).then_some(name)
}

/// Returns whether the text between two lines of dashes is front matter: a mapping, or what begins as one. Front matter without
/// members has no lines.
pub fn is_mapping(yaml: &str) -> bool {
    let first = yaml.lines().next().unwrap_or_default();
    if yaml.is_empty() || first.trim().is_empty() {
        return yaml.is_empty();
    }
    let begins = yaml
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    begins.is_some_and(|line| name_of(line).is_some() || FrontMatter::parse(yaml).is_ok())
}

/// Parses every member on its own. `error` is the error of the whole.
pub fn parse(yaml: &str, error: DocumentError) -> (FrontMatter, Vec<MemberError>) {
    let mut front = FrontMatter::default();
    if yaml.len() > MAX_BYTES {
        let message = error.message;
        return (front, vec![MemberError { line: 1, message }]);
    }
    let mut errors = Vec::new();
    let mut seen = HashSet::new();
    for member in split(yaml) {
        let name = member.name().to_owned();
        let mut refuse = |message: String| {
            let line = member.before + 1;
            errors.push(MemberError { line, message });
        };
        let (one, error) = match FrontMatter::parse(&member.yaml) {
            Ok(one) => (Some(one), None),
            Err(error) => (
                member.as_text().and_then(|text| FrontMatter::parse(&text).ok()),
                Some(error.message),
            ),
        };
        match (one, error) {
            (Some(_), _) if !name.is_empty() && !seen.insert(name.clone()) => {
                refuse(format!("The front matter has `{name}` twice; the first is used."));
            }
            (Some(one), error) => {
                absorb(&mut front, one);
                error.into_iter().for_each(|error| {
                    refuse(format!(
                        "The front matter member `{name}` is taken as text, as it is written. {error}"
                    ));
                });
            }
            (None, error) => {
                let error = error.unwrap_or_default();
                refuse(format!("The front matter member `{name}` is ignored. {error}"));
            }
        }
    }
    if errors.is_empty() {
        let message = error.message;
        return (FrontMatter::default(), vec![MemberError { line: 1, message }]);
    }
    (front, errors)
}

/// Parses the variables of a space: an object with texts as members.
pub fn parse_variables(yaml: &str) -> (BTreeMap<String, String>, Vec<MemberError>) {
    let (mut variables, mut errors) = (BTreeMap::new(), Vec::new());
    if yaml.len() > MAX_BYTES {
        let message = format!("The variables have more than {MAX_BYTES} bytes.");
        return (variables, vec![MemberError { line: 1, message }]);
    }
    for member in split(yaml) {
        match yaml_serde::from_str::<Option<BTreeMap<String, String>>>(&member.yaml) {
            Ok(one) => variables.extend(one.unwrap_or_default()),
            Err(error) => errors.push(MemberError {
                line: member.before + 1,
                message: format!("The variable `{}` is not a text: {error}.", member.name()),
            }),
        }
    }
    (variables, errors)
}

/// Returns the line of a member, from 1.
pub fn line_of(yaml: &str, name: &str) -> Option<usize> {
    let found = split(yaml).into_iter().find(|member| member.name() == name);
    found.map(|member| member.before + 1)
}

/// Splits YAML at the lines that begin a member with `name:`. Lines without a name belong to the member before them.
fn split(yaml: &str) -> Vec<MemberLines> {
    let mut members: Vec<MemberLines> = Vec::new();
    for (before, line) in yaml.split_inclusive('\n').enumerate() {
        let continues = name_of(line).is_none() || line.starts_with([' ', '\t', '-', ']', '}']);
        match members.last_mut().filter(|_| continues) {
            Some(member) => member.yaml.push_str(line),
            None => members.push(MemberLines {
                before,
                yaml: line.to_owned(),
            }),
        }
    }
    members
}

/// Adds the members of one part.
fn absorb(front: &mut FrontMatter, one: FrontMatter) {
    let all = std::mem::take(front);
    let mut other = all.other;
    other.extend(one.other);
    let mut variables = all.variables;
    variables.extend(one.variables);
    *front = FrontMatter {
        title: all.title.or(one.title),
        description: all.description.or(one.description),
        icon: all.icon.or(one.icon),
        emoji: all.emoji.or(one.emoji),
        hidden: all.hidden.or(one.hidden),
        no_index: all.no_index.or(one.no_index),
        no_robots_index: all.no_robots_index.or(one.no_robots_index),
        condition: all.condition.or(one.condition),
        cover: all.cover.or(one.cover),
        cover_y: all.cover_y.or(one.cover_y),
        cover_height: all.cover_height.or(one.cover_height),
        layout: all.layout.or(one.layout),
        tags: all.tags.or(one.tags),
        variables,
        other,
    };
}
