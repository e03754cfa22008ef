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
    /// Comments and texts without a name have an empty name.
    fn name(&self) -> &str {
        let first = self.yaml.lines().next().unwrap_or_default();
        let name = first.split_once(':').map_or("", |(name, _)| name);
        name.trim().trim_matches(['"', '\''])
    }
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
        match FrontMatter::parse(&member.yaml) {
            Ok(_) if !name.is_empty() && !seen.insert(name.clone()) => {
                refuse(format!("The front matter has `{name}` twice; the first is used."));
            }
            Ok(one) => absorb(&mut front, one),
            Err(error) => refuse(format!(
                "The front matter member `{name}` is ignored. {}",
                error.message
            )),
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

/// Splits YAML at the lines that begin a member: not indented, and neither comments nor items of a list.
fn split(yaml: &str) -> Vec<MemberLines> {
    let mut members: Vec<MemberLines> = Vec::new();
    for (before, line) in yaml.split_inclusive('\n').enumerate() {
        let continues = line.trim().is_empty() || line.starts_with([' ', '\t', '#', '-', ']', '}']);
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
